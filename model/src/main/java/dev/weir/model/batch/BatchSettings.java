package dev.weir.model.batch;

import java.time.Duration;

/**
 * When batches are sent, and how often they are looked after.
 *
 * @param size a batch of so many requests is sent at once
 * @param sendDelay a smaller one is sent when its first request has waited for so long
 * @param pollInterval between two looks at a batch
 * @param mostInFlight batches at the provider; further ones wait here
 */
public record BatchSettings(int size, Duration sendDelay, Duration pollInterval, int mostInFlight) {

  /** No provider takes more requests in one batch. */
  public static final int LARGEST = 100_000;

  private static final Duration LONGEST = Duration.ofDays(1);

  public BatchSettings {
    if (size < 1 || size > LARGEST) {
      throw new IllegalArgumentException(
          "`size` must be from 1 to %d, was %d".formatted(LARGEST, size));
    }
    if (mostInFlight < 1) {
      throw new IllegalArgumentException("`mostInFlight` must be >= 1, was " + mostInFlight);
    }
    requireRange("sendDelay", sendDelay);
    requireRange("pollInterval", pollInterval);
  }

  /** As Inspect has them: 100 requests, 15 s, 15 s, 50 batches. */
  public static BatchSettings defaults() {
    return new BatchSettings(100, Duration.ofSeconds(15), Duration.ofSeconds(15), 50);
  }

  public BatchSettings withSize(int requests) {
    return new BatchSettings(requests, sendDelay, pollInterval, mostInFlight);
  }

  public BatchSettings withSendDelay(Duration delay) {
    return new BatchSettings(size, delay, pollInterval, mostInFlight);
  }

  public BatchSettings withPollInterval(Duration interval) {
    return new BatchSettings(size, sendDelay, interval, mostInFlight);
  }

  public BatchSettings withMostInFlight(int batches) {
    return new BatchSettings(size, sendDelay, pollInterval, batches);
  }

  private static void requireRange(String name, Duration value) {
    if (!value.isPositive() || value.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException(
          "`%s` must be longer than nothing and at most a day, was %s".formatted(name, value));
    }
  }
}
