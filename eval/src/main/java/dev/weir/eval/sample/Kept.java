package dev.weir.eval.sample;

import dev.weir.time.Completion;
import dev.weir.time.Time;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;

/**
 * Things that are opened once, when they are first asked for, and closed together.
 *
 * <p>Those who ask while a thing is being opened wait for it. A thing that cannot be opened is
 * tried again by the next who asks. Thread-safe.
 */
public final class Kept {

  /** Opens something; may wait. */
  @FunctionalInterface
  public interface Opening<T extends AutoCloseable> {
    T open() throws InterruptedException;
  }

  private final Time time;

  // Guarded by this; nobody waits while holding it.
  private final SequencedMap<Object, Completion<AutoCloseable>> things = new LinkedHashMap<>();
  private boolean closed;

  public Kept(Time time) {
    this.time = time;
  }

  /**
   * The thing of a key, opened if need be.
   *
   * @throws IllegalStateException if all has been closed
   */
  // A key always asks for one type: the contract of SampleContext.keep.
  @SuppressWarnings("unchecked")
  public <T extends AutoCloseable> T get(Object key, Opening<T> opening)
      throws InterruptedException {
    while (true) {
      Completion<AutoCloseable> mine = new Completion<>(time, "something that is opened");
      Completion<AutoCloseable> other = claim(key, mine);
      if (other == mine) {
        return open(key, mine, opening);
      }
      other.await(Time.NEVER);
      if (other.failure().isEmpty()) {
        return (T) other.await();
      }
      // Whoever opened it failed, perhaps because he was cancelled: it is our turn to try.
    }
  }

  private synchronized Completion<AutoCloseable> claim(
      Object key, Completion<AutoCloseable> claimed) {
    if (closed) {
      throw new IllegalStateException("cannot open anything: what is kept has been closed");
    }
    Completion<AutoCloseable> earlier = things.putIfAbsent(key, claimed);
    return earlier == null ? claimed : earlier;
  }

  private <T extends AutoCloseable> T open(
      Object key, Completion<AutoCloseable> claimed, Opening<T> opening)
      throws InterruptedException {
    try {
      T opened = opening.open();
      claimed.complete(opened);
      return opened;
    } catch (InterruptedException | RuntimeException | Error failed) {
      synchronized (this) {
        things.remove(key);
      }
      claimed.fail(failed);
      throw failed;
    }
  }

  /**
   * Closes all, the last first; call it when nobody asks any more.
   *
   * @return what could not be closed, and why
   */
  public Optional<String> close() {
    List<Completion<AutoCloseable>> all;
    synchronized (this) {
      closed = true;
      all = new ArrayList<>(things.sequencedValues().reversed());
      things.clear();
    }
    Optional<String> left = Optional.empty();
    for (Completion<AutoCloseable> thing : all) {
      if (thing.isDone() && thing.failure().isEmpty()) {
        try {
          thing.outcomeOrThrow().close();
        } catch (Exception failed) {
          if (failed instanceof InterruptedException) {
            Thread.currentThread().interrupt();
          }
          left = Optional.of("could not be closed: " + failed);
        }
      }
    }
    return left;
  }
}
