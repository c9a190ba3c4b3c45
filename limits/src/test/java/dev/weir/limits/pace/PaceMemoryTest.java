package dev.weir.limits.pace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import dev.weir.limits.event.Constraint;
import dev.weir.limits.event.LimitEvent.LimitLearned;
import dev.weir.limits.event.LimitEvent.Source;
import dev.weir.limits.header.Dimension;
import dev.weir.limits.header.ResponseFacts;
import dev.weir.limits.pace.Observation.Answered;
import dev.weir.limits.pace.Observation.Refused;
import dev.weir.limits.pace.Observation.Sent;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PaceMemoryTest {

  private static final long NOW = 1_800_000_000_000L;
  private static final long HOUR = 3_600_000L;
  private static final long SECOND = 1_000_000_000L;

  private static PaceMemory memory(double requestsPerSecond) {
    return new PaceMemory(
        PaceMemory.VERSION,
        NOW,
        OptionalDouble.of(requestsPerSecond),
        OptionalDouble.empty(),
        OptionalInt.empty());
  }

  private static PaceController remembering(PaceMemory memory, long epochMillis) {
    return new PaceController(PaceSettings.defaults(), Optional.of(memory), epochMillis, 1, 0);
  }

  private static double pace(PaceController controller) {
    return controller.slice(0, 0, Slice.NO_END).gates().stream()
        .filter(gate -> gate.constraint() == Constraint.PACE)
        .mapToDouble(Slice.Gate::perSecond)
        .findFirst()
        .orElseThrow();
  }

  @ParameterizedTest
  @CsvSource({
    "0, 8.0",
    "0.9, 8.0",
    "24, 4.0",
    "100, 4.0",
    "12.5, 6.0",
    "-1, 4.0",
  })
  void isTrustedLessTheOlderItIs(double hours, double expected) {
    long later = NOW + Math.round(hours * HOUR);
    assertThat(pace(remembering(memory(10), later))).isCloseTo(expected, within(1e-6));
  }

  @Test
  void isForgottenAfterAWeek() {
    PaceController controller = remembering(memory(100), NOW + 8 * 24 * HOUR);
    assertThat(pace(controller)).isEqualTo(8);
    assertThat(controller.drainEvents()).isEmpty();
    assertThat(controller.memory(NOW)).isEmpty();
  }

  @Test
  void isMadeKnownAndWhatTheUserStatesComesFirst() {
    assertThat(remembering(memory(10), NOW).drainEvents())
        .containsExactly(new LimitLearned(Dimension.REQUESTS, 8, Source.REMEMBERED));
    var stated = new PaceSettings(10, OptionalDouble.of(1_200), OptionalDouble.empty(), false);
    var controller = new PaceController(stated, Optional.of(memory(10)), NOW, 1, 0);
    assertThat(pace(controller)).isBetween(19.0, 20.0);
    assertThat(controller.drainEvents())
        .containsExactly(new LimitLearned(Dimension.REQUESTS, 20, Source.STATED));
  }

  @Test
  void aCapIsKnownFromTheStart() {
    var memory =
        new PaceMemory(1, NOW, OptionalDouble.empty(), OptionalDouble.empty(), OptionalInt.of(24));
    Slice fresh = remembering(memory, NOW).slice(0, 0, Slice.NO_END);
    assertThat(fresh.window()).isEqualTo(24);
    // No pace but the one that bounds how many could be refused at once.
    assertThat(fresh.gates()).hasSize(1).allMatch(gate -> gate.perSecond() > 100);
    assertThat(remembering(memory, NOW + 24 * HOUR).slice(0, 0, Slice.NO_END).window())
        .isEqualTo(12);
  }

  @Test
  void holdsWhatRefusalsConfirmed() {
    var controller = new PaceController(PaceSettings.defaults(), 1, 0);
    assertThat(controller.memory(NOW)).isEmpty();
    // Ten a second are let through; what comes faster is refused.
    long id = 0;
    double level = 1;
    for (int i = 0; i < 3_000; i++) {
      long now = i * SECOND / 50;
      level = Math.min(5, level + 10.0 / 50);
      controller.apply(new Observation.Waiting(now, Cost.ONE_REQUEST));
      if (controller.slice(now, 0, Slice.NO_END).waitNanos(now, Cost.ONE_REQUEST) == 0) {
        controller.apply(new Sent(now, ++id, Cost.ONE_REQUEST));
        boolean accepted = level >= 1;
        level -= accepted ? 1 : 0;
        controller.apply(
            accepted
                ? new Answered(now + SECOND / 100, id, Cost.ONE_REQUEST)
                : new Refused(now + SECOND / 100, id, ResponseFacts.NONE));
      }
    }
    PaceMemory learned = controller.memory(NOW).orElseThrow();
    assertThat(learned.learnedAtMillis()).isEqualTo(NOW);
    assertThat(learned.requestsPerSecond().orElseThrow()).isBetween(8.5, 11.5);
    assertThat(learned.tokensPerSecond()).isEmpty();
    assertThat(learned.cap()).isEmpty();
    assertThat(controller.drainEvents())
        .anyMatch(
            event ->
                event instanceof LimitLearned(var dimension, _, var source)
                    && dimension == Dimension.REQUESTS
                    && source == Source.OBSERVED);
  }

  /** A run that was never refused has nothing better; the age tells. */
  @Test
  void isPassedOnUntilSomethingBetterIsKnown() {
    assertThat(remembering(memory(10), NOW + HOUR).memory(NOW + 2 * HOUR)).contains(memory(10));
  }

  @Test
  void isOneLineAndComesBackAsItWas() {
    var all =
        new PaceMemory(
            1, NOW, OptionalDouble.of(9.7), OptionalDouble.of(1e4 / 3), OptionalInt.of(25));
    assertThat(all.encode())
        .isEqualTo(
            "weir-pace version=1 learned=1800000000000 requests_per_second=9.7"
                + " tokens_per_second=3333.3333333333335 cap=25");
    for (PaceMemory memory : List.of(all, memory(0.01))) {
      assertThat(PaceMemory.parse(memory.encode() + "\n")).contains(memory);
    }
    assertThat(PaceMemory.parse(all.encode() + " colour=blue note")).contains(all);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "weir-pace",
        "version=1 learned=5",
        "weir-pace version=2 learned=5",
        "weir-pace version=1",
        "weir-pace version=1 learned=-5",
        "weir-pace version=1 learned=NaN",
        "weir-pace version=1 learned=1e300",
        "weir-pace version=x learned=5",
        "weir-pace version= learned==",
      })
  void whatCannotBeReadIsNothingToStartFrom(String line) {
    assertThat(PaceMemory.parse(line)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"NaN", "-1", "0", "Infinity", "1e99", "1e-99", "many", ""})
  void absurdValuesAreLeftOut(String value) {
    assertThat(
            PaceMemory.parse(
                "weir-pace version=1 learned=7 requests_per_second=%s tokens_per_second=%s cap=%s"
                    .formatted(value, value, value)))
        .contains(
            new PaceMemory(
                1, 7, OptionalDouble.empty(), OptionalDouble.empty(), OptionalInt.empty()));
    assertThat(PaceMemory.parse("weir-pace version=1 learned=7 cap=2.5").orElseThrow().cap())
        .isEmpty();
  }

  @Test
  void damagedLinesNeverThrow() {
    var random = new SplittableRandom(5);
    String line = memory(10).encode();
    for (int i = 0; i < 5_000; i++) {
      StringBuilder damaged = new StringBuilder(line);
      for (int j = random.nextInt(1, 6); j > 0; j--) {
        damaged.setCharAt(random.nextInt(damaged.length()), (char) random.nextInt(32, 127));
      }
      damaged.setLength(random.nextInt(damaged.length() + 1));
      PaceMemory.parse(damaged.toString())
          .ifPresent(memory -> assertThat(remembering(memory, NOW)).isNotNull());
    }
    assertThat(PaceMemory.parse("x".repeat(100_000))).isEmpty();
  }

  @Test
  void impossibleValuesAreRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> memory(0))
        .withMessageContaining("`requestsPerSecond` must be from");
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                new PaceMemory(
                    9, 0, OptionalDouble.empty(), OptionalDouble.empty(), OptionalInt.empty()))
        .withMessage("`version` must be 1, was 9");
  }

  @Test
  void tellsWhatARunStartsWith() {
    var known =
        new PaceMemory(
            PaceMemory.VERSION,
            NOW,
            OptionalDouble.of(10),
            OptionalDouble.of(0.001),
            OptionalInt.of(40));
    PaceMemory fresh = known.startAt(NOW).orElseThrow();
    assertThat(fresh.requestsPerSecond().getAsDouble()).isCloseTo(8, within(1e-9));
    assertThat(fresh.tokensPerSecond()).as("less than any rate").isEmpty();
    assertThat(fresh.cap()).hasValue(40);
    PaceMemory old = known.startAt(NOW + 24 * HOUR).orElseThrow();
    assertThat(old.requestsPerSecond().getAsDouble()).isCloseTo(4, within(1e-9));
    assertThat(old.cap()).hasValue(20);
    assertThat(known.startAt(NOW + 8 * 24 * HOUR)).isEmpty();
  }
}
