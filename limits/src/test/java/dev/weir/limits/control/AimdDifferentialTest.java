package dev.weir.limits.control;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limits.control.WindowChange.Reason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** {@link Aimd} against {@link DocumentedAimd}, on random traces. */
class AimdDifferentialTest {

  private static final int TRACES_PER_SETTING = 300;
  private static final int EVENTS_PER_TRACE = 300;

  /** A clock that runs over soon after the trace has begun. */
  private static final long LATE_ORIGIN = Long.MAX_VALUE - Duration.ofSeconds(20).toNanos();

  private static final AimdSettings DEFAULTS = AimdSettings.defaults();

  private static final List<AimdSettings> SETTINGS =
      List.of(
          DEFAULTS,
          DEFAULTS.withRoundToFives(true),
          DEFAULTS.withBounds(10, 20, 100).withRoundToFives(true),
          DEFAULTS.withBounds(1, 4, 50),
          DEFAULTS.withBounds(1, 1, 8).withCooldown(Duration.ofSeconds(1)),
          DEFAULTS.withBounds(2, 7, 30).withRoundToFives(true).withCooldown(Duration.ofSeconds(3)),
          DEFAULTS.withBounds(4, 9, 60).withDecreaseFactor(0.5).withScaleUpPercent(0.25),
          DEFAULTS.withBounds(1, 5, 40).withCooldown(Duration.ZERO).withScaleUpPercent(1),
          DEFAULTS.withBounds(6, 6, 6),
          DEFAULTS.withBounds(3, 12, 25).withDecreaseFactor(0.9).withScaleUpPercent(0.1));

  @Test
  void agreesWithTheDocumentedRulesOnRandomTraces() {
    Map<Reason, Integer> seen = new EnumMap<>(Reason.class);
    long debounced = 0;
    for (int setting = 0; setting < SETTINGS.size(); setting++) {
      for (int trace = 0; trace < TRACES_PER_SETTING; trace++) {
        long seed = 1_000L * setting + trace;
        DocumentedAimd documented = compare(SETTINGS.get(setting), seed);
        debounced += documented.debounced();
        documented.changes().forEach(change -> seen.merge(change.reason(), 1, Integer::sum));
      }
    }
    // The traces must reach every rule, or agreement means nothing.
    assertThat(seen)
        .containsOnlyKeys(
            Reason.SLOW_START, Reason.STEADY_STATE_UP, Reason.RATE_LIMIT, Reason.MANUAL)
        .allSatisfy((_, count) -> assertThat(count).isGreaterThan(1_000));
    assertThat(debounced).isGreaterThan(1_000);
  }

  private static DocumentedAimd compare(AimdSettings settings, long seed) {
    long origin = seed % 2 == 0 ? 0 : LATE_ORIGIN;
    var aimd = new Aimd(settings);
    var events = new RandomEvents(seed, settings.max());
    List<Event> trace = new ArrayList<>();
    List<Integer> windows = new ArrayList<>();
    for (int i = 0; i < EVENTS_PER_TRACE; i++) {
      Event event = events.next(aimd.window());
      event.applyTo(aimd, origin);
      trace.add(event);
      windows.add(aimd.window());
    }
    var documented = DocumentedAimd.of(settings, trace, origin);
    for (int i = 0; i < EVENTS_PER_TRACE; i++) {
      if (!windows.get(i).equals(documented.windows().get(i))) {
        throw new AssertionError(
            "seed %d, %s: window %d instead of %d after event %d, %s"
                .formatted(
                    seed, settings, windows.get(i), documented.windows().get(i), i, trace.get(i)));
      }
    }
    assertThat(aimd.history())
        .as("history, seed %d, %s", seed, settings)
        .isEqualTo(latest(documented.changes()));
    return documented;
  }

  private static List<WindowChange> latest(List<WindowChange> changes) {
    return changes.subList(Math.max(0, changes.size() - 200), changes.size());
  }
}
