package dev.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.eval.run.ModelProgress;
import dev.weir.limits.Lane;
import dev.weir.limits.event.Constraint;
import dev.weir.limits.header.Dimension;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BottleneckTest {

  private static String sentence(int sandboxes, ModelProgress... models) {
    return Bottleneck.sentence(List.of(Moments.run("t", 100, 1, 0, 5)), List.of(models), sandboxes);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "QUOTA           | waiting on tokens per minute of a/m, next in 1.2 s",
        "PACE            | waiting on tokens per minute of a/m, next in 1.2 s",
        "HOLD            | waiting as a/m asked (retry-after), next in 1.2 s",
        "BACKOFF         | backing off after 429 of a/m, 2 to try again, next in 1.2 s",
        "WINDOW          | calling a/m: 10 are in flight, and 3 wait",
        "TURN            | calling a/m",
        "CIRCUIT         | a/m is unavailable: probing periodically, next in 1.2 s",
        "OVERLOAD        | a/m is overloaded: sending fewer calls, next in 1.2 s",
        "MAX_CONCURRENCY | waiting on max-concurrency, calling a/m",
        "DELAY           | waiting on delay between calls of a/m, next in 1.2 s",
      })
  void saysInWordsWhatHoldsCalls(Constraint constraint, String words) {
    var lane = new Lane.Status(10, 10, 3, 2, 0);
    assertThat(
            sentence(
                0, Moments.model("a/m", lane, constraint, Optional.of(Duration.ofMillis(1_200)))))
        .isEqualTo(words);
  }

  /** More of the tokens is used, but it is not they that are waited for. */
  @Test
  void theQuotaThatIsDueLastIsNamedAndNotTheOneThatIsUsedMost() {
    var lane = new Lane.Status(10, 10, 3, 2, 0);
    Optional<Duration> wait = Optional.of(Duration.ofMillis(1_200));
    assertThat(
            sentence(
                0,
                Moments.model(
                    "a/m", lane, Constraint.QUOTA, Optional.of(Dimension.REQUESTS), wait)))
        .isEqualTo("waiting on requests per minute of a/m, next in 1.2 s");
    assertThat(
            sentence(
                0,
                Moments.model(
                    "a/m", lane, Constraint.PACE, Optional.of(Dimension.INPUT_TOKENS), wait)))
        .as("no quota of that is known")
        .isEqualTo("waiting on the pace of a/m, next in 1.2 s");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "PACE  | REQUESTS | 60     | waiting on --rpm 60 of a/m",
        "PACE  | REQUESTS | 0.5    | waiting on --rpm 0.5 of a/m",
        "PACE  | TOKENS   | 200000 | waiting on --tpm 200000 of a/m",
        "QUOTA | REQUESTS | 60     | waiting on requests per minute of a/m",
      })
  void anOptionThatAllowsLessThanTheProviderIsNamed(
      Constraint constraint, Dimension dimension, double perMinute, String words) {
    ModelProgress usual =
        Moments.model(
            "a/m",
            new Lane.Status(1, 10, 3, 0, 0),
            constraint,
            Optional.of(dimension),
            Optional.empty());
    ModelProgress limited =
        new ModelProgress(
            usual.model(),
            usual.lane(),
            usual.waitingFor(),
            usual.waitsFor(),
            usual.refusals(),
            usual.lastFailure(),
            List.of(new ModelProgress.Rate(dimension, 12, OptionalDouble.of(perMinute), true)),
            usual.spend());
    assertThat(sentence(0, limited)).isEqualTo(words);
  }

  @Test
  void theModelWithTheLongestLineTells() {
    ModelProgress few =
        Moments.model("a/few", new Lane.Status(1, 1, 1, 0, 0), Constraint.PACE, Optional.empty());
    ModelProgress many =
        Moments.model("b/many", new Lane.Status(1, 1, 9, 0, 0), Constraint.PACE, Optional.empty());
    assertThat(sentence(3, few, many)).isEqualTo("waiting on tokens per minute of b/many");
  }

  @Test
  void withoutALineItIsSandboxesCallsOrWork() {
    ModelProgress idle = Moments.model("a/m", Moments.IDLE, Constraint.NOTHING, Optional.empty());
    ModelProgress calling =
        Moments.model("a/m", new Lane.Status(7, 10, 0, 0, 0), Constraint.NOTHING, Optional.empty());
    assertThat(sentence(1, idle)).isEqualTo("waiting for sandboxes: 1 sample");
    assertThat(sentence(0, calling)).isEqualTo("calling: 7 in flight, none waiting");
    assertThat(sentence(0, idle)).isEqualTo("working: solvers, tools and scorers");
    assertThat(Bottleneck.sentence(List.of(Moments.run("t", 9, 0, 0, 0)), List.of(idle), 0))
        .isEqualTo("starting");
  }

  @Test
  void namesMaxSamplesWhereNothingElseHoldsThemUp() {
    ModelProgress calling =
        Moments.model("a/m", new Lane.Status(2, 10, 0, 0, 0), Constraint.NOTHING, Optional.empty());
    var full = Moments.bounded(Moments.run("t", 10, 1, 0, 2), 2);
    assertThat(Bottleneck.sentence(List.of(full), List.of(calling), 0))
        .isEqualTo("waiting on max-samples: 2 samples are open, and 7 wait");
    assertThat(Bottleneck.sentence(List.of(full), List.of(calling), 1))
        .isEqualTo("waiting for sandboxes: 1 sample");
    assertThat(
            Bottleneck.sentence(
                List.of(Moments.bounded(Moments.run("t", 3, 1, 0, 2), 2)), List.of(calling), 0))
        .as("all that are left are open")
        .isEqualTo("calling: 2 in flight, none waiting");
  }

  @Test
  void whatHasEndedIsNotStarting() {
    ModelProgress idle = Moments.model("a/m", Moments.IDLE, Constraint.NOTHING, Optional.empty());
    assertThat(Bottleneck.sentence(List.of(Moments.run("t", 9, 9, 0, 0)), List.of(idle), 0))
        .isEqualTo("done");
  }

  @Test
  void saysWhyNoMoreIsBegun() {
    var ending = Moments.ending(Moments.run("t", 10, 4, 0, 3), "no credit is left");
    var idle = List.of(Moments.model("a/m", Moments.IDLE, Constraint.NOTHING, Optional.empty()));
    assertThat(Bottleneck.sentence(List.of(ending), idle, 0))
        .isEqualTo("ending: no credit is left; 3 samples open");
    var done = Moments.run("t", 9, 9, 0, 0);
    assertThat(Bottleneck.sentence(List.of(done, ending), idle, 0)).startsWith("ending: ");
    var other = Moments.run("t", 10, 4, 0, 3);
    assertThat(Bottleneck.sentence(List.of(other, ending), idle, 0))
        .as("others go on")
        .startsWith("working");
    assertThat(Bottleneck.sentence(List.of(Moments.paused(ending, "calls are held")), idle, 0))
        .startsWith("paused");
  }

  @Test
  void aPauseIsToldBeforeAllElse() {
    var run = Moments.paused(Moments.run("t", 10, 4, 0, 3), "calls are held");
    assertThat(Bottleneck.sentence(List.of(run), List.of(Moments.waitingForTokens()), 0))
        .isEqualTo("paused: calls are held; 3 samples open");
  }
}
