package dev.weir.cli;

import dev.weir.eval.Evaluation;
import dev.weir.log.RunLogReader;
import dev.weir.log.RunResult;
import dev.weir.log.SampleResult;
import dev.weir.log.SampleResult.ScoreResult;
import dev.weir.log.SampleSummary;
import dev.weir.log.SampleVerdict;
import dev.weir.model.ConfigurationException;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import javax.xml.stream.XMLStreamException;

/**
 * Results as continuous integration reads them: a test suite for each run, a test case for each
 * sample.
 *
 * <p>A sample that failed is an error, one that was not finished, or not begun, is skipped. One
 * with a score below 1 is a failure; but with thresholds, a test case for each of them decides, and
 * no single sample. What is told of a sample is in the log's list of them, but why it failed or is
 * wrong: only such are read, one at a time, and come first. So an interrupted run ends soon.
 */
final class JUnitReport {

  private final Path file;

  JUnitReport(Path file) {
    this.file = file;
  }

  /**
   * Makes sure that it can be written before anything is paid for, and leaves nothing: an empty
   * file would be taken for a report. What is no file, a pipe for example, is opened only once.
   *
   * @throws ConfigurationException if it cannot
   */
  void prepare() {
    try {
      Path parent = file.toAbsolutePath().getParent();
      if (parent != null) {
        Files.createDirectories(parent);
      }
      if (!Files.exists(file)) {
        Files.newOutputStream(file, StandardOpenOption.CREATE_NEW).close();
        Files.delete(file);
      } else if (Files.isRegularFile(file) || Files.isDirectory(file)) {
        Files.newOutputStream(file, StandardOpenOption.APPEND).close();
      } else if (!Files.isWritable(file)) {
        throw new AccessDeniedException(file.toString());
      }
    } catch (IOException unwritable) {
      throw new ConfigurationException(
          "--junit: %s cannot be written (%s)"
              .formatted(file, Files.isDirectory(file) ? "it is a directory" : unwritable),
          unwritable);
    }
  }

  void write(Evaluation.Finished finished) throws IOException {
    try (Writer out = Files.newBufferedWriter(file)) {
      write(finished.runs(), false, out);
    }
  }

  /** Writes the run of a log, and gives what of it is damaged, in sentences. */
  static List<String> write(Path log, RunResult result, Writer out) throws IOException {
    return write(
        List.of(
            new Evaluation.FinishedRun(
                result, Optional.of(log), Optional.empty(), Optional.empty(), Set.of())),
        true,
        out);
  }

  /**
   * @param wholly whether all of the logs is read, so that whatever is damaged is found
   */
  private static List<String> write(List<Evaluation.FinishedRun> runs, boolean wholly, Writer out)
      throws IOException {
    List<String> damage = new ArrayList<>();
    try {
      var xml = new ReportXml(out);
      xml.start("testsuites", Map.of("name", "weir"));
      for (Evaluation.FinishedRun run : runs) {
        damage.addAll(suite(xml, run, wholly));
      }
      xml.close();
      return damage;
    } catch (XMLStreamException broken) {
      throw new IOException(broken);
    }
  }

  private static List<String> suite(ReportXml xml, Evaluation.FinishedRun run, boolean wholly)
      throws XMLStreamException, IOException {
    RunResult result = run.result();
    Thresholds thresholds = Thresholds.of(result);
    List<Thresholds.Verdict> verdicts = thresholds.judge(result);
    String name = result.start().task() + " on " + result.start().model();
    Map<Attempt, SampleSummary> ended = ended(run);
    List<Attempt> notBegun = run.file().isEmpty() ? List.of() : notBegun(result, ended);
    // The totals stand before what they are of.
    Counts counts = counts(ended, thresholds);
    Optional<String> incomplete = incomplete(run);
    long missed = verdicts.stream().filter(verdict -> !verdict.isReached()).count();
    xml.start("testsuite", Map.of());
    xml.attribute("name", name);
    xml.attribute(
        "tests",
        String.valueOf(
            ended.size() + notBegun.size() + verdicts.size() + (incomplete.isPresent() ? 1 : 0)));
    xml.attribute("failures", String.valueOf(counts.failures + missed));
    xml.attribute("errors", String.valueOf(counts.errors + (incomplete.isPresent() ? 1 : 0)));
    xml.attribute("skipped", String.valueOf(counts.skipped + notBegun.size()));
    xml.attribute("time", seconds(result.seconds()));
    xml.attribute("timestamp", result.start().started().truncatedTo(ChronoUnit.SECONDS).toString());
    if (incomplete.isPresent()) {
      xml.start("testcase", Map.of("classname", name, "name", "the run", "time", "0"));
      xml.start("error", Map.of("message", incomplete.get(), "type", "run"));
      xml.end();
      xml.end();
    }
    for (Thresholds.Verdict verdict : verdicts) {
      verdict(xml, name, verdict);
    }
    List<String> damage = samples(xml, run, ended, thresholds, wholly);
    for (Attempt attempt : notBegun) {
      xml.start("testcase", attributes(result, attempt, 0));
      skipped(
          xml,
          result.status() == RunResult.Status.SUCCESS
              ? "it is not in the log"
              : "not begun: the run ended before its turn");
      xml.end();
    }
    xml.end();
    return damage;
  }

  /** One of the times that a sample is run. */
  private record Attempt(String id, int epoch) {}

  /** All that the log has, in its order. */
  private static Map<Attempt, SampleSummary> ended(Evaluation.FinishedRun run) throws IOException {
    Map<Attempt, SampleSummary> ended = new LinkedHashMap<>();
    if (run.file().isPresent()) {
      try (var log = RunLogReader.open(run.file().get())) {
        log.summaries()
            .forEach(sample -> ended.put(new Attempt(sample.id(), sample.epoch()), sample));
      }
    }
    return ended;
  }

  private static List<Attempt> notBegun(RunResult result, Map<Attempt, SampleSummary> ended) {
    List<Attempt> notBegun = new ArrayList<>();
    for (int epoch = 1; epoch <= result.start().epochs(); epoch++) {
      for (String id : result.start().dataset().sampleIds().texts()) {
        var attempt = new Attempt(id, epoch);
        if (!ended.containsKey(attempt)) {
          notBegun.add(attempt);
        }
      }
    }
    return notBegun;
  }

  private static List<String> samples(
      ReportXml xml,
      Evaluation.FinishedRun run,
      Map<Attempt, SampleSummary> ended,
      Thresholds thresholds,
      boolean wholly)
      throws XMLStreamException, IOException {
    if (run.file().isEmpty()) {
      return List.of();
    }
    Map<Attempt, SampleSummary> explained = new LinkedHashMap<>(ended);
    explained.values().removeIf(sample -> !kind(sample, thresholds).isExplained());
    Map<Attempt, SampleSummary> others = new LinkedHashMap<>(ended);
    List<String> damage = List.of();
    if (wholly || !explained.isEmpty()) {
      try (var log = RunLogReader.open(run.file().get())) {
        if (!wholly) {
          log.only(explained.keySet().stream().map(Attempt::id).collect(Collectors.toSet()));
        }
        for (var sample = log.sample(); sample.isPresent(); sample = log.sample()) {
          var attempt = new Attempt(sample.get().id(), sample.get().epoch());
          SampleSummary summary = explained.get(attempt);
          if (summary != null && others.remove(attempt) != null) {
            sample(xml, run.result(), summary, sample, thresholds);
          }
        }
        damage = log.damage();
      }
    }
    for (SampleSummary sample : others.values()) {
      sample(xml, run.result(), sample, Optional.empty(), thresholds);
    }
    return damage;
  }

  private static final class Counts {
    private long failures;
    private long errors;
    private long skipped;
  }

  private static Counts counts(Map<Attempt, SampleSummary> ended, Thresholds thresholds) {
    var counts = new Counts();
    for (SampleSummary sample : ended.values()) {
      switch (kind(sample, thresholds)) {
        case PASSED -> {}
        case WRONG -> counts.failures++;
        case FAILED -> counts.errors++;
        case UNFINISHED -> counts.skipped++;
      }
    }
    return counts;
  }

  /**
   * Why there are samples that this report does not know of: who reads nothing else must see it.
   */
  private static Optional<String> incomplete(Evaluation.FinishedRun run) {
    RunResult result = run.result();
    if (result.status() == RunResult.Status.SUCCESS) {
      return run.notWritten().map(why -> "the log could not be written: " + why);
    }
    String why = result.error().or(result::stopped).orElse("interrupted");
    return Optional.of(
        "%s; %d of %d samples were not finished"
            .formatted(why, result.samples().unfinished(), result.samples().total()));
  }

  private enum Kind {
    PASSED,
    WRONG,
    FAILED,
    UNFINISHED;

    /** Whether more is told of it than the list of samples says. */
    boolean isExplained() {
      return this == WRONG || this == FAILED;
    }
  }

  private static Kind kind(SampleSummary sample, Thresholds thresholds) {
    return switch (SampleVerdict.of(sample)) {
      case ERROR -> Kind.FAILED;
      case UNFINISHED -> Kind.UNFINISHED;
      case WRONG, UNSCORED -> thresholds.isEmpty() ? Kind.WRONG : Kind.PASSED;
      case PASSED -> Kind.PASSED;
    };
  }

  private static void verdict(ReportXml xml, String suite, Thresholds.Verdict verdict)
      throws XMLStreamException {
    xml.start(
        "testcase",
        Map.of(
            "classname",
            suite,
            "name",
            "threshold %s >= %s".formatted(verdict.metric(), verdict.least()),
            "time",
            "0"));
    if (!verdict.isReached()) {
      xml.start("failure", Map.of("message", verdict.missed(), "type", "threshold"));
      xml.end();
    }
    xml.end();
  }

  private static Map<String, String> attributes(RunResult result, Attempt attempt, double seconds) {
    String epoch = result.start().epochs() == 1 ? "" : " (epoch " + attempt.epoch() + ")";
    return Map.of(
        "classname",
        result.start().task() + " on " + result.start().model(),
        "name",
        attempt.id() + epoch,
        "time",
        seconds(seconds));
  }

  /**
   * @param whole absent if nothing of it is told, or it cannot be read
   */
  private static void sample(
      ReportXml xml,
      RunResult result,
      SampleSummary sample,
      Optional<SampleResult> whole,
      Thresholds thresholds)
      throws XMLStreamException {
    var attempt = new Attempt(sample.id(), sample.epoch());
    xml.start("testcase", attributes(result, attempt, sample.times().total()));
    switch (kind(sample, thresholds)) {
      case PASSED -> {}
      case WRONG -> {
        xml.start("failure", Map.of("message", "scored " + scores(sample), "type", "score"));
        xml.text(whole.map(JUnitReport::explained).orElse(""));
        xml.end();
      }
      case FAILED -> {
        String error = whole.flatMap(SampleResult::error).orElse("it failed");
        xml.start("error", Map.of("message", error, "type", "error"));
        xml.end();
      }
      case UNFINISHED -> skipped(xml, "not finished: it was cancelled");
    }
    if (!sample.scores().isEmpty()) {
      xml.start("system-out", Map.of());
      xml.text("score: " + scores(sample));
      xml.end();
    }
    xml.end();
  }

  private static void skipped(ReportXml xml, String why) throws XMLStreamException {
    xml.start("skipped", Map.of("message", why));
    xml.end();
  }

  private static String scores(SampleSummary sample) {
    Map<String, Double> scores = sample.scores();
    return scores.entrySet().stream()
        .map(
            entry ->
                (scores.size() == 1 ? "" : entry.getKey() + " ") + Numbers.score(entry.getValue()))
        .collect(Collectors.joining(", "));
  }

  private static String explained(SampleResult sample) {
    Optional<ScoreResult> first = sample.scores().values().stream().findFirst();
    return "input: %s\nexpected: %s\nanswer: %s%s"
        .formatted(
            ReportXml.cut(sample.input()),
            ReportXml.cut(String.join(" | ", sample.targets())),
            ReportXml.cut(first.flatMap(ScoreResult::answer).or(sample::output).orElse("")),
            first
                .flatMap(ScoreResult::explanation)
                .map(why -> "\nexplanation: " + ReportXml.cut(why))
                .orElse(""));
  }

  private static String seconds(double seconds) {
    return String.format(Locale.ROOT, "%.3f", seconds);
  }
}
