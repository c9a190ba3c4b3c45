package dev.weir.log.journal;

import dev.weir.time.Signal;
import dev.weir.time.Time;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The records that are not on disk yet: a batch that gathers, and the one that is being written.
 * Bounded in bytes: who adds more, waits. Thread-safe.
 */
final class Backlog {

  /** More than that makes an fsync no cheaper. */
  static final long LARGE_BATCH = 1 << 20;

  private final Time time;
  private final long maxBytes;
  private final Signal due;

  // Guarded by this.
  private Batch next;
  private @Nullable Batch taken;
  private long commitBy = Time.NEVER;
  private long bytes;
  private long records;
  private boolean isShut;
  private Size turnedAway = Size.NONE;
  private final Map<Signal, Batch.Pending> waitingForRoom = new LinkedHashMap<>();

  Backlog(Time time, long maxBytes) {
    this.time = time;
    this.maxBytes = maxBytes;
    this.due = time.signal("records for the journal");
    this.next = new Batch(time);
  }

  record Size(long records, long bytes) {

    static final Size NONE = new Size(0, 0);

    Size plus(Size other) {
      return new Size(records + other.records, bytes + other.bytes);
    }
  }

  /**
   * Adds a record, when there is room for it. One that is larger than all the room is added when
   * nothing else is held.
   *
   * @return what it will be written with; null if the backlog was shut
   */
  @Nullable Batch add(Batch.Pending record, Duration within) throws InterruptedException {
    while (true) {
      Signal room;
      synchronized (this) {
        if (isShut) {
          return null;
        }
        if (bytes == 0 || bytes + record.length() <= maxBytes) {
          return put(record, time.after(within));
        }
        room = time.signal("room for records that the journal cannot write");
        waitingForRoom.put(room, record);
      }
      try {
        room.await();
      } finally {
        synchronized (this) {
          waitingForRoom.remove(room);
        }
      }
    }
  }

  private synchronized Batch put(Batch.Pending record, long by) {
    next.records.add(record);
    next.bytes += record.length();
    bytes += record.length();
    records++;
    long at = next.bytes >= LARGE_BATCH ? 0 : by;
    if (at < commitBy) {
      commitBy = at;
      due.send();
    }
    return next;
  }

  /**
   * Waits until a commit is due, and takes what has gathered; perhaps nothing if it is the last.
   */
  Batch take() throws InterruptedException {
    while (true) {
      long by;
      synchronized (this) {
        if (isShut || commitBy <= time.nanos()) {
          Batch batch = next;
          batch.isLast = isShut;
          taken = batch;
          next = new Batch(time);
          commitBy = Time.NEVER;
          return batch;
        }
        by = commitBy;
      }
      due.await(by);
    }
  }

  /** The batch that was taken is on disk. */
  void written(Batch batch) {
    List<Signal> woken;
    synchronized (this) {
      if (taken == null) {
        // It was given up while it was being written, and its writers were told so.
        return;
      }
      taken = null;
      bytes -= batch.bytes;
      records -= batch.records.size();
      woken = List.copyOf(waitingForRoom.keySet());
    }
    batch.durable.complete(true);
    woken.forEach(Signal::send);
  }

  /** Takes no more records; those that wait for room are turned away. */
  void shut() {
    List<Signal> woken;
    synchronized (this) {
      isShut = true;
      due.send();
      turnedAway = turnedAway.plus(waiting());
      woken = List.copyOf(waitingForRoom.keySet());
      waitingForRoom.clear();
    }
    woken.forEach(Signal::send);
  }

  /** Drops everything, and says how much that was. */
  Size drop() {
    Size lost;
    Batch gathered;
    @Nullable Batch unwritten;
    synchronized (this) {
      lost = size();
      gathered = next;
      unwritten = taken;
      next = new Batch(time);
      taken = null;
      bytes = 0;
      records = 0;
    }
    shut();
    gathered.durable.complete(false);
    if (unwritten != null) {
      unwritten.durable.complete(false);
    }
    return lost;
  }

  /** What is not on disk, including what waits for room or was turned away. */
  synchronized Size size() {
    return new Size(records, bytes).plus(waiting()).plus(turnedAway);
  }

  private synchronized Size waiting() {
    long waitingBytes = waitingForRoom.values().stream().mapToLong(Batch.Pending::length).sum();
    return new Size(waitingForRoom.size(), waitingBytes);
  }

  synchronized long heldBytes() {
    return bytes;
  }
}
