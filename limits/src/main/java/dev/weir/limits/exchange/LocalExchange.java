package dev.weir.limits.exchange;

import dev.weir.limits.event.LimitEvent;
import dev.weir.limits.pace.Observation;
import dev.weir.limits.pace.PaceController;
import dev.weir.limits.pace.PaceMemory;
import dev.weir.limits.pace.PaceSettings;
import dev.weir.limits.pace.PaceState;
import dev.weir.limits.pace.Slice;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The exchange of a process that has its limits to itself: all of them, each time.
 *
 * <p>There is nobody to be cut off from, so the lease is only as long as a forgotten participant
 * may be. Not thread-safe.
 */
public final class LocalExchange implements Exchange {

  private static final long LEASE_NANOS = Duration.ofMinutes(10).toNanos();

  private final PaceController controller;
  private long generation;
  private int window;

  public LocalExchange(PaceController controller) {
    this.controller = controller;
  }

  /**
   * @param seed of the chances that keep processes from acting together
   */
  public LocalExchange(PaceSettings settings, long seed, long now) {
    this(new PaceController(settings, seed, now));
  }

  @Override
  public Slice exchange(long now, List<Observation> happened) {
    for (int i = 0; i < happened.size(); i++) {
      controller.apply(happened.get(i));
    }
    Slice slice = controller.slice(now, generation, now + LEASE_NANOS);
    if (slice.window() != window) {
      window = slice.window();
      generation++;
      slice = slice.leased(generation, slice.leaseUntil());
    }
    return slice;
  }

  @Override
  public List<LimitEvent> drainEvents() {
    return controller.drainEvents();
  }

  @Override
  public Optional<PaceMemory> memory(long epochMillis) {
    return controller.memory(epochMillis);
  }

  /** All that is known, for tests and tools. */
  public PaceState state() {
    return controller.state();
  }

  @Override
  public void whenBetter(Runnable wake) {
    // A better slice comes only from what this participant itself hands in.
  }

  @Override
  public void release(long now) {
    // Nobody else wants it.
  }
}
