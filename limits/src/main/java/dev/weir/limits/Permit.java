package dev.weir.limits;

import java.util.concurrent.atomic.AtomicBoolean;

/** The right to have one request in flight. Closing it twice does no harm. Thread-safe. */
public final class Permit implements AutoCloseable {

  private final Limiter limiter;
  private final AtomicBoolean closed = new AtomicBoolean();

  Permit(Limiter limiter) {
    this.limiter = limiter;
  }

  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      limiter.giveBack();
    }
  }
}
