package dev.weir.model;

import dev.weir.limits.header.ResponseFacts;

/** Learns what an exchange brings before it has ended. Called on the task that makes it. */
public interface ExchangeListener {

  /** Nobody listens. */
  ExchangeListener NONE = _ -> {};

  /**
   * What an answer says about limits, as soon as its headers are there. What a failure says is part
   * of the {@link Response.Failure}.
   */
  void facts(ResponseFacts facts);

  /** Whether pieces are of interest; if so, the adapter streams where it can. */
  default boolean wantsChunks() {
    return false;
  }

  /** The next piece of the answer. It is part of the reply, too. */
  default void chunk(Chunk chunk) throws InterruptedException {}
}
