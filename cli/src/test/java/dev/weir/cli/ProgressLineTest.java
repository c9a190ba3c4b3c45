package dev.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.eval.run.RunProgress;
import dev.weir.limits.Lane;
import dev.weir.limits.Waiting;
import dev.weir.limits.event.Constraint;
import dev.weir.log.Tokens;
import dev.weir.model.price.Spend;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ProgressLineTest {

  private static RunView progress(
      int total,
      int done,
      Lane.Status lane,
      Constraint constraint,
      Optional<Duration> waitsFor,
      Duration elapsed) {
    var run =
        new RunProgress(
            "t",
            "sim/demo",
            total,
            done,
            0,
            1,
            lane.inFlight(),
            Optional.empty(),
            Optional.empty(),
            lane,
            new Waiting(constraint, "sim/demo", OptionalLong.empty()),
            waitsFor,
            Tokens.NONE,
            Spend.NONE,
            elapsed,
            Optional.empty(),
            Optional.empty(),
            false);
    var model = Moments.model("sim/demo", lane, constraint, waitsFor);
    return new RunView(run, new Outlook(0).left(run), Bottleneck.limit(run, List.of(model), 0));
  }

  @Test
  void theCountsComeFirst() {
    var lane = new Lane.Status(200, 200, 5, 0, 1_234);
    RunView progress =
        progress(20_000, 12_345, lane, Constraint.WINDOW, Optional.empty(), Duration.ofHours(2));
    assertThat(ProgressLine.plain(progress))
        .isEqualTo(
            "12345/20000 · 200/200 in flight · 1234 retries · 2:00:00 · ETA 1:14:24"
                + " · 5 wait for calls to end");
  }

  /** Not even one that has no sample open is silent about it. */
  @Test
  void saysThatARunIsPaused() {
    var run =
        new RunView(
            Moments.paused(Moments.run("t", 10, 4, 0, 0), "calls are held"),
            Optional.empty(),
            Optional.empty());
    assertThat(ProgressLine.plain(run)).endsWith("· paused: calls are held").doesNotContain("ETA");
    var other = new RunView(Moments.run("u", 10, 4, 0, 3), Optional.empty(), Optional.empty());
    assertThat(ShownEvaluation.plainLines(List.of(run, other)))
        .hasSize(2)
        .anySatisfy(line -> assertThat(line).contains("paused: calls are held"));
  }

  @Test
  void saysThatARunIsEnding() {
    var run =
        new RunView(
            Moments.ending(Moments.run("t", 10, 4, 1, 3), "no credit is left"),
            Optional.of(Duration.ofSeconds(9)),
            Optional.empty());
    assertThat(ProgressLine.plain(run)).endsWith("· ending: 3 samples open").doesNotContain("ETA");
    assertThat(run.eta()).as("not all of it will be run").isEqualTo("--:--");
  }

  @Test
  void saysWhenEverythingWaitsToBeTriedAgain() {
    var lane = new Lane.Status(0, 10, 0, 3, 24);
    var progress =
        progress(
            3,
            0,
            lane,
            Constraint.BACKOFF,
            Optional.of(Duration.ofMillis(14_200)),
            Duration.ofSeconds(575));
    assertThat(ProgressLine.plain(progress))
        .isEqualTo("0/3 · 0 in flight · 24 retries · 09:35 · 3 to try again, next in 15 s");
  }

  @Test
  void saysWhatLimitsTheRun() {
    var lane = new Lane.Status(31, 2_000, 400, 0, 0);
    var progress =
        progress(500, 100, lane, Constraint.QUOTA, Optional.empty(), Duration.ofSeconds(10));
    assertThat(ProgressLine.plain(progress))
        .isEqualTo(
            "100/500 · 31 in flight · 0 retries · 00:10 · ETA 00:40"
                + " · waiting on tokens per minute of sim/demo");
  }

  @Test
  void saysThatSamplesWaitForEachOther() {
    RunProgress run = Moments.bounded(Moments.run("t", 100, 10, 0, 2), 2);
    var free = Moments.model("a/m", Moments.IDLE, Constraint.NOTHING, Optional.empty());
    Optional<String> limit = Bottleneck.limit(run, List.of(free), 0);
    assertThat(ProgressLine.plain(new RunView(run, Optional.empty(), limit)))
        .endsWith("· waiting on max-samples: 2 samples are open, and 88 wait");
    assertThat(Bottleneck.limit(Moments.bounded(run, 3), List.of(free), 0)).isEmpty();
    assertThat(Bottleneck.limit(run, List.of(Moments.waitingForTokens()), 0).orElseThrow())
        .startsWith("waiting on tokens per minute");
  }

  @Test
  void saysHowManyAttemptsHung() {
    var lane = new Lane.Status(31, 2_000, 0, 0, 3, 2, Duration.ofMillis(60_004), false);
    var progress =
        progress(500, 100, lane, Constraint.NOTHING, Optional.empty(), Duration.ofSeconds(10));
    assertThat(ProgressLine.plain(progress))
        .startsWith("100/500 · 31 in flight · 3 retries · 2 abandoned after 60 s · 00:10");
  }

  /** As many are in flight as may be, so the count would be the limit. */
  @Test
  void limitsOfEnginesAreNotCounted() {
    var lane = new Lane.Status(17, 2_000, 5, 0, 3, 0, Duration.ZERO, true);
    RunView view =
        progress(500, 100, lane, Constraint.ENGINE_LIMIT, Optional.empty(), Duration.ofSeconds(10));
    assertThat(ProgressLine.plain(view))
        .startsWith("100/500 · 3 retries · 00:10 ")
        .contains("the engine limit of")
        .doesNotContain("17");
    for (Constraint constraint : Constraint.values()) {
      var model = Moments.model("sim/demo", lane, constraint, Optional.empty());
      assertThat(Bottleneck.sentence(Optional.empty(), 3, List.of(model), 0))
          .as(constraint.name())
          .doesNotContain("17");
      assertThat(String.join("\n", new ModelTable(List.of(model), false).lines(120, 9)))
          .as(constraint.name())
          .doesNotContain("17");
    }
    var idle = new Lane.Status(17, 2_000, 0, 0, 3, 0, Duration.ZERO, true);
    var calling = Moments.model("sim/demo", idle, Constraint.NOTHING, Optional.empty());
    assertThat(Bottleneck.sentence(Optional.empty(), 3, List.of(calling), 0))
        .isEqualTo("calling: none waiting");
  }

  @Test
  void oneRetryIsOne() {
    var lane = new Lane.Status(1, 10, 0, 0, 1);
    RunView one = progress(3, 0, lane, Constraint.NOTHING, Optional.empty(), Duration.ofSeconds(1));
    assertThat(ProgressLine.plain(one)).contains(" · 1 retry · ");
  }

  @Test
  void scoresHaveTheirInterval() {
    assertThat(ProgressLine.score(Moments.run("t", 100, 0, 0, 1))).isEqualTo("–");
    assertThat(ProgressLine.score(Moments.run("t", 100, 40, 0, 1)))
        .isEqualTo("0.750 [0.598, 0.858]");
  }

  @Test
  void plainLinesAreOfTheRunsThatGoOn() {
    RunView going = Moments.view("b", 100, 10, 1, 5);
    assertThat(ShownEvaluation.plainLines(List.of(going)))
        .containsExactly(
            "11/100 · 1 failed · 5/40 in flight · 3 retries · 0.700 [0.397, 0.892] · 00:35 · ETA"
                + " 04:43");
    assertThat(
            ShownEvaluation.plainLines(
                List.of(Moments.view("a", 100, 100, 0, 0), going, Moments.view("c", 9, 0, 0, 0))))
        .containsExactly(
            "b on openai/gpt-4o-mini: 11/100 · 1 failed · 5/40 in flight · 3 retries · 0.700"
                + " [0.397, 0.892] · 00:35 · ETA 04:43");
    List<RunView> many =
        IntStream.range(0, 25).mapToObj(i -> Moments.view("t" + i, 100, 10, 0, 1)).toList();
    assertThat(ShownEvaluation.plainLines(many)).hasSize(11).endsWith("and 15 more");
  }
}
