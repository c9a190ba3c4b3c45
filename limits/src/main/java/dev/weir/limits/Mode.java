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
   * @param maxConcurrency the first and the largest window
   * @param minConcurrency the window that no refusal cuts below
   */
  record Halving(int maxConcurrency, int minConcurrency) implements Mode {

    /** Without a number, four. */
    public static final int DEFAULT_MAX_CONCURRENCY = 4;

    /** How long a request waits for its turn, unless its bounds say otherwise. */
    static final Duration DEFAULT_QUEUE_TIMEOUT = Duration.ofMinutes(5);

    public Halving {
      requireRoom(maxConcurrency);
      if (minConcurrency < 1 || minConcurrency > maxConcurrency) {
        throw new IllegalArgumentException(
            "`minConcurrency` must be from 1 to `maxConcurrency` (%d), was %d"
                .formatted(maxConcurrency, minConcurrency));
      }
    }

    /** With a floor of one. */
    public Halving(int maxConcurrency) {
      this(maxConcurrency, 1);
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
