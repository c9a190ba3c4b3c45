package dev.weir.limits;

import java.util.Optional;

/**
 * A place in the queue of a lane, for programs that do not want to block: ask {@link #poll} when
 * {@link #waitingFor} says that it may be time, or {@link #await} after all.
 *
 * <p>{@link #close} gives up the place; a permit that was taken is not touched. A permit that has
 * come and is not taken holds its room in the window until its lease runs out. Thread-safe, but
 * only one task may await at a time.
 */
public final class Reservation implements AutoCloseable {

  private final Lane lane;
  private final Waiter waiter;

  Reservation(Lane lane, Waiter waiter) {
    this.lane = lane;
    this.waiter = waiter;
  }

  /**
   * The permit, once it has come; each call returns the same one.
   *
   * @throws DeadlinePassedException if the demand's deadline has come first
   * @throws StoppedException if the provider has refused for good
   */
  public Optional<Permit> poll() {
    return lane.poll(waiter);
  }

  /**
   * Waits for the permit.
   *
   * @throws DeadlinePassedException if the demand's deadline comes first
   * @throws StoppedException if the provider refuses for good
   */
  public Permit await() throws InterruptedException {
    return lane.awaitReserved(waiter);
  }

  /** What holds it, and until when. */
  public Waiting waitingFor() {
    return lane.waitingFor(waiter);
  }

  @Override
  public void close() {
    lane.giveUp(waiter);
  }
}
