package dev.weir.limits.control;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.limits.control.WindowInvariants.Rules;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** All controllers keep the invariants on random traces, and the invariants can be broken. */
class WindowInvariantsTest {

  private static final int TRACES = 500;
  private static final int EVENTS_PER_TRACE = 1_000;

  @Test
  void aimdKeepsThem() {
    AimdSettings defaults = AimdSettings.defaults();
    for (AimdSettings settings :
        List.of(
            defaults,
            defaults.withBounds(1, 3, 40).withCooldown(Duration.ofSeconds(2)),
            defaults.withBounds(5, 10, 60).withRoundToFives(true),
            defaults.withBounds(1, 8, 16).withCooldown(Duration.ZERO).withDecreaseFactor(0.5))) {
      onRandomTraces(() -> new Aimd(settings), Rules.of(settings));
    }
  }

  @Test
  void halvingKeepsThem() {
    for (int max : new int[] {1, 4, 50}) {
      onRandomTraces(() -> new Halving(max), Rules.ofHalving(1, max));
      int floor = (max + 1) / 2;
      onRandomTraces(() -> new Halving(max, floor), Rules.ofHalving(floor, max));
    }
  }

  @Test
  void staticKeepsThem() {
    onRandomTraces(() -> new StaticWindow(10), Rules.ofStatic(10));
  }

  @Test
  void twoCutsInOneCooldownAreNoticed() {
    // Halving cuts at each refusal, which is no way to follow the rules of the other mode.
    AimdSettings settings = AimdSettings.defaults();
    var invariants = new WindowInvariants(new Halving(200), Rules.of(settings), 0);
    invariants.feed(new Event.RateLimited(0, Optional.empty(), Optional.empty()));
    assertThatThrownBy(
            () ->
                invariants.feed(
                    new Event.RateLimited(
                        settings.cooldown().toNanos() - 1, Optional.empty(), Optional.empty())))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("one cut per cooldown");
  }

  @Test
  void growthWithoutSaturationIsNoticed() {
    var rules = new Rules(1, 4, Optional.empty(), 5, false, 0.8, Rules.ofHalving(1, 4).reasons());
    var invariants = new WindowInvariants(new Halving(4), rules, 0);
    invariants.feed(new Event.RateLimited(0, Optional.empty(), Optional.empty()));
    for (int i = 0; i < 4; i++) {
      invariants.feed(new Event.Succeeded(i, false));
    }
    assertThatThrownBy(() -> invariants.feed(new Event.Succeeded(5, false)))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("growth needs saturation");
  }

  @Test
  void aWindowOutOfBoundsIsNoticed() {
    var invariants = new WindowInvariants(new Halving(4), Rules.ofHalving(1, 3), 0);
    assertThatThrownBy(() -> invariants.feed(new Event.TransientFailure(0)))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("min <= window <= max");
  }

  private static void onRandomTraces(Supplier<WindowControl> controls, Rules rules) {
    for (long seed = 0; seed < TRACES; seed++) {
      WindowControl control = controls.get();
      long origin = seed % 2 == 0 ? 0 : Long.MAX_VALUE - Duration.ofSeconds(20).toNanos();
      var invariants = new WindowInvariants(control, rules, origin);
      var events = new RandomEvents(seed, rules.max() + 5);
      assertThatCode(
              () -> {
                for (int i = 0; i < EVENTS_PER_TRACE; i++) {
                  invariants.feed(events.next(control.window()));
                }
              })
          .as("seed %d, %s", seed, rules)
          .doesNotThrowAnyException();
    }
  }
}
