package dev.weir.log;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.log.SampleResult.LogMessage;
import dev.weir.log.SampleResult.LogToolCall;
import dev.weir.log.SampleResult.Note;
import dev.weir.log.SampleResult.ScoreResult;
import dev.weir.log.inspect.InspectSchema;
import dev.weir.log.journal.JournalListener;
import dev.weir.time.Time;
import java.io.IOException;
import java.math.BigDecimal;
import java.net.URL;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Each member of each file that Weir writes is what Inspect's schema says. */
class WrittenLogContractTest {

  private static final InspectSchema SCHEMA = new InspectSchema();

  @TempDir Path directory;

  @Test
  void ofARunWithABitOfEverything() throws IOException {
    assertThat(SCHEMA.problems(written(LogFixtures.result(LogFixtures.start("capitals")))))
        .isEmpty();
  }

  @Test
  void ofARunThatWasKilled() throws IOException {
    Path journal;
    try (var log = begin()) {
      samples(log);
      journal = log.file();
    }
    assertThat(SCHEMA.problems(LogRecovery.recover(journal, true).log().orElseThrow())).isEmpty();
  }

  @Test
  void ofARunThatGoesOn() throws IOException {
    try (var log = begin()) {
      samples(log);
      Path copy = directory.resolve("copy.eval");
      LogFiles.toEval(log.file(), copy);
      assertThat(SCHEMA.problems(copy)).isEmpty();
      assertThat(LogDirectory.entry(copy).status()).isEqualTo(LogEntry.Status.STARTED);
    }
  }

  /** Older programs wrote less; their samples stay as they are, byte for byte. */
  @ParameterizedTest
  @ValueSource(strings = {"log_formats.eval", "log_streaming.eval", "mmlu-summary-choices.eval"})
  void ofAScoringOfALogOfInspect(String name) throws Exception {
    URL resource = WrittenLogContractTest.class.getResource("inspect/" + name);
    Path old = Path.of(Objects.requireNonNull(resource).toURI());
    Path scored;
    try (var from = RunLogReader.open(old);
        var log =
            RunLog.begin(
                Time.system(),
                directory,
                LogFixtures.scoring(from.start(), "k3", old),
                JournalListener.NONE)) {
      log.keep(from.foreignHeader().orElseThrow(), true);
      log.end(LogFixtures.result(from.start()));
      scored = log.finish(LogFixtures.NOTHING_LOST);
    }
    assertThat(SCHEMA.problems(scored)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "time",
        "working",
        "message",
        "token",
        "turn",
        "cost",
        "operator",
        "custom",
        "context",
        "searches",
        ""
      })
  void ofEachLimit(String type) throws IOException {
    SampleResult sample = LogFixtures.sample("?");
    var hit = new SampleResult.LimitHit(type, 3, 2, "too much");
    Path written;
    try (var log = begin()) {
      log.append(with(sample, Optional.of(hit), false));
      log.end(LogFixtures.result(LogFixtures.start("capitals")));
      written = log.finish(LogFixtures.NOTHING_LOST);
    }
    assertThat(SCHEMA.problems(written)).isEmpty();
    // What Inspect does not know is not lost.
    try (var read = RunLogReader.open(written)) {
      assertThat(read.sample().orElseThrow().limit()).contains(hit);
    }
  }

  private RunLog begin() throws IOException {
    return RunLog.begin(
        Time.system(), directory, LogFixtures.start("capitals"), JournalListener.NONE);
  }

  private Path written(RunResult result) throws IOException {
    try (var log = begin()) {
      samples(log);
      log.end(result);
      return log.finish(LogFixtures.NOTHING_LOST);
    }
  }

  private static void samples(RunLog log) throws IOException {
    try {
      log.append(new LimitChange(LogFixtures.STARTED, "sim/demo", 10, 5, "rate_limit"));
      log.append(new LimitChange(LogFixtures.STARTED, "sim/demo", 5, 6, "a reason of its own"));
    } catch (InterruptedException interrupted) {
      throw new IOException(interrupted);
    }
    log.append(LogFixtures.sample("Naïve \"question\"\n?"));
    log.append(with(LogFixtures.sample("?", 2), Optional.empty(), true));
    log.append(sparse());
    log.append(crowded());
    log.append(new Reduced("includes", "mean", List.of(new Reduced.Value("a", 0.5))));
    log.append(
        new ConfigChange(
            LogFixtures.STARTED,
            "max_connections",
            Optional.of("10"),
            "3",
            "me",
            Optional.of("too fast")));
  }

  /** Everything that need not be there is not. */
  private static SampleResult sparse() {
    return new SampleResult(
        "sparse/ü",
        1,
        "",
        LogFixtures.STARTED,
        "",
        List.of(),
        List.of(),
        Map.of(),
        List.of(),
        List.of(),
        List.of(),
        List.of(),
        StateHistory.NONE,
        Optional.empty(),
        Optional.empty(),
        Map.of(),
        Map.of(),
        Optional.empty(),
        Optional.empty(),
        true,
        List.of(),
        Optional.empty(),
        0,
        List.of(),
        Tokens.NONE,
        Cost.NONE,
        0,
        List.of(),
        Times.NONE);
  }

  /** Several targets and choices, an error, tool calls that are no JSON, messages of all roles. */
  private static SampleResult crowded() {
    var call =
        new ModelCall(
            LogFixtures.STARTED,
            0,
            "sim/demo",
            ModelCall.EVALUATED,
            List.of(new ModelCall.Span(0, 2)),
            Optional.of(2),
            Optional.of("something else"),
            CallTerms.of(
                Map.of(
                    "response_schema",
                    Map.of("name", "a", "json_schema", CallTerms.schema("{\"type\":\"object\"}"))),
                List.of(
                    new CallTerms.OfferedTool("bash", "", "{}"),
                    new CallTerms.OfferedTool("python", "x", "no schema")),
                Map.of("name", "bash")),
            new Tokens(1, 2),
            new Cost(Optional.empty(), BigDecimal.ZERO, 0, 1),
            0,
            Times.NONE,
            true,
            Optional.empty(),
            Optional.empty());
    return new SampleResult(
        "crowded",
        1,
        "ff",
        LogFixtures.STARTED,
        "Which?",
        List.of("A", "B"),
        List.of("Paris", "Rome"),
        Map.of("list", List.of(1, Map.of("a", "b")), "n", 1.5),
        List.of(
            message("system", "Be brief.", List.of()),
            message("user", "Which?", List.of()),
            message(
                "assistant",
                "",
                List.of(
                    new LogToolCall("1", "bash", "{\"cmd\": \"ls\"}"),
                    new LogToolCall("2", "bash", "not JSON"),
                    new LogToolCall("3", "bash", "[1]"))),
            new LogMessage("tool", "a", List.of(), Optional.of("1"), Optional.of("bash"), false)),
        List.of(),
        List.of(call),
        List.of(new ToolRun(LogFixtures.STARTED, 0, "2", "bash", "not JSON", "bad", true, true, 0)),
        StateHistory.NONE,
        Optional.empty(),
        Optional.empty(),
        Map.of("messages", List.of("x")),
        Map.of(
            "match", new ScoreResult(0.25, Optional.of("A"), Optional.empty(), Map.of("why", 1)),
            "nan", new ScoreResult(Double.NaN, Optional.empty(), Optional.empty(), Map.of())),
        Optional.of("the tool broke"),
        Optional.of("Broken: the tool broke\n\tat Tool.run(Tool.java:7)"),
        false,
        List.of(SampleFailure.of("once"), new SampleFailure("twice", Optional.of("a trace"))),
        Optional.empty(),
        0,
        List.of(),
        new Tokens(1, 2),
        new Cost(Optional.empty(), BigDecimal.ZERO, 0, 1),
        1,
        List.of(
            new Note(LogFixtures.STARTED, 0, "scorer", "text"),
            new Note(LogFixtures.STARTED, 0, "solver", List.of(1, 2))),
        Times.NONE);
  }

  private static LogMessage message(String role, String content, List<LogToolCall> calls) {
    return new LogMessage(role, content, calls, Optional.empty(), Optional.empty(), false);
  }

  static SampleResult with(
      SampleResult sample, Optional<SampleResult.LimitHit> limit, boolean cancelled) {
    return new SampleResult(
        sample.id(),
        sample.epoch(),
        sample.contentHash(),
        sample.started(),
        sample.input(),
        sample.targets(),
        sample.choices(),
        sample.metadata(),
        sample.messages(),
        sample.otherMessages(),
        sample.calls(),
        sample.toolRuns(),
        sample.states(),
        sample.output(),
        sample.stopReason(),
        sample.store(),
        sample.scores(),
        sample.error(),
        sample.traceback(),
        cancelled,
        sample.errorRetries(),
        limit,
        sample.retries(),
        sample.requestIds(),
        sample.tokens(),
        sample.cost(),
        sample.cachedAnswers(),
        sample.notes(),
        sample.times());
  }

  static SampleResult with(
      SampleResult sample, Map<String, ScoreResult> scores, Optional<String> error) {
    return new SampleResult(
        sample.id(),
        sample.epoch(),
        sample.contentHash(),
        sample.started(),
        sample.input(),
        sample.targets(),
        sample.choices(),
        sample.metadata(),
        sample.messages(),
        sample.otherMessages(),
        sample.calls(),
        sample.toolRuns(),
        sample.states(),
        sample.output(),
        sample.stopReason(),
        sample.store(),
        scores,
        error,
        sample.traceback(),
        sample.cancelled(),
        sample.errorRetries(),
        sample.limit(),
        sample.retries(),
        sample.requestIds(),
        sample.tokens(),
        sample.cost(),
        sample.cachedAnswers(),
        sample.notes(),
        sample.times());
  }
}
