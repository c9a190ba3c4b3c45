package dev.weir.cli;

import dev.weir.eval.run.RunProgress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.Optional;

/**
 * How long a run will still take, by how fast its samples ended of late. Not thread-safe.
 *
 * <p>Of late means: within the last half minute, and further back until there are 20 that ended. So
 * a quota that became tighter shows soon, and samples of minutes are not judged by a few of them.
 * It is not known while none has ended, nor when none has ended for longer than those before took.
 */
final class Outlook {

  private static final long LEAST_NANOS = Duration.ofSeconds(30).toNanos();
  private static final int LEAST_ENDED = 20;
  private static final long NANOS_BETWEEN_POINTS = Duration.ofSeconds(1).toNanos();
  private static final int MOST_POINTS = 600;

  /** How many had ended at a time since the run began. */
  private record Point(long nanos, long done) {}

  // The oldest first.
  private final Deque<Point> points = new ArrayDeque<>();
  private Point lastEnded;

  /**
   * @param kept samples that were finished before the run began, and tell nothing about its pace
   */
  Outlook(int kept) {
    lastEnded = new Point(0, kept);
    points.add(lastEnded);
  }

  /** Empty if nobody knows. */
  Optional<Duration> left(RunProgress run) {
    return left(run.elapsed(), run.done(), run.total(), run.waitsFor());
  }

  /**
   * Empty if nobody knows.
   *
   * @param elapsed since it began
   * @param done of what is to be done
   * @param total how much that is
   * @param waitsFor how long at least, if that is known
   */
  Optional<Duration> left(Duration elapsed, long done, long total, Optional<Duration> waitsFor) {
    var now = new Point(elapsed.toNanos(), done);
    note(now);
    if (done >= total) {
      return Optional.of(Duration.ZERO);
    }
    Point oldest = points.getFirst();
    long ended = now.done() - oldest.done();
    long silent = now.nanos() - lastEnded.nanos();
    long before = lastEnded.nanos() - oldest.nanos();
    if (ended == 0 || (silent > LEAST_NANOS && silent > before)) {
      return Optional.empty();
    }
    double nanosPerSample = (double) (now.nanos() - oldest.nanos()) / ended;
    Duration left = Duration.ofNanos((long) (nanosPerSample * (total - done)));
    // Whatever the pace was, nothing goes on before the next call may leave.
    return waitsFor.filter(wait -> wait.compareTo(left) > 0).or(() -> Optional.of(left));
  }

  private void note(Point now) {
    if (now.done() != lastEnded.done()) {
      lastEnded = now;
    }
    if (now.nanos() < points.getLast().nanos()) {
      // It has begun anew, with what was finished kept.
      points.clear();
      points.add(now);
    }
    if (now.nanos() - points.getLast().nanos() >= NANOS_BETWEEN_POINTS) {
      points.add(now);
    }
    while (points.size() > 1 && isEnough(second(), now)) {
      points.removeFirst();
    }
    if (points.size() > MOST_POINTS) {
      thinOut();
    }
  }

  private Point second() {
    Iterator<Point> oldestFirst = points.iterator();
    oldestFirst.next();
    return oldestFirst.next();
  }

  private static boolean isEnough(Point from, Point now) {
    return now.nanos() - from.nanos() >= LEAST_NANOS && now.done() - from.done() >= LEAST_ENDED;
  }

  /** Every second one will do. */
  private void thinOut() {
    boolean isKept = true;
    for (Iterator<Point> all = points.iterator(); all.hasNext(); ) {
      all.next();
      if (!isKept) {
        all.remove();
      }
      isKept = !isKept;
    }
  }
}
