package dev.weir.log;

import dev.weir.log.SampleResult.LimitHit;
import dev.weir.log.SampleResult.LogMessage;
import dev.weir.log.SampleResult.LogToolCall;
import dev.weir.log.SampleResult.Note;
import dev.weir.log.SampleResult.ScoreResult;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** A run with a bit of everything. */
final class LogFixtures {

  /** What a sample failed with before it was run again. */
  static final SampleFailure RETRIED =
      new SampleFailure(
          "once it failed", Optional.of("Broken: once it failed\n\tat a.B.c(B.java:1)"));

  static final Instant STARTED = Instant.parse("2026-11-15T10:11:12.5Z");

  private static final String BASH =
      """
      {"type": "object", "title": "Bash", "required": ["cmd", 1],
       "properties": {
         "cmd": {"type": "string", "minLength": 1, "$ref": "#/x"},
         "shell": {"type": ["string", "null"], "const": "sh"},
         "more": {"oneOf": [{"type": "date"}, {"items": {"type": "number", "minimum": 0}}]}}}
      """;

  /** For a journal in which nothing is damaged. */
  static final Consumer<String> NOTHING_LOST =
      told -> {
        throw new AssertionError(told);
      };

  private LogFixtures() {}

  static RunStart start(String task) {
    return new RunStart(
        "k3",
        "t1",
        task,
        Optional.of(new TaskOrigin("capitals.yaml", Optional.of("capitals"), Map.of("n", "3"))),
        new DatasetRecord(
            "capitals",
            Optional.of("capitals.csv"),
            SampleIds.ofTexts(List.of("a", "7", "c")),
            true),
        List.of(new RunStart.Step("generate", Map.of("max_tokens", 10))),
        "sim/demo",
        Map.of("grader", "sim/judge"),
        1,
        7,
        "pace",
        10,
        List.of("includes"),
        Map.of("limit", "3"),
        List.of("nightly"),
        Map.of("why", "test"),
        Instant.parse("2026-11-15T10:11:12Z"),
        Optional.empty());
  }

  /** The same, with other samples. */
  static RunStart with(RunStart start, SampleIds ids) {
    var dataset =
        new DatasetRecord(
            start.dataset().name(), start.dataset().location(), ids, start.dataset().shuffled());
    return new RunStart(
        start.runId(),
        start.taskId(),
        start.task(),
        start.origin(),
        dataset,
        start.solvers(),
        start.model(),
        start.roles(),
        start.epochs(),
        start.seed(),
        start.concurrencyMode(),
        start.maxConnections(),
        start.scorers(),
        start.config(),
        start.tags(),
        start.metadata(),
        start.started(),
        start.retryOf());
  }

  /** A run that goes on with another, a minute later. */
  static RunStart retry(RunStart start, String runId, Path earlier) {
    Instant later = start.started().plusSeconds(60);
    return begun(start, runId, later, Optional.of(earlier.toString()));
  }

  /** The same, begun at another time. */
  static RunStart begun(RunStart start, String runId, Instant when, Optional<String> retryOf) {
    return new RunStart(
        runId,
        start.taskId(),
        start.task(),
        start.origin(),
        start.dataset(),
        start.solvers(),
        start.model(),
        start.roles(),
        start.epochs(),
        start.seed(),
        start.concurrencyMode(),
        start.maxConnections(),
        start.scorers(),
        start.config(),
        start.tags(),
        start.metadata(),
        when,
        retryOf);
  }

  /** Scores the answers of a log again, a minute later. */
  static RunStart scoring(RunStart start, String runId, Path scored) {
    return scoring(start, runId, scored, start.scorers());
  }

  /** Scores the answers of a log again, a minute later. */
  static RunStart scoring(RunStart start, String runId, Path scored, List<String> scorers) {
    return new RunStart(
        runId,
        start.taskId(),
        start.task(),
        start.origin(),
        start.dataset(),
        start.solvers(),
        start.model(),
        start.roles(),
        start.epochs(),
        start.seed(),
        start.concurrencyMode(),
        start.maxConnections(),
        scorers,
        start.config(),
        start.tags(),
        start.metadata(),
        start.started().plusSeconds(60),
        Optional.empty(),
        Optional.of(scored.toString()),
        Optional.empty(),
        Optional.empty());
  }

  static SampleResult sample(String input) {
    return sample(input, 1);
  }

  static SampleResult sample(String input, int epoch) {
    return sample("a", input, epoch);
  }

  static SampleResult sample(String id, String input, int epoch) {
    return new SampleResult(
        id,
        epoch,
        "0a1b2c",
        STARTED,
        input,
        List.of("yes"),
        List.of(),
        Map.of("topic", "words"),
        List.of(
            new LogMessage("user", input, List.of(), Optional.empty(), Optional.empty(), false),
            new LogMessage(
                "assistant",
                "Yes.",
                List.of(new LogToolCall("1", "bash", "{}")),
                Optional.empty(),
                Optional.empty(),
                false),
            new LogMessage(
                "tool", "no", List.of(), Optional.of("1"), Optional.of("bash"), true, true)),
        List.of(
            new LogMessage("user", "Right?", List.of(), Optional.empty(), Optional.empty(), false)),
        List.of(
            new ModelCall(
                STARTED.plusMillis(1),
                0.001,
                "sim/demo",
                ModelCall.EVALUATED,
                List.of(new ModelCall.Span(0, 1)),
                Optional.of(1),
                Optional.of("tool_calls"),
                CallTerms.of(
                    Map.of("temperature", 0.5, "stop_seqs", List.of("END")),
                    List.of(new CallTerms.OfferedTool("bash", "Runs it.", BASH)),
                    "auto"),
                new Tokens(10, 4, 3, 2, 1),
                new Cost(Optional.of(new BigDecimal("0.25")), new BigDecimal("0.25"), 1, 0),
                2,
                new Times(0.5, 0.125, 3, 0.25, 1, 0, 1, 4.75),
                false,
                Optional.of("req_1"),
                Optional.empty()),
            new ModelCall(
                STARTED.plusSeconds(2),
                0.5,
                "sim/judge",
                "grader",
                List.of(new ModelCall.Span(1, 2), new ModelCall.Span(3, 4)),
                Optional.empty(),
                Optional.empty(),
                CallTerms.NONE,
                Tokens.NONE,
                Cost.NONE,
                0,
                Times.NONE,
                false,
                Optional.empty(),
                Optional.of("overloaded"))),
        List.of(
            new ToolRun(STARTED.plusSeconds(1), 0.25, "1", "bash", "{}", "no", true, true, 0.125)),
        new StateHistory(
            "{\"messages\":[],\"store\":{}}",
            List.of(
                new StateChange(
                    STARTED.plusMillis(1_500),
                    0.25,
                    List.of(
                        StateChange.Change.add("/store/x", "1"),
                        StateChange.Change.replace("/completed", "true", "false"),
                        StateChange.Change.remove("/messages/0"))))),
        Optional.of("Yes."),
        Optional.of("tool_calls"),
        Map.of("x", 1),
        Map.of(
            "includes", new ScoreResult(1, Optional.empty(), Optional.of("it is there"), Map.of())),
        Optional.empty(),
        Optional.empty(),
        false,
        List.of(RETRIED),
        Optional.of(new LimitHit("token", 12, 10, "too many")),
        2,
        List.of("req_1"),
        new Tokens(10, 4),
        Cost.NONE,
        0,
        List.of(new Note(STARTED.plusMillis(1_200), 0.5, "solver", Map.of("x", 1))),
        new Times(0.5, 0.125, 3, 0.25, 1, 0, 1, 4.75));
  }

  static SampleResult cancelled(String input, int epoch) {
    SampleResult whole = sample(input, epoch);
    return new SampleResult(
        whole.id(),
        epoch,
        whole.contentHash(),
        whole.started(),
        input,
        whole.targets(),
        whole.choices(),
        whole.metadata(),
        whole.messages(),
        whole.otherMessages(),
        whole.calls(),
        whole.toolRuns(),
        whole.states(),
        Optional.empty(),
        Optional.empty(),
        whole.store(),
        Map.of(),
        Optional.empty(),
        Optional.empty(),
        true,
        whole.errorRetries(),
        Optional.empty(),
        whole.retries(),
        whole.requestIds(),
        whole.tokens(),
        whole.cost(),
        whole.cachedAnswers(),
        whole.notes(),
        whole.times());
  }

  static RunResult result(RunStart start) {
    return new RunResult(
        start,
        RunResult.Status.SUCCESS,
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Instant.parse("2026-11-15T10:11:15.5Z"),
        3.5,
        Map.of("accuracy", 0.5),
        List.of(
            new RunResult.ScorerMetrics(
                "includes",
                "mean",
                Map.of("accuracy", 0.5),
                Optional.of(new RunResult.Range(0.25, 0.75, Optional.of("Wilson"))),
                Optional.of(1))),
        Optional.of(0.25),
        new RunResult.Counts(3, 1, 1, 1),
        new Tokens(10, 4),
        Cost.NONE,
        0,
        2,
        Times.NONE,
        List.of(),
        Map.of("token", 1),
        List.of(new RunResult.FailedSample("7", 1, "it broke")),
        Optional.empty());
  }
}
