package dev.weir.cli;

import dev.weir.eval.Evaluation;
import dev.weir.log.RunLogReader;
import dev.weir.log.RunResult;
import dev.weir.log.SampleResult;
import dev.weir.log.SampleResult.ScoreResult;
import dev.weir.model.ConfigurationException;
import dev.weir.model.Printable;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import javax.xml.stream.XMLOutputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;

/**
 * Results as continuous integration reads them: a test suite for each run, a test case for each
 * sample.
 *
 * <p>A sample that failed is an error, one that was not finished is skipped. One with a score below
 * 1 is a failure; but with thresholds, a test case for each of them decides, and no single sample.
 * Samples are read from the log one at a time, so memory does not grow with them.
 */
final class JUnitReport {

  private static final int LONGEST_TEXT = 2_000;

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
      write(finished.runs(), out);
    }
  }

  /** Writes the run of a log, and gives what of it is damaged, in sentences. */
  static List<String> write(Path log, RunResult result, Writer out) throws IOException {
    return write(
        List.of(
            new Evaluation.FinishedRun(
                result, Optional.of(log), Optional.empty(), Optional.empty())),
        out);
  }

  private static List<String> write(List<Evaluation.FinishedRun> runs, Writer out)
      throws IOException {
    List<String> damage = new ArrayList<>();
    try {
      XMLStreamWriter xml = XMLOutputFactory.newDefaultFactory().createXMLStreamWriter(out);
      xml.writeStartDocument("UTF-8", "1.0");
      start(xml, "testsuites", Map.of("name", "weir"));
      for (Evaluation.FinishedRun run : runs) {
        damage.addAll(suite(xml, run));
      }
      end(xml);
      xml.writeEndDocument();
      xml.flush();
      return damage;
    } catch (XMLStreamException broken) {
      throw new IOException(broken);
    }
  }

  private static List<String> suite(XMLStreamWriter xml, Evaluation.FinishedRun run)
      throws XMLStreamException, IOException {
    RunResult result = run.result();
    Thresholds thresholds = Thresholds.of(result);
    List<Thresholds.Verdict> verdicts = thresholds.judge(result);
    String name = result.start().task() + " on " + result.start().model();
    // The totals stand before what they are of, so the log is read twice.
    Counts counts = counts(run, thresholds);
    Optional<String> incomplete = incomplete(run);
    long missed = verdicts.stream().filter(verdict -> !verdict.isReached()).count();
    xml.writeCharacters("\n");
    xml.writeStartElement("testsuite");
    attribute(xml, "name", name);
    attribute(
        xml,
        "tests",
        String.valueOf(counts.tests + verdicts.size() + (incomplete.isPresent() ? 1 : 0)));
    attribute(xml, "failures", String.valueOf(counts.failures + missed));
    attribute(xml, "errors", String.valueOf(counts.errors + (incomplete.isPresent() ? 1 : 0)));
    attribute(xml, "skipped", String.valueOf(counts.skipped));
    attribute(xml, "time", seconds(result.seconds()));
    attribute(
        xml, "timestamp", result.start().started().truncatedTo(ChronoUnit.SECONDS).toString());
    if (incomplete.isPresent()) {
      start(xml, "testcase", Map.of("classname", name, "name", "the run", "time", "0"));
      start(xml, "error", Map.of("message", incomplete.get(), "type", "run"));
      end(xml);
      end(xml);
    }
    for (Thresholds.Verdict verdict : verdicts) {
      verdict(xml, name, verdict);
    }
    List<String> damage = List.of();
    if (run.file().isPresent()) {
      try (var log = RunLogReader.open(run.file().get())) {
        for (var sample = log.sample(); sample.isPresent(); sample = log.sample()) {
          sample(xml, result, sample.get(), thresholds);
        }
        damage = log.damage();
      }
    }
    xml.writeCharacters("\n");
    end(xml);
    return damage;
  }

  private static final class Counts {
    private long tests;
    private long failures;
    private long errors;
    private long skipped;
  }

  private static Counts counts(Evaluation.FinishedRun run, Thresholds thresholds)
      throws IOException {
    var counts = new Counts();
    if (run.file().isPresent()) {
      try (var log = RunLogReader.open(run.file().get())) {
        for (var sample = log.sample(); sample.isPresent(); sample = log.sample()) {
          counts.tests++;
          switch (kind(sample.get(), thresholds)) {
            case PASSED -> {}
            case WRONG -> counts.failures++;
            case FAILED -> counts.errors++;
            case UNFINISHED -> counts.skipped++;
          }
        }
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
    UNFINISHED
  }

  private static Kind kind(SampleResult sample, Thresholds thresholds) {
    if (sample.error().isPresent()) {
      return Kind.FAILED;
    }
    if (sample.cancelled()) {
      return Kind.UNFINISHED;
    }
    boolean isWrong = sample.score().orElse(0.0) < 1;
    return isWrong && thresholds.isEmpty() ? Kind.WRONG : Kind.PASSED;
  }

  private static void verdict(XMLStreamWriter xml, String suite, Thresholds.Verdict verdict)
      throws XMLStreamException {
    start(
        xml,
        "testcase",
        Map.of(
            "classname",
            suite,
            "name",
            "threshold %s >= %s".formatted(verdict.metric(), verdict.least()),
            "time",
            "0"));
    if (!verdict.isReached()) {
      start(xml, "failure", Map.of("message", verdict.missed(), "type", "threshold"));
      end(xml);
    }
    end(xml);
  }

  private static void sample(
      XMLStreamWriter xml, RunResult result, SampleResult sample, Thresholds thresholds)
      throws XMLStreamException {
    String epoch = result.start().epochs() == 1 ? "" : " (epoch " + sample.epoch() + ")";
    start(
        xml,
        "testcase",
        Map.of(
            "classname",
            result.start().task() + " on " + result.start().model(),
            "name",
            sample.id() + epoch,
            "time",
            seconds(sample.times().total())));
    switch (kind(sample, thresholds)) {
      case PASSED -> {}
      case WRONG -> {
        start(xml, "failure", Map.of("message", "scored " + scores(sample), "type", "score"));
        text(xml, explained(sample));
        end(xml);
      }
      case FAILED -> {
        start(xml, "error", Map.of("message", sample.error().orElse(""), "type", "error"));
        end(xml);
      }
      case UNFINISHED -> {
        start(xml, "skipped", Map.of("message", "not finished"));
        end(xml);
      }
    }
    if (!sample.scores().isEmpty()) {
      start(xml, "system-out", Map.of());
      text(xml, "score: " + scores(sample));
      end(xml);
    }
    end(xml);
  }

  private static String scores(SampleResult sample) {
    Map<String, ScoreResult> scores = sample.scores();
    return scores.entrySet().stream()
        .map(
            entry ->
                (scores.size() == 1 ? "" : entry.getKey() + " ")
                    + Numbers.score(entry.getValue().value()))
        .collect(Collectors.joining(", "));
  }

  private static String explained(SampleResult sample) {
    Optional<ScoreResult> first = sample.scores().values().stream().findFirst();
    return "input: %s\nexpected: %s\nanswer: %s%s"
        .formatted(
            cut(sample.input()),
            cut(String.join(" | ", sample.targets())),
            cut(first.flatMap(ScoreResult::answer).or(sample::output).orElse("")),
            first
                .flatMap(ScoreResult::explanation)
                .map(why -> "\nexplanation: " + cut(why))
                .orElse(""));
  }

  private static String cut(String text) {
    return text.length() <= LONGEST_TEXT ? text : text.substring(0, LONGEST_TEXT) + "…";
  }

  private static String seconds(double seconds) {
    return String.format(Locale.ROOT, "%.3f", seconds);
  }

  private static void start(XMLStreamWriter xml, String element, Map<String, String> attributes)
      throws XMLStreamException {
    if (element.equals("testcase")) {
      xml.writeCharacters("\n  ");
    }
    xml.writeStartElement(element);
    for (String name : List.of("classname", "name", "time", "message", "type")) {
      String value = attributes.get(name);
      if (value != null) {
        attribute(xml, name, value);
      }
    }
  }

  private static void end(XMLStreamWriter xml) throws XMLStreamException {
    xml.writeEndElement();
  }

  private static void attribute(XMLStreamWriter xml, String name, String value)
      throws XMLStreamException {
    xml.writeAttribute(name, permitted(Printable.line(cut(value))));
  }

  private static void text(XMLStreamWriter xml, String text) throws XMLStreamException {
    xml.writeCharacters(permitted(text));
  }

  /** XML has no way to write most control characters, nor half a character. */
  private static String permitted(String text) {
    var permitted = new StringBuilder(text.length());
    text.codePoints()
        .forEach(
            c -> {
              boolean isPermitted =
                  c == '\t'
                      || c == '\n'
                      || (c >= 0x20 && c <= 0xD7FF)
                      || (c >= 0xE000 && c <= 0xFFFD)
                      || c >= 0x10000;
              permitted.appendCodePoint(isPermitted ? c : c == '\r' ? '\n' : 0xFFFD);
            });
    return permitted.toString();
  }
}
