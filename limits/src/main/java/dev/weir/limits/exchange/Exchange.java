package dev.weir.limits.exchange;

import dev.weir.limits.event.LimitEvent;
import dev.weir.limits.pace.Observation;
import dev.weir.limits.pace.PaceMemory;
import dev.weir.limits.pace.Slice;
import java.util.List;
import java.util.Optional;

/**
 * One participant's end of an exchange: observations go in, a leased slice of the limits comes out.
 *
 * <p>What every implementation keeps to:
 *
 * <ul>
 *   <li><b>It never blocks.</b> One over a network answers with the newest slice it has, less what
 *       this participant has done since ({@link Slice#sent}, {@link Slice#ended}), sends what it
 *       was handed in its own time, and calls {@link #whenBetter back} when there is more to be
 *       had.
 *   <li><b>Nothing is lost or counted twice.</b> Each observation is handed in once, in order, when
 *       it happens. Repeating a batch whose reply was lost is the implementation's affair; requests
 *       have ids, so that it does no harm.
 *   <li><b>A slice ends with its lease.</b> After it nothing new leaves until there is another: the
 *       participant may have been cut off, and its part been given to others. What is under way
 *       goes on. A lease counts from before it was asked for, so it never ends later here than
 *       where it was granted.
 *   <li><b>Shrinking is in two phases.</b> A participant has a smaller window only when it has seen
 *       it, so whoever divides the limits counts the larger one until then. Both are known at this
 *       end: the {@link Slice#generation} that it handed out last is the one acknowledged, and in
 *       flight is what was sent and has not ended. So neither is an argument. The same holds for
 *       demand: a participant that has a request waiting says so with {@link Observation.Waiting}.
 * </ul>
 *
 * <p>A plain object with one owner, as the flow control that holds it: not thread-safe, unless an
 * implementation says otherwise.
 */
public interface Exchange {

  /**
   * Hands in what has happened since the last time.
   *
   * @param happened in order; empty to ask only
   * @return what may be done from now on
   */
  Slice exchange(long now, List<Observation> happened);

  /** What has become known about the limits since it was last asked, oldest first. */
  List<LimitEvent> drainEvents();

  /**
   * What the next run can start from, if this end knows it.
   *
   * @param epochMillis the time, for whoever reads it later
   */
  Optional<PaceMemory> memory(long epochMillis);

  /**
   * Asks to be woken when a better slice has come than the one that was handed out. The callback
   * only wakes: it may come from any thread, and more often than need be.
   */
  void whenBetter(Runnable wake);

  /** Gives the slice back; what is under way may still be handed in. */
  void release(long now);
}
