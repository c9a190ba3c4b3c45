package dev.weir.junit;

import dev.weir.log.RunResult;
import dev.weir.log.SampleResult;
import dev.weir.model.Printable;
import dev.weir.statistics.ClusteredSummary;
import dev.weir.statistics.Interval;
import dev.weir.statistics.Intervals;
import dev.weir.statistics.Summary;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.StringJoiner;

/**
 * Why a test failed, so that nobody has to open the log to see what went wrong.
 *
 * @param failure of the evaluation itself
 * @param missed thresholds that do not hold; at least one if nothing failed
 * @param again a command
 */
record FailureReport(
    String name,
    Optional<String> failure,
    List<Threshold> missed,
    EvaluationResult result,
    String again) {

  private static final int MOST_SAMPLES = 5;
  private static final int LONGEST_TEXT = 200;
  private static final double CONFIDENCE = 0.95;

  String text() {
    RunResult run = result.run();
    List<SampleResult> samples = result.samples();
    var problems = new StringJoiner("; ");
    failure.ifPresent(problems::add);
    missed.forEach(threshold -> threshold.problem(result).ifPresent(problems::add));
    var lines = new StringJoiner("\n");
    // The first line is what tools show in lists.
    lines.add("%s: %s".formatted(Printable.line(name), Printable.line(problems.toString())));
    lines.add("");
    if (!run.metrics().isEmpty()) {
      lines.add("  metrics: " + metrics(samples));
    }
    lines.add(
        "  samples: %d, of which %d scored, %d failed, %d unfinished"
            .formatted(
                run.samples().total(),
                run.samples().scored(),
                run.samples().failed(),
                run.samples().unfinished()));
    result.log().ifPresent(log -> lines.add("  log:     " + Printable.line(log.toString())));
    lines.add("  again:   " + Printable.line(again));
    Blame blame = blame();
    List<SampleResult> worst = worst(samples, blame);
    if (!worst.isEmpty()) {
      lines.add("");
      lines.add("  %s samples:".formatted(blame.words));
      worst.forEach(sample -> add(sample, lines));
    }
    return lines.toString();
  }

  private String metrics(List<SampleResult> samples) {
    var metrics = new StringJoiner(", ");
    result
        .run()
        .metrics()
        .forEach(
            (metric, value) ->
                metrics.add(
                    "%s %s%s"
                        .formatted(
                            Printable.line(metric),
                            rounded(value),
                            isMean(metric)
                                ? interval(samples).map(FailureReport::told).orElse("")
                                : "")));
    return metrics.toString();
  }

  private static boolean isMean(String metric) {
    return metric.equals("accuracy") || metric.equals("mean");
  }

  private static String told(Interval interval) {
    return " (95 %% interval %s to %s, %s)"
        .formatted(rounded(interval.low()), rounded(interval.high()), interval.method().words());
  }

  /** Repetitions of a sample are no samples of their own. */
  private Optional<Interval> interval(List<SampleResult> samples) {
    List<SampleResult> scored =
        samples.stream()
            .filter(sample -> sample.score().isPresent() && sample.error().isEmpty())
            .toList();
    if (scored.isEmpty()) {
      return Optional.empty();
    }
    double[] values = scored.stream().mapToDouble(sample -> sample.score().orElseThrow()).toArray();
    return result.run().start().epochs() == 1
        ? Intervals.ofMean(Summary.of(values), CONFIDENCE)
        : Intervals.ofMean(
            ClusteredSummary.of(values, scored.stream().map(SampleResult::id).toList()),
            CONFIDENCE);
  }

  /** Which samples are to be looked at. */
  private enum Blame {
    FAILED("failed"),
    LOWEST("failed and lowest"),
    HIGHEST("failed and highest");

    private final String words;

    Blame(String words) {
      this.words = words;
    }
  }

  /** Where no number missed its threshold, no score is to blame. */
  private Blame blame() {
    List<Threshold> compared =
        missed.stream()
            .filter(threshold -> result.metrics().containsKey(threshold.metric()))
            .toList();
    if (compared.isEmpty()) {
      return Blame.FAILED;
    }
    return compared.stream().allMatch(Threshold::isUpperBound) ? Blame.HIGHEST : Blame.LOWEST;
  }

  /** Those that failed first, then those whose score is least wanted. */
  private static List<SampleResult> worst(List<SampleResult> samples, Blame blame) {
    Comparator<SampleResult> byScore =
        Comparator.comparingDouble(sample -> sample.score().orElse(0.0));
    return samples.stream()
        .filter(sample -> !sample.cancelled())
        .filter(sample -> blame != Blame.FAILED || sample.error().isPresent())
        .sorted(
            Comparator.comparing((SampleResult sample) -> sample.error().isEmpty())
                .thenComparing(blame == Blame.HIGHEST ? byScore.reversed() : byScore)
                .thenComparing(SampleResult::id)
                .thenComparingInt(SampleResult::epoch))
        .limit(MOST_SAMPLES)
        .toList();
  }

  private void add(SampleResult sample, StringJoiner lines) {
    String epoch = result.run().start().epochs() > 1 ? ", epoch " + sample.epoch() : "";
    var scores = new StringJoiner(", ");
    sample
        .scores()
        .forEach((scorer, score) -> scores.add("%s %s".formatted(scorer, rounded(score.value()))));
    lines.add(
        "  - %s%s: %s"
            .formatted(
                shortened(sample.id()),
                epoch,
                sample
                    .error()
                    .map(error -> "failed: " + shortened(error))
                    .orElse(scores.toString())));
    lines.add("      input:  " + shortened(sample.input()));
    sample.output().ifPresent(output -> lines.add("      output: " + shortened(output)));
    if (!sample.targets().isEmpty()) {
      lines.add("      target: " + shortened(String.join(" | ", sample.targets())));
    }
    sample.limit().ifPresent(limit -> lines.add("      limit:  " + shortened(limit.message())));
  }

  private static String shortened(String text) {
    String line = Printable.line(text);
    return line.length() <= LONGEST_TEXT
        ? line
        : line.substring(0, line.offsetByCodePoints(0, line.codePointCount(0, LONGEST_TEXT))) + "…";
  }

  private static String rounded(double value) {
    return String.format(Locale.ROOT, "%.3f", value);
  }
}
