package dev.weir.limits.control;

import dev.weir.limits.control.WindowChange.Reason;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * The documented rules of mode {@code aimd} a second time, to compare {@link Aimd} with.
 *
 * <p>Shares nothing with it but the settings: it keeps no counters but looks back over the list of
 * events at each of them, its cooldowns are intervals, and it reckons in decimals. As slow as it is
 * plain.
 */
final class DocumentedAimd {

  /** A stretch of time in which nothing counts, the end excluded. */
  private record Cooldown(long begin, long end) {}

  private final AimdSettings settings;
  private final List<Event> events;
  private final long origin;

  private final List<Integer> windows = new ArrayList<>();
  private final List<WindowChange> changes = new ArrayList<>();
  private final List<Cooldown> cooldowns = new ArrayList<>();
  private final List<Boolean> cooling = new ArrayList<>();
  private final List<Integer> roundEnds = new ArrayList<>();
  private int max;

  private DocumentedAimd(AimdSettings settings, List<Event> events, long origin) {
    this.settings = settings;
    this.events = events;
    this.origin = origin;
    this.max = settings.max();
  }

  static DocumentedAimd of(AimdSettings settings, List<Event> events, long origin) {
    var documented = new DocumentedAimd(settings, events, origin);
    int window = settings.start();
    for (int i = 0; i < events.size(); i++) {
      window = documented.after(i, window);
      documented.windows.add(window);
    }
    return documented;
  }

  /** The window after each event. */
  List<Integer> windows() {
    return windows;
  }

  /** All changes, not only the latest 200. */
  List<WindowChange> changes() {
    return changes;
  }

  /** How many refusals cut nothing because they came in a cooldown. */
  long debounced() {
    return IntStream.range(0, events.size())
        .filter(i -> events.get(i) instanceof Event.RateLimited && cooling.get(i))
        .count();
  }

  private int after(int index, int window) {
    Event event = events.get(index);
    cooling.add(cooldowns.stream().anyMatch(c -> event.at() >= c.begin && event.at() < c.end));
    return switch (event) {
      case Event.Acquired _, Event.TransientFailure _, Event.QuotaSeen _ -> window;
      case Event.Succeeded _ -> endsRound(index, window) ? afterRound(index, window) : window;
      case Event.RateLimited refusal -> cooling.get(index) ? window : cut(refusal, window);
      case Event.Retuned(long at, int newMax) -> {
        max = newMax;
        int bounded = window > max ? max : Math.max(window, min());
        yield changed(at, window, bounded, Reason.MANUAL);
      }
    };
  }

  private int min() {
    return Math.min(settings.min(), max);
  }

  private int cut(Event.RateLimited refusal, int window) {
    Duration wait = settings.cooldown();
    Optional<Duration> hint =
        refusal.retryAfter().isPresent() ? refusal.retryAfter() : refusal.reset();
    if (hint.isPresent() && hint.get().toNanos() > wait.toNanos()) {
      wait = hint.get();
    }
    cooldowns.add(new Cooldown(refusal.at(), refusal.at() + wait.toNanos()));
    int left = times(window, settings.decreaseFactor(), RoundingMode.DOWN);
    if (settings.roundToFives() && left >= 10) {
      left -= left % 5;
    }
    return changed(refusal.at(), window, Math.max(left, min()), Reason.RATE_LIMIT);
  }

  /** Whether the event at {@code index} is the answer that makes its round complete. */
  private boolean endsRound(int index, int window) {
    return counts(index)
        && IntStream.rangeClosed(roundBegin(index), index).filter(this::counts).count()
            >= Math.max(4, window);
  }

  private int afterRound(int index, int window) {
    int peak =
        IntStream.rangeClosed(roundBegin(index), index)
            .filter(i -> !cooling.get(i))
            .map(i -> events.get(i) instanceof Event.Acquired(_, int inFlight) ? inFlight : 0)
            .max()
            .orElseThrow();
    roundEnds.add(index);
    if (peak * 10 < window * 8) {
      return window;
    }
    long at = events.get(index).at();
    if (events.subList(0, index).stream().noneMatch(Event.RateLimited.class::isInstance)) {
      return changed(at, window, Math.min(window * 2, max), Reason.SLOW_START);
    }
    int grown =
        window + Math.max(1, times(window, settings.scaleUpPercent(), RoundingMode.HALF_EVEN));
    while (settings.roundToFives() && grown >= 10 && grown % 5 != 0) {
      grown++;
    }
    return changed(at, window, Math.min(grown, max), Reason.STEADY_STATE_UP);
  }

  /** The first event after the last refusal, or after the last complete round. */
  private int roundBegin(int index) {
    return IntStream.range(0, index)
        .filter(i -> events.get(i) instanceof Event.RateLimited || roundEnds.contains(i))
        .map(i -> i + 1)
        .max()
        .orElse(0);
  }

  private boolean counts(int index) {
    return events.get(index) instanceof Event.Succeeded(_, boolean neutral)
        && !neutral
        && !cooling.get(index);
  }

  private int changed(long at, int from, int to, Reason reason) {
    if (from != to) {
      changes.add(new WindowChange(origin + at, from, to, reason));
    }
    return to;
  }

  private static int times(int window, double factor, RoundingMode rounding) {
    return BigDecimal.valueOf(factor)
        .multiply(BigDecimal.valueOf(window))
        .setScale(0, rounding)
        .intValueExact();
  }
}
