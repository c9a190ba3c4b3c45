package dev.weir.model;

import dev.weir.limits.LimitKey;

/**
 * A call to a model, as its {@link CallEvent}s name it. It is an identity: two calls are never
 * equal, also when they ask the same. So it can be the key of what a listener knows of a call.
 */
public final class ModelCall {

  private final ModelName model;
  private final LimitKey key;
  private final String endpoint;
  private final Request request;
  private final boolean isStreamed;
  private final boolean isBatched;

  ModelCall(
      ModelName model,
      LimitKey key,
      String endpoint,
      Request request,
      boolean isStreamed,
      boolean isBatched) {
    this.model = model;
    this.key = key;
    this.endpoint = endpoint;
    this.request = request;
    this.isStreamed = isStreamed;
    this.isBatched = isBatched;
  }

  /** The model as it was asked for. */
  public ModelName model() {
    return model;
  }

  /** What its limits belong to; engine and model are named there as the engine names them. */
  public LimitKey key() {
    return key;
  }

  /** Where it is sent: the base address of a server, or empty; see {@link Adapter#endpoint()}. */
  public String endpoint() {
    return endpoint;
  }

  /** What is asked. It may be confidential: a listener that passes it on must be asked to. */
  public Request request() {
    return request;
  }

  /** Whether the caller reads the answer piece by piece. */
  public boolean isStreamed() {
    return isStreamed;
  }

  /** Whether it is sent in a batch: then it counts in no limit on calls in flight. */
  public boolean isBatched() {
    return isBatched;
  }

  @Override
  public String toString() {
    return "call to " + model;
  }
}
