package dev.weir.model;

import java.time.Duration;
import java.util.Optional;

/**
 * Answers of an earlier time, for work that is done again from its beginning: as long as it asks
 * the same, it is not asked again. Unlike a cache it gives each answer once, as often as it was
 * given before, and the answer counts as one that was paid for. Thread-safe.
 */
public interface Recollection {

  /**
   * Somebody asks, perhaps while others ask the same.
   *
   * @param asked a hash of all that shapes the answer
   */
  Asking ask(Request request, String asked);

  /**
   * A text that {@link Asking#keep} got.
   *
   * @param takes how long who asks is to wait for it
   */
  record Before(String text, Duration takes) {}

  /** One who asks, until he has his answer or wants none any more. */
  interface Asking extends AutoCloseable {

    /** What he was answered before. */
    Optional<Before> known();

    /** He has it now. */
    void taken();

    /**
     * Takes an answer, and returns when it is safe; the call is in flight until then. That is no
     * part of what the call took.
     *
     * @param text the reply, to be kept
     */
    void keep(Response.Reply reply, String text, Duration took);

    @Override
    void close();
  }
}
