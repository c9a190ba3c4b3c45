package dev.weir.simulator.server;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A batch at the simulated provider. How far it is follows from the time alone: its requests are
 * done one after the other, evenly, in the time that a batch takes.
 */
final class Batch {

  /** The part of a batch's time that it is checked before anything is done, and packed after. */
  static final double MARGIN = 0.1;

  private final String id;
  private final Instant created;
  private final long createdNanos;
  private final long nanos;
  private final List<Line> lines;
  private final String input;
  private final String endpoint;
  private final Map<String, Object> metadata;
  private final @Nullable String error;
  // Written under the monitor of the store, and read without it.
  private volatile long cancelledNanos = Long.MAX_VALUE;

  /**
   * @param nanos how long it takes
   * @param input the id of its file; empty if there is none
   * @param error why it will not be done at all
   */
  Batch(
      String id,
      Instant created,
      long createdNanos,
      long nanos,
      List<Line> lines,
      String input,
      String endpoint,
      Map<String, Object> metadata,
      @Nullable String error) {
    this.id = id;
    this.created = created;
    this.createdNanos = createdNanos;
    this.nanos = nanos;
    this.lines = List.copyOf(lines);
    this.input = input;
    this.endpoint = endpoint;
    this.metadata = metadata;
    this.error = error;
  }

  /**
   * A request of a batch with its answer, which nobody sees before it is done.
   *
   * @param asked the hash of the request
   * @param status of the answer; 0 if the request expires
   * @param body of the answer, JSON
   */
  record Line(String customId, int asked, int status, String body) {

    boolean isAnswer() {
      return status >= 200 && status < 300;
    }

    boolean isExpired() {
      return status == 0;
    }
  }

  enum Phase {
    CHECKED,
    WORKED_ON,
    PACKED,
    CANCELLED_SOON,
    CANCELLED,
    FAILED,
    COMPLETE
  }

  String id() {
    return id;
  }

  Instant created() {
    return created;
  }

  String input() {
    return input;
  }

  String endpoint() {
    return endpoint;
  }

  Map<String, Object> metadata() {
    return metadata;
  }

  @Nullable String error() {
    return error;
  }

  List<Line> lines() {
    return lines;
  }

  Instant at(long nanosLater) {
    return created.plusNanos(nanosLater);
  }

  /** When it will have ended, or has. */
  Instant end() {
    return at(endNanos() - createdNanos);
  }

  Phase phase(long now) {
    long age = now - createdNanos;
    if (error != null) {
      return age < MARGIN * nanos ? Phase.CHECKED : Phase.FAILED;
    }
    if (cancelledNanos <= now) {
      return now < endNanos() ? Phase.CANCELLED_SOON : Phase.CANCELLED;
    }
    if (age >= nanos) {
      return Phase.COMPLETE;
    }
    return age < MARGIN * nanos
        ? Phase.CHECKED
        : age < (1 - MARGIN) * nanos ? Phase.WORKED_ON : Phase.PACKED;
  }

  boolean hasEnded(long now) {
    return switch (phase(now)) {
      case COMPLETE, CANCELLED, FAILED -> true;
      case CHECKED, WORKED_ON, PACKED, CANCELLED_SOON -> false;
    };
  }

  /** How many requests are done, from the first on; those after them never will be if cancelled. */
  int done(long now) {
    if (error != null) {
      return 0;
    }
    long until = Math.min(now, cancelledNanos) - createdNanos;
    double share = (until - MARGIN * nanos) / ((1 - 2 * MARGIN) * nanos);
    return nanos <= 0 || share >= 1 ? lines.size() : (int) Math.max(0, share * lines.size());
  }

  /** How many requests will not be made; 0 if it is too late to cancel. */
  int cancel(long now) {
    if (hasEnded(now) || cancelledNanos <= now) {
      return 0;
    }
    cancelledNanos = now;
    return lines.size() - done(now);
  }

  boolean isCancelled() {
    return cancelledNanos != Long.MAX_VALUE;
  }

  Instant cancelledAt() {
    return at(cancelledNanos - createdNanos);
  }

  private long endNanos() {
    long usual = createdNanos + nanos;
    return isCancelled() ? Math.min(usual, cancelledNanos + Math.round(MARGIN * nanos)) : usual;
  }

  long bytes() {
    return lines.stream().mapToLong(line -> line.customId.length() + line.body.length()).sum();
  }
}
