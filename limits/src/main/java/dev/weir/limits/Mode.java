package dev.weir.limits;

import dev.weir.limits.control.AimdSettings;
import dev.weir.limits.pace.PaceSettings;
import java.time.Duration;

/** How the calls to a model are regulated. */
public sealed interface Mode {

  /** As it is written: {@code pace}. */
  default String word() {
    return switch (this) {
      case Static _ -> "static";
      case Aimd _ -> "aimd";
      case Halving _ -> "halving";
      case Pace _ -> "pace";
    };
  }

  /** The largest window that it may ever open. */
  default int mostInFlight() {
    return switch (this) {
      case Static(int max) -> max;
      case Aimd(var settings) -> settings.max();
      case Halving(int max, _) -> max;
      case Pace(var settings) -> settings.maxConnections();
    };
  }

  /** A fixed window. */
  record Static(int maxConnections) implements Mode {

    /** Without a number, ten. */
    public static final int DEFAULT_MAX_CONNECTIONS = 10;

    public Static {
      requireRoom(maxConnections);
    }
  }

  /** Slow start and AIMD, as Inspect documents it. */
  record Aimd(AimdSettings settings) implements Mode {}

  /**
   * The scheme that promptfoo documents.
   *
   * @param queueTimeout how long a request waits for a permit before it fails; zero for no bound
   */
  record Halving(int maxConcurrency, Duration queueTimeout) implements Mode {

    /** Without a number, four. */
    public static final int DEFAULT_MAX_CONCURRENCY = 4;

    private static final Duration LONGEST_QUEUE_TIMEOUT = Duration.ofDays(30);

    public static final Duration DEFAULT_QUEUE_TIMEOUT = Duration.ofMinutes(5);

    public Halving {
      requireRoom(maxConcurrency);
      if (queueTimeout.isNegative() || queueTimeout.compareTo(LONGEST_QUEUE_TIMEOUT) > 0) {
        throw new IllegalArgumentException(
            "`queueTimeout` must be from 0 to %s, was %s"
                .formatted(LONGEST_QUEUE_TIMEOUT, queueTimeout));
      }
    }

    public Halving(int maxConcurrency) {
      this(maxConcurrency, DEFAULT_QUEUE_TIMEOUT);
    }
  }

  /** A pace learned from headers and refusals. */
  record Pace(PaceSettings settings) implements Mode {}

  private static void requireRoom(int window) {
    if (window < 1) {
      throw new IllegalArgumentException("the window must be >= 1, was " + window);
    }
  }
}
