package dev.weir.model.batch;

import dev.weir.model.ModelName;
import java.time.Instant;
import java.util.Optional;

/**
 * Something that happened to a batch, for people.
 *
 * @param id the provider's, once it is known
 * @param requests in the batch
 * @param detail what else there is to say; empty if nothing
 */
public record BatchEvent(
    Instant at, ModelName model, Kind kind, Optional<String> id, int requests, String detail) {

  /** What happened. */
  public enum Kind {
    /** The provider has it. */
    SENT,
    /** One of an earlier run is waited for instead of being sent again. */
    PICKED_UP,
    /** More of its requests are done. */
    PROGRESS,
    /** Its results are here. */
    ENDED,
    /** Something about it is not as it should be, and it goes on all the same. */
    TROUBLE,
    /** Its requests failed with it. */
    FAILED,
    /** This run ends, and the batch goes on at the provider, where it costs what it costs. */
    LEFT
  }
}
