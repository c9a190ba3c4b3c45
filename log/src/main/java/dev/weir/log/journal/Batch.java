package dev.weir.log.journal;

import dev.weir.time.Completion;
import dev.weir.time.Time;
import java.util.ArrayList;
import java.util.List;

/** Records that share an fsync. Guarded by its backlog until the writing task takes it. */
final class Batch {

  final List<Pending> records = new ArrayList<>();

  /** True when they are on disk, false when they will never be. */
  final Completion<Boolean> durable;

  long bytes;
  boolean isLast;

  Batch(Time time) {
    this.durable = new Completion<>(time, "a commit of the journal");
  }

  /** A record that has no place in the file yet. */
  static final class Pending {

    final int type;
    final byte[] key;
    final Body body;

    /** Written by the writing task; read by others after {@link Batch#durable}. */
    long offset;

    Pending(int type, byte[] key, Body body) {
      this.type = type;
      this.key = key;
      this.body = body;
    }

    int length() {
      return Head.BYTES + key.length + body.stored().length;
    }
  }
}
