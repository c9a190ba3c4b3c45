package dev.weir.limits.event;

import dev.weir.limits.control.WindowChange;
import dev.weir.limits.header.Dimension;
import java.time.Duration;
import java.util.Optional;

/** Something that happened to the limits of one scope; {@link Notice} says to which, and when. */
public sealed interface LimitEvent {

  /**
   * The provider refused an attempt.
   *
   * @param serverWait how long it asks to wait
   * @param limitKind which limit it names, as in {@link
   *     dev.weir.limits.header.ResponseFacts#limitKind()}
   */
  record RateLimitHit(Optional<Duration> serverWait, Optional<String> limitKind)
      implements LimitEvent {}

  /** A rate that the scope now goes by, or that headers advertise where a window is enforced. */
  record LimitLearned(Dimension dimension, double perSecond, Source source) implements LimitEvent {}

  /** Where a rate comes from. */
  enum Source {
    /** Headers advertise it. */
    HEADER,
    /** Refusals measured it. */
    OBSERVED,
    /** The user stated it. */
    STATED,
    /** An earlier run learned it. */
    REMEMBERED
  }

  /** Little of an advertised quota is left; told once, until it has recovered. */
  record QuotaWarning(Dimension dimension, double remaining, double limit) implements LimitEvent {}

  record WindowChanged(int before, int after, WindowChange.Reason reason) implements LimitEvent {}

  /**
   * A request is attempted again.
   *
   * @param attempt the number of the attempt that ended, from 1
   * @param why how it ended, for people: {@code "rate limited"}
   */
  record Retrying(int attempt, Duration after, String why) implements LimitEvent {}

  /** Faults in a row: only probes leave until one is answered. */
  record CircuitOpened() implements LimitEvent {}

  record CircuitClosed() implements LimitEvent {}

  /** The provider refused for good: nothing of the scope is attempted any more. */
  record Stopped(String reason) implements LimitEvent {}
}
