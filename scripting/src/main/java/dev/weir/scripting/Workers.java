package dev.weir.scripting;

import java.lang.management.ManagementFactory;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadFactory;
import java.util.function.Supplier;

/**
 * The threads that scripts run on. Samples run on virtual threads, whose memory the machine does
 * not measure; that of these it does. There are as many as processors, since scripts only compute.
 * Thread-safe.
 */
final class Workers {

  /** Deep enough for the deepest script that {@link BoundedContexts} allows. */
  private static final long STACK_BYTES = 8L << 20;

  private static final ThreadFactory FACTORY =
      work -> {
        var thread = new Thread(null, work, "script", STACK_BYTES);
        thread.setDaemon(true);
        return thread;
      };

  private static final ExecutorService THREADS =
      Executors.newFixedThreadPool(Runtime.getRuntime().availableProcessors(), FACTORY);

  private static final com.sun.management.ThreadMXBean MEASURE =
      (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();

  private Workers() {}

  /** What the current thread has asked for since it began; it only grows. */
  static long allocatedBytes() {
    return MEASURE.getCurrentThreadAllocatedBytes();
  }

  /**
   * What the work gives, or throws. An interrupt does not end the wait, as a script soon ends by
   * itself; it is kept for whoever looks next.
   */
  static <T> T run(Supplier<T> work) {
    Future<T> result = THREADS.submit(work::get);
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return result.get();
        } catch (InterruptedException asked) {
          interrupted = true;
        } catch (ExecutionException failed) {
          throw rethrown(failed.getCause());
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private static RuntimeException rethrown(@org.jspecify.annotations.Nullable Throwable cause) {
    return switch (cause) {
      case RuntimeException unchecked -> unchecked;
      case Error error -> throw error;
      case null, default -> new IllegalStateException("a script ended in no known way", cause);
    };
  }
}
