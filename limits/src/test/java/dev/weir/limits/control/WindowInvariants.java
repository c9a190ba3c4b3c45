package dev.weir.limits.control;

import dev.weir.limits.control.WindowChange.Reason;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What holds for every controller whatever happens, checked at each event it is fed with.
 *
 * <ul>
 *   <li>{@code min <= window <= max}, with the bounds that are in force.
 *   <li>At most one cut per cooldown, whose length the refusal that cut has set.
 *   <li>Each move is in the history once, with its time, and the history is as long as it may be.
 *   <li>Up only at a clean answer, when enough of them came since the last cut or growth and, where
 *       that is the rule, the window was in use. Down only at a refusal or a low quota.
 * </ul>
 */
final class WindowInvariants {

  /**
   * What the modes differ in.
   *
   * @param cooldown the least time between two cuts, if that is a rule
   * @param fewestAnswers clean answers needed to grow, whatever the window
   * @param wholeRound whether as many answers are needed as the window is wide
   * @param saturation the share of the window that must have been in flight to grow
   */
  record Rules(
      int min,
      int max,
      Optional<Duration> cooldown,
      int fewestAnswers,
      boolean wholeRound,
      double saturation,
      Set<Reason> reasons) {

    static Rules of(AimdSettings settings) {
      return new Rules(
          settings.min(),
          settings.max(),
          Optional.of(settings.cooldown()),
          4,
          true,
          0.8,
          Set.of(Reason.SLOW_START, Reason.STEADY_STATE_UP, Reason.RATE_LIMIT, Reason.MANUAL));
    }

    static Rules ofHalving(int min, int max) {
      return new Rules(
          min,
          max,
          Optional.empty(),
          5,
          false,
          0,
          Set.of(Reason.RECOVERED, Reason.RATE_LIMIT, Reason.HEADER, Reason.MANUAL));
    }

    static Rules ofStatic(int window) {
      return new Rules(
          window, window, Optional.empty(), Integer.MAX_VALUE, false, 0, Set.of(Reason.MANUAL));
    }

    /** Whether the window is always the largest one allowed. */
    boolean fixed() {
      return fewestAnswers == Integer.MAX_VALUE;
    }
  }

  private record Step(Event event, int before, int after) {}

  private static final Set<Reason> GROWTH =
      Set.of(Reason.SLOW_START, Reason.STEADY_STATE_UP, Reason.RECOVERED);

  private final WindowControl control;
  private final Rules rules;
  private final long origin;
  private final Deque<WindowChange> expectedHistory = new ArrayDeque<>();

  private int min;
  private int max;
  private int answers;
  private int peakInFlight;
  private Optional<Event.RateLimited> lastCut = Optional.empty();

  WindowInvariants(WindowControl control, Rules rules, long origin) {
    this.control = control;
    this.rules = rules;
    this.origin = origin;
    this.min = rules.min();
    this.max = rules.max();
  }

  void feed(Event event) {
    int before = control.window();
    event.applyTo(control, origin);
    var step = new Step(event, before, control.window());
    note(event);
    check(min <= step.after && step.after <= max, "min <= window <= max", step);
    if (step.after != before) {
      checkMove(step);
    }
    check(control.history().equals(List.copyOf(expectedHistory)), "each move is recorded", step);
  }

  private void note(Event event) {
    switch (event) {
      case Event.Acquired(_, int inFlight) -> peakInFlight = Math.max(peakInFlight, inFlight);
      case Event.Succeeded(_, boolean neutral) -> answers += neutral ? 0 : 1;
      case Event.Retuned(_, int newMax) -> {
        max = newMax;
        min = rules.fixed() ? max : Math.min(rules.min(), max);
      }
      case Event.RateLimited _, Event.TransientFailure _, Event.QuotaSeen _ -> {}
    }
  }

  private void checkMove(Step step) {
    check(!control.history().isEmpty(), "each move is recorded", step);
    Reason reason = control.history().getLast().reason();
    check(rules.reasons().contains(reason), "the reason is one of the mode", step);
    switch (step.event) {
      case Event.Retuned _ -> check(reason == Reason.MANUAL, "retuned by hand", step);
      case Event.Succeeded(_, boolean neutral) -> {
        check(step.after > step.before && !neutral, "clean answers only raise", step);
        checkGrowth(step, reason);
        beginAnew();
      }
      case Event.RateLimited refusal -> {
        check(step.after < step.before, "refusals only cut", step);
        check(reason == Reason.RATE_LIMIT, "a refusal is the reason of its cut", step);
        checkCooldown(refusal, step);
        lastCut = Optional.of(refusal);
        beginAnew();
      }
      case Event.QuotaSeen _ -> {
        check(step.after < step.before, "a low quota only cuts", step);
        check(reason == Reason.HEADER, "a low quota is the reason of its cut", step);
      }
      case Event.Acquired _, Event.TransientFailure _ -> check(false, "nothing moves", step);
    }
    if (expectedHistory.size() == 200) {
      expectedHistory.removeFirst();
    }
    expectedHistory.addLast(
        new WindowChange(origin + step.event.at(), step.before, step.after, reason));
  }

  private void checkGrowth(Step step, Reason reason) {
    check(GROWTH.contains(reason), "growth has a reason of growth", step);
    int needed =
        rules.wholeRound() ? Math.max(rules.fewestAnswers(), step.before) : rules.fewestAnswers();
    check(answers >= needed, "growth needs clean answers", step);
    check(peakInFlight >= rules.saturation() * step.before, "growth needs saturation", step);
  }

  private void checkCooldown(Event.RateLimited refusal, Step step) {
    if (rules.cooldown().isEmpty() || lastCut.isEmpty()) {
      return;
    }
    Event.RateLimited cut = lastCut.get();
    Duration hint = cut.retryAfter().or(cut::reset).orElse(Duration.ZERO);
    long cooldownNanos = Math.max(rules.cooldown().get().toNanos(), hint.toNanos());
    check(refusal.at() - cut.at() >= cooldownNanos, "one cut per cooldown", step);
  }

  private void beginAnew() {
    answers = 0;
    peakInFlight = 0;
  }

  private void check(boolean holds, String rule, Step step) {
    if (!holds) {
      throw new AssertionError(
          "broken: "
              + rule
              + ", at %s with bounds %d-%d, %d answers, %d in flight, last cut %s, history %s"
                  .formatted(step, min, max, answers, peakInFlight, lastCut, control.history()));
    }
  }
}
