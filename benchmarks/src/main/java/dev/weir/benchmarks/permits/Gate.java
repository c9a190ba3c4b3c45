package dev.weir.benchmarks.permits;

/** A limiter, ours or another's: so many may be inside. Thread-safe. */
interface Gate {

  /** Waits for a place; what it returns is handed back to {@link #leave}. */
  Object enter() throws InterruptedException;

  void leave(Object place);
}
