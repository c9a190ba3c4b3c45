package dev.weir.eval.compare;

import dev.weir.log.RunResult;
import dev.weir.log.RunStart;
import dev.weir.model.ConfigurationException;
import dev.weir.model.Spelling;
import dev.weir.statistics.PairedComparison;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Runs compared with a baseline, sample by sample.
 *
 * <p>Samples are paired by id; the epochs of a sample count as one, by their mean. A pair whose
 * content differs is left out, and so is one without a score on either side. With several runs,
 * intervals are wider, so that all of them together hold with 95 % confidence (Bonferroni).
 *
 * @param scorer whose scores are compared
 * @param scorers all that every log has scores of
 * @param baseline what the others are compared with
 * @param differences one for each other log, in order
 * @param damage what could not be read of the logs, in sentences
 */
public record LogComparison(
    String scorer,
    List<String> scorers,
    ComparedLog baseline,
    List<Difference> differences,
    List<String> damage) {

  private static final double CONFIDENCE = 0.95;

  /** The same logs give the same result. */
  private static final long SEED = 1;

  public LogComparison {
    scorers = List.copyOf(scorers);
    differences = List.copyOf(differences);
    damage = List.copyOf(damage);
  }

  /** What counts as the score of a sample that failed. */
  public enum Failures {
    /** Its pair is left out and counted. */
    EXCLUDE,
    /** It counts as 0. */
    ZERO
  }

  /**
   * A log.
   *
   * @param result how the run ended; absent if it has not
   */
  public record ComparedLog(Path log, RunStart start, Optional<RunResult> result) {}

  /**
   * What differs between a log and the baseline.
   *
   * @param scores the paired comparison
   * @param worse samples whose score is lower than in the baseline, the largest change first
   * @param better samples whose score is higher, likewise
   * @param excluded samples that are not compared
   * @param settings in which the runs differ
   */
  public record Difference(
      ComparedLog log,
      PairedComparison scores,
      List<Flip> worse,
      List<Flip> better,
      Excluded excluded,
      List<Setting> settings) {

    public Difference {
      worse = List.copyOf(worse);
      better = List.copyOf(better);
      settings = List.copyOf(settings);
    }
  }

  /** A sample whose score differs. */
  public record Flip(String id, double baseline, double score) {}

  /**
   * How many samples are not compared, and why.
   *
   * @param otherContent the same id asks something else
   * @param onlyInBaseline the other log does not have it
   * @param onlyInLog the baseline does not have it
   * @param unscoredInBaseline it has no score there, because it failed for example
   * @param unscoredInLog it has no score here, but one in the baseline
   */
  public record Excluded(
      int otherContent,
      int onlyInBaseline,
      int onlyInLog,
      int unscoredInBaseline,
      int unscoredInLog) {

    public int total() {
      return otherContent + onlyInBaseline + onlyInLog + unscoredInBaseline + unscoredInLog;
    }
  }

  /**
   * A setting that differs.
   *
   * @param baseline its value there; absent if it is not set
   * @param value its value in the other log; absent if it is not set
   */
  public record Setting(String name, Optional<String> baseline, Optional<String> value) {}

  /**
   * Compares logs with the first of them.
   *
   * @param logs two or more
   * @param scorer whose scores are compared; if absent, the first that all logs have
   * @throws ConfigurationException if they have no scorer, or no samples with scores, in common
   * @throws IOException if one cannot be read
   */
  public static LogComparison of(List<Path> logs, Optional<String> scorer, Failures failures)
      throws IOException {
    if (logs.size() < 2) {
      throw new ConfigurationException("two logs or more are needed to compare");
    }
    boolean comparesText = LogScores.haveDifferentHashes(logs);
    List<LogScores> read = new ArrayList<>();
    for (Path log : logs) {
      read.add(LogScores.read(log, comparesText));
    }
    List<String> common = commonScorers(read);
    String compared = scorer.orElseGet(() -> common.isEmpty() ? "" : common.getFirst());
    requireScorer(compared, common, read);
    double confidence = 1 - (1 - CONFIDENCE) / (logs.size() - 1);
    LogScores baseline = read.getFirst();
    List<Difference> differences = new ArrayList<>();
    for (LogScores other : read.subList(1, read.size())) {
      differences.add(difference(baseline, other, compared, failures, confidence));
    }
    return new LogComparison(
        compared,
        common,
        baseline.log(),
        differences,
        read.stream().flatMap(scores -> scores.damage().stream()).distinct().toList());
  }

  private static List<String> commonScorers(List<LogScores> logs) {
    Set<String> common = new LinkedHashSet<>(logs.getFirst().scorers());
    logs.forEach(log -> common.retainAll(log.scorers()));
    return List.copyOf(common);
  }

  private static void requireScorer(String scorer, List<String> common, List<LogScores> logs) {
    if (common.contains(scorer)) {
      return;
    }
    if (!scorer.isEmpty() && !common.isEmpty()) {
      throw new ConfigurationException(
          "there are no scores of '%s' in all of the logs; there are scores of %s%s"
              .formatted(scorer, String.join(", ", common), Spelling.hint(scorer, common)));
    }
    List<String> told =
        logs.stream()
            .map(
                log ->
                    "%s has %s"
                        .formatted(
                            log.log().log(),
                            log.scorers().isEmpty() ? "none" : String.join(", ", log.scorers())))
            .toList();
    throw new ConfigurationException(
        "the logs have no scorer in common: %s; score them alike with `weir score LOG --scorer NAME`"
            .formatted(String.join("; ", told)));
  }

  private static Difference difference(
      LogScores baseline, LogScores other, String scorer, Failures failures, double confidence) {
    List<Flip> pairs = new ArrayList<>();
    int otherContent = 0;
    int onlyInBaseline = 0;
    int unscoredInBaseline = 0;
    int unscoredInLog = 0;
    for (Map.Entry<String, ScoredSample> entry : baseline.samples().entrySet()) {
      ScoredSample before = entry.getValue();
      ScoredSample after = other.samples().get(entry.getKey());
      if (after == null) {
        onlyInBaseline++;
      } else if (!before.asksTheSame(after)) {
        otherContent++;
      } else {
        Optional<Double> was = before.score(scorer, failures);
        Optional<Double> is = after.score(scorer, failures);
        if (was.isEmpty()) {
          unscoredInBaseline++;
        } else if (is.isEmpty()) {
          unscoredInLog++;
        } else {
          pairs.add(new Flip(entry.getKey(), was.get(), is.get()));
        }
      }
    }
    int onlyInLog =
        (int)
            other.samples().keySet().stream()
                .filter(id -> !baseline.samples().containsKey(id))
                .count();
    var excluded =
        new Excluded(otherContent, onlyInBaseline, onlyInLog, unscoredInBaseline, unscoredInLog);
    PairedComparison scores =
        PairedComparison.compare(
                pairs.stream().mapToDouble(Flip::baseline).toArray(),
                pairs.stream().mapToDouble(Flip::score).toArray(),
                confidence,
                SEED)
            .orElseThrow(() -> nothingInCommon(baseline, other, scorer, excluded));
    return new Difference(
        other.log(),
        scores,
        flips(pairs, -1),
        flips(pairs, 1),
        excluded,
        RunSettings.differences(baseline.log().start(), other.log().start()));
  }

  private static ConfigurationException nothingInCommon(
      LogScores baseline, LogScores other, String scorer, Excluded excluded) {
    Path one = baseline.log().log();
    Path two = other.log().log();
    boolean sharesIds =
        excluded.otherContent() + excluded.unscoredInBaseline() + excluded.unscoredInLog() > 0;
    String why;
    if (!sharesIds) {
      why = "no sample id of one occurs in the other";
    } else if (excluded.otherContent() > 0) {
      why =
          "%s samples have the same id, but other content; %s have no score of '%s' in both"
              .formatted(
                  excluded.otherContent(),
                  excluded.unscoredInBaseline() + excluded.unscoredInLog(),
                  scorer);
    } else {
      why = "no sample has a score of '%s' in both".formatted(scorer);
    }
    return new ConfigurationException(
        "%s and %s have no samples in common: %s".formatted(one, two, why));
  }

  /**
   * @param sign of the change
   */
  private static List<Flip> flips(List<Flip> pairs, int sign) {
    return pairs.stream()
        .filter(pair -> Math.signum(pair.score() - pair.baseline()) == sign)
        .sorted(Comparator.comparingDouble(pair -> -Math.abs(pair.score() - pair.baseline())))
        .toList();
  }
}
