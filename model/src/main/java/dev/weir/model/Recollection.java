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
   * The next answer to what is asked, as {@link #keep} got it.
   *
   * @param asked a hash of all that shapes the answer
   */
  Optional<String> take(Request request, String asked);

  /**
   * Takes an answer, and returns when it is safe; the call is in flight until then. That is no part
   * of what the call took.
   *
   * @param text the reply, to be kept
   */
  void keep(Request request, String asked, Response.Reply reply, String text, Duration took);
}
