package dev.weir.web;

import io.vertx.core.buffer.Buffer;
import java.io.ByteArrayOutputStream;

/** The body of a request as it comes in; what is too large is counted and not kept. */
final class BoundedBody {

  private final int limit;
  private ByteArrayOutputStream kept = new ByteArrayOutputStream();
  private long size;

  BoundedBody(int limit) {
    this.limit = limit;
  }

  void add(Buffer part) {
    size += part.length();
    if (size <= limit) {
      kept.writeBytes(part.getBytes());
    } else {
      kept = new ByteArrayOutputStream(0);
    }
  }

  /** All that has come, kept or not. */
  long size() {
    return size;
  }

  byte[] bytes() {
    return kept.toByteArray();
  }
}
