package dev.weir.benchmarks.permits;

import java.util.ArrayList;
import java.util.List;

/** The live heap that waiting requests take, each on a virtual thread of its own. */
final class WaiterMemory {

  private static final int COLLECTIONS = 4;

  private final int waiters;

  WaiterMemory(int waiters) {
    this.waiters = waiters;
  }

  /** Bytes of the heap for all waiters together, threads included. */
  long bytes(Subject subject) throws InterruptedException {
    Gate gate = subject.gate(1);
    Object place = gate.enter();
    List<Thread> threads = new ArrayList<>(waiters);
    long before = liveBytes();
    for (int i = 0; i < waiters; i++) {
      threads.add(Thread.startVirtualThread(() -> waitFor(gate)));
    }
    for (Thread thread : threads) {
      while (!isWaiting(thread)) {
        Thread.sleep(1);
      }
    }
    long bytes = liveBytes() - before;
    for (Thread thread : threads) {
      thread.interrupt();
    }
    for (Thread thread : threads) {
      thread.join();
    }
    gate.leave(place);
    return bytes;
  }

  private static boolean isWaiting(Thread thread) {
    return switch (thread.getState()) {
      case WAITING, TIMED_WAITING -> true;
      case TERMINATED -> throw new IllegalStateException("cannot measure: nobody waits");
      case NEW, RUNNABLE, BLOCKED -> false;
    };
  }

  private static void waitFor(Gate gate) {
    try {
      gate.leave(gate.enter());
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private static long liveBytes() throws InterruptedException {
    Runtime runtime = Runtime.getRuntime();
    long least = Long.MAX_VALUE;
    for (int i = 0; i < COLLECTIONS; i++) {
      System.gc();
      Thread.sleep(20);
      least = Math.min(least, runtime.totalMemory() - runtime.freeMemory());
    }
    return least;
  }
}
