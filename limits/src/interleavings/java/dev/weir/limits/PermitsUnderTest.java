package dev.weir.limits;

import dev.weir.limits.pace.Cost;
import dev.weir.limits.retry.Outcome;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.ThreadIdGen;

/**
 * A lane as seen by threads that each hold at most one permit, and share one that all of them may
 * end, at once and again. It behaves like {@link PermitsModel}.
 */
@Param(name = "thread", gen = ThreadIdGen.class)
public abstract class PermitsUnderTest {

  private static final int MAX_THREADS = 8;

  private final Lane lane;
  private final Permit shared;
  // Each element is read and written by its own thread only.
  private final AtomicReferenceArray<Permit> permits = new AtomicReferenceArray<>(MAX_THREADS);

  PermitsUnderTest(int window) {
    lane = Lanes.ofWindow(window);
    shared = lane.tryAcquire(Lanes.DEMAND).orElseThrow();
  }

  @Operation(params = "thread")
  public boolean tryAcquire(int thread) {
    if (permits.get(thread) != null) {
      return false;
    }
    var permit = lane.tryAcquire(Lanes.DEMAND);
    permit.ifPresent(granted -> permits.set(thread, granted));
    return permit.isPresent();
  }

  @Operation(params = "thread")
  public boolean close(int thread) {
    Permit permit = permits.getAndSet(thread, null);
    if (permit != null) {
      permit.close();
      permit.close();
    }
    return permit != null;
  }

  @Operation(params = "thread")
  public boolean settle(int thread) {
    Permit permit = permits.getAndSet(thread, null);
    if (permit != null) {
      try (permit) {
        permit.settle(new Outcome.Clean(), Cost.ONE_REQUEST);
      }
    }
    return permit != null;
  }

  @Operation
  public void closeShared() {
    shared.close();
  }

  @Operation
  public void settleShared() {
    shared.settle(new Outcome.Clean(), Cost.ONE_REQUEST);
  }

  @Operation
  public int inFlight() {
    return lane.status().inFlight();
  }

  /** With one permit. */
  public static final class OfOne extends PermitsUnderTest {
    public OfOne() {
      super(1);
    }
  }

  /** With two permits. */
  public static final class OfTwo extends PermitsUnderTest {
    public OfTwo() {
      super(2);
    }
  }
}
