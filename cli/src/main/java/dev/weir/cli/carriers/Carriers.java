package dev.weir.cli.carriers;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntConsumer;
import jdk.management.VirtualThreadSchedulerMXBean;

/**
 * Runs the tasks of this process on no more cores than they need. Ten thousand tasks that wait for
 * the network have little to do and do it in small pieces; to wake a sleeping core for each piece
 * costs more than the piece itself. For applications, not for libraries: it concerns all virtual
 * threads of the process. Thread-safe.
 */
public final class Carriers implements AutoCloseable {

  private final VirtualThreadSchedulerMXBean scheduler =
      ManagementFactory.getPlatformMXBean(VirtualThreadSchedulerMXBean.class);
  private final OperatingSystemMXBean system =
      ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
  private final int most = scheduler.getParallelism();
  // Not a virtual thread: it must run when those cannot.
  private final Thread watch = Thread.ofPlatform().daemon().name("carriers").unstarted(this::watch);
  private final IntConsumer changed;
  private volatile boolean isClosed;

  private Carriers(IntConsumer changed) {
    this.changed = changed;
  }

  /** Fits the number of cores to the work until it is closed. */
  public static Carriers fitted() {
    return fitted(_ -> {});
  }

  /**
   * @param changed hears how many there are from now on
   */
  static Carriers fitted(IntConsumer changed) {
    var carriers = new Carriers(changed);
    if (carriers.most > 1) {
      carriers.watch.start();
    }
    return carriers;
  }

  private void watch() {
    var count = new CarrierCount(most, System.nanoTime(), system.getProcessCpuTime());
    var probe = new Probe(System.nanoTime());
    int used = most;
    while (!isClosed) {
      LockSupport.parkNanos(CarrierCount.LOOK.toNanos());
      long nanos = System.nanoTime();
      if (probe.isOver(nanos)) {
        probe = new Probe(nanos);
      }
      int wanted =
          count.look(
              nanos,
              system.getProcessCpuTime(),
              scheduler.getQueuedVirtualThreadCount(),
              probe.waitedNanos(nanos));
      if (wanted != used) {
        use(wanted);
        used = wanted;
      }
    }
    if (used != most) {
      use(most);
    }
  }

  private void use(int count) {
    scheduler.setParallelism(count);
    // More are only thought of when there is something new to run.
    Thread.startVirtualThread(() -> {});
    changed.accept(count);
  }

  /** Gives the tasks all cores again. */
  @Override
  public void close() {
    isClosed = true;
    LockSupport.unpark(watch);
  }

  /** A task that does nothing, to see how long a new one waits for its turn. */
  private static final class Probe {

    private static final long EVERY_NANOS = Duration.ofMillis(250).toNanos();

    private final Thread task = Thread.startVirtualThread(() -> {});
    private final long begun;

    Probe(long nanos) {
      this.begun = nanos;
    }

    long waitedNanos(long nanos) {
      return task.isAlive() ? nanos - begun : 0;
    }

    boolean isOver(long nanos) {
      return !task.isAlive() && nanos - begun >= EVERY_NANOS;
    }
  }
}
