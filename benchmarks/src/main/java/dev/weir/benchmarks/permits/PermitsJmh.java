package dev.weir.benchmarks.permits;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * In through a gate and out again: alone, and among others.
 *
 * <p>Whoever is inside yields once, as one who waits for an answer would: virtual threads are not
 * preempted, so without it the gate would never be full, however many there are.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@State(Scope.Benchmark)
public class PermitsJmh {

  static final int ROUNDS = 20_000;

  private static final int WINDOW_ALONE = 50;
  private static final int WINDOW_OF_TWO = 1;
  private static final int WINDOW_OF_THOUSAND = 50;

  /** Name of a {@link Subject}; set by whoever runs this. */
  @Param("SEMAPHORE")
  public String subject = "SEMAPHORE";

  private Gate alone = Subject.NONE.gate(1);
  private Gate ofTwo = Subject.NONE.gate(1);
  private Gate ofThousand = Subject.NONE.gate(1);

  @Setup(Level.Trial)
  public void open() {
    Subject named = Subject.valueOf(subject);
    alone = named.gate(WINDOW_ALONE);
    ofTwo = named.gate(WINDOW_OF_TWO);
    ofThousand = named.gate(WINDOW_OF_THOUSAND);
  }

  @Benchmark
  public void uncontended() throws InterruptedException {
    alone.leave(alone.enter());
  }

  @Benchmark
  @OperationsPerInvocation(ROUNDS)
  public void contendedByTwo() throws InterruptedException {
    contend(ofTwo, 2);
  }

  @Benchmark
  @OperationsPerInvocation(ROUNDS)
  public void contendedByThousand() throws InterruptedException {
    contend(ofThousand, 1_000);
  }

  private static void contend(Gate gate, int threads) throws InterruptedException {
    List<Thread> started = new ArrayList<>(threads);
    for (int i = 0; i < threads; i++) {
      started.add(Thread.startVirtualThread(() -> goRound(gate, ROUNDS / threads)));
    }
    for (Thread thread : started) {
      thread.join();
    }
  }

  @SuppressWarnings("ThreadPriorityCheck") // to yield is the point here
  private static void goRound(Gate gate, int rounds) {
    try {
      for (int i = 0; i < rounds; i++) {
        Object place = gate.enter();
        Thread.yield();
        gate.leave(place);
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
