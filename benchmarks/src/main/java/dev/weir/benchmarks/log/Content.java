package dev.weir.benchmarks.log;

import dev.weir.log.CallTerms;
import dev.weir.log.Cost;
import dev.weir.log.DatasetRecord;
import dev.weir.log.ModelCall;
import dev.weir.log.RunResult;
import dev.weir.log.RunStart;
import dev.weir.log.SampleIds;
import dev.weir.log.SampleResult;
import dev.weir.log.SampleResult.LogMessage;
import dev.weir.log.SampleResult.ScoreResult;
import dev.weir.log.StateHistory;
import dev.weir.log.Times;
import dev.weir.log.Tokens;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/** A run of questions and answers of an ordinary length, each another; the same for a seed. */
final class Content {

  private static final Instant STARTED = Instant.parse("2026-11-15T10:00:00Z");
  private static final String MODEL = "sim/bench";
  private static final String SCORER = "includes";
  private static final int QUESTION_WORDS = 30;
  private static final int ANSWER_WORDS = 25;

  private static final List<String> WORDS =
      List.of(
          "river", "stone", "which", "seven", "under", "copper", "answer", "late", "the", "of",
          "number", "between", "hour", "train", "and", "is", "first", "colour", "to", "weir");

  private final long seed;

  Content(long seed) {
    this.seed = seed;
  }

  RunStart start(int samples) {
    List<String> ids = IntStream.range(0, samples).mapToObj(Content::id).toList();
    return new RunStart(
        "bench",
        "bench",
        "bench",
        Optional.empty(),
        new DatasetRecord("bench", Optional.empty(), SampleIds.ofTexts(ids), false),
        List.of(new RunStart.Step("generate", Map.of())),
        MODEL,
        Map.of(),
        1,
        seed,
        "pace",
        100,
        List.of(SCORER),
        Map.of(),
        List.of(),
        Map.of(),
        STARTED,
        Optional.empty());
  }

  private static String id(int index) {
    return "sample-" + index;
  }

  SampleResult sample(int index) {
    var random = new SplittableRandom(seed + index);
    return sample(index, id(index), Long.toHexString(random.nextLong()));
  }

  /** The same, known to be a sample of a dataset. */
  SampleResult sample(int index, String id, String contentHash) {
    var random = new SplittableRandom(seed + index);
    String question = words(random, QUESTION_WORDS) + "?";
    String answer = words(random, ANSWER_WORDS) + ".";
    double called = 0.2 + random.nextDouble();
    var times = new Times(0.01, 0, 0, 0, called, 0, called, called + 0.01);
    var tokens = new Tokens(40, 30);
    BigDecimal usd = BigDecimal.valueOf(random.nextInt(1, 1_000), 6);
    var cost = new Cost(Optional.of(usd), usd, 1, 0);
    Instant began = STARTED.plus(Duration.ofMillis(10L * index));
    var request = "req_" + Long.toHexString(random.nextLong());
    return new SampleResult(
        id,
        1,
        contentHash,
        began,
        question,
        List.of(answer),
        List.of(),
        Map.of(),
        List.of(message("user", question), message("assistant", answer)),
        List.of(),
        List.of(
            new ModelCall(
                began,
                0,
                MODEL,
                ModelCall.EVALUATED,
                List.of(new ModelCall.Span(0, 1)),
                Optional.of(1),
                Optional.of("stop"),
                CallTerms.NONE,
                tokens,
                cost,
                0,
                times,
                false,
                Optional.of(request),
                Optional.empty())),
        List.of(),
        StateHistory.NONE,
        Optional.of(answer),
        Optional.of("stop"),
        Map.of(),
        Map.of(SCORER, new ScoreResult(1, Optional.of(answer), Optional.empty(), Map.of())),
        Optional.empty(),
        Optional.empty(),
        false,
        List.of(),
        Optional.empty(),
        0,
        List.of(request),
        tokens,
        cost,
        0,
        List.of(),
        times);
  }

  private static String words(SplittableRandom random, int count) {
    var text = new StringBuilder();
    for (int i = 0; i < count; i++) {
      text.append(i == 0 ? "" : " ").append(WORDS.get(random.nextInt(WORDS.size())));
    }
    return text.toString();
  }

  private static LogMessage message(String role, String content) {
    return new LogMessage(role, content, List.of(), Optional.empty(), Optional.empty(), false);
  }

  RunResult result(RunStart start) {
    int samples = start.samples();
    return new RunResult(
        start,
        RunResult.Status.SUCCESS,
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        STARTED.plus(Duration.ofMillis(10L * samples)),
        samples / 100.0,
        Map.of("accuracy", 1.0),
        List.of(
            new RunResult.ScorerMetrics(
                SCORER, "mean", Map.of("accuracy", 1.0), Optional.empty(), Optional.empty())),
        Optional.of(1.0),
        new RunResult.Counts(samples, samples, 0, 0),
        new Tokens(40L * samples, 30L * samples),
        Cost.NONE,
        0,
        0,
        Times.NONE,
        List.of(),
        Map.of(),
        List.of(),
        Optional.empty());
  }
}
