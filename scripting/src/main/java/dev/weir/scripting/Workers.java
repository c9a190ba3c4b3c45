package dev.weir.scripting;

import dev.weir.eval.promptfoo.ScriptException;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The threads that scripts run on. Samples run on virtual threads, whose memory the machine does
 * not measure; that of these it does. There are as many as processors, since scripts only compute.
 *
 * <p>Nothing ends a thread within one operation of the library, such as writing out a number of
 * millions of digits. So a script that takes too long is given up: whoever waits for it goes on,
 * another thread takes the place of the lost one, and that ends when the operation does. When too
 * many are lost, no script is begun until one of them has ended. Thread-safe.
 */
final class Workers {

  /** Deep enough for the deepest script that {@link BoundedContexts} allows. */
  private static final long STACK_BYTES = 8L << 20;

  /** How long a script may go on when its sample is cancelled; most end by themselves before. */
  private static final Duration GRACE = Duration.ofSeconds(1);

  private static final com.sun.management.ThreadMXBean MEASURE =
      (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();

  private final ThreadPoolExecutor threads;
  private final int usual;
  private final int mostLost;
  private final Duration longest;
  private int lost;

  /**
   * @param usual how many scripts run at a time
   * @param mostLost with as many lost threads nothing is begun; those that ran then may be lost,
   *     too
   * @param longest how long a script may take once it is begun
   */
  Workers(int usual, int mostLost, Duration longest) {
    this.usual = usual;
    this.mostLost = mostLost;
    this.longest = longest;
    this.threads =
        new ThreadPoolExecutor(
            usual, usual, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), Workers::thread);
  }

  private static Thread thread(Runnable work) {
    var thread = new Thread(null, work, "script", STACK_BYTES);
    thread.setDaemon(true);
    return thread;
  }

  /** What the current thread has asked for since it began; it only grows. */
  static long allocatedBytes() {
    return MEASURE.getCurrentThreadAllocatedBytes();
  }

  /** Scripts that were given up and still run. */
  synchronized int lost() {
    return lost;
  }

  /**
   * What the work gives, or throws. An interrupt shortens the wait, but does not end it, as most
   * scripts soon end by themselves; it is kept for whoever looks next.
   *
   * @throws ScriptException also if it takes too long, or is not begun since others do
   */
  <T> T run(Supplier<T> work) {
    var job = new Job<>(work);
    threads.execute(job);
    Duration most = longest;
    boolean interrupted = false;
    try {
      while (true) {
        try {
          job.begun.await();
          return job.result.get(most.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException asked) {
          interrupted = true;
          most = most.compareTo(GRACE) < 0 ? most : GRACE;
        } catch (TimeoutException late) {
          giveUp(job);
          throw ScriptException.overBounds(
              "the script was given up: it took more than %s s"
                  .formatted(most.toMillis() / 1_000.0));
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

  private static RuntimeException rethrown(@Nullable Throwable cause) {
    return switch (cause) {
      case RuntimeException unchecked -> unchecked;
      case Error error -> throw error;
      case null, default -> new IllegalStateException("a script ended in no known way", cause);
    };
  }

  private synchronized void begin(Job<?> job) {
    if (lost >= mostLost) {
      throw ScriptException.overBounds(
          "the script was not begun: %d others that took too long still run".formatted(lost));
    }
    job.thread = Thread.currentThread();
  }

  private synchronized void giveUp(Job<?> job) {
    if (job.thread != null) {
      job.isLost = true;
      // Ends it where it next looks at its bounds.
      job.thread.interrupt();
      lost++;
      threads.setMaximumPoolSize(usual + lost);
      threads.setCorePoolSize(usual + lost);
    }
  }

  private synchronized void end(Job<?> job) {
    job.thread = null;
    if (job.isLost) {
      // It was meant for this script alone.
      Thread.interrupted();
      lost--;
      threads.setCorePoolSize(usual + lost);
      threads.setMaximumPoolSize(usual + lost);
    }
  }

  private final class Job<T> implements Runnable {

    private final Supplier<T> work;
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CompletableFuture<T> result = new CompletableFuture<>();

    /** While it runs. Guarded by the workers, as is what follows. */
    private @Nullable Thread thread;

    private boolean isLost;

    Job(Supplier<T> work) {
      this.work = work;
    }

    @Override
    public void run() {
      try {
        begin(this);
        begun.countDown();
        result.complete(work.get());
      } catch (RuntimeException | Error failed) {
        result.completeExceptionally(failed);
      } finally {
        begun.countDown();
        end(this);
      }
    }
  }
}
