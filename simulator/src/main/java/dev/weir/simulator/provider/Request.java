package dev.weir.simulator.provider;

/**
 * A request of a workload: what it will take, known to the simulator from the start.
 *
 * @param id different for each request of a workload; sent again, it keeps its id
 * @param latencyNanos how long the provider works on it
 * @param maxTokens what the client allows for output
 * @param estimatedTokens what the client believes the provider will reserve
 * @param notBeforeNanos when the client comes to have it, from the start of the simulation
 */
public record Request(
    int id,
    long latencyNanos,
    int promptTokens,
    int outputTokens,
    int maxTokens,
    long estimatedTokens,
    long notBeforeNanos) {

  public Request {
    if (id < 0) {
      throw new IllegalArgumentException("`id` must be >= 0, was " + id);
    }
    if (latencyNanos < 0) {
      throw new IllegalArgumentException("`latencyNanos` must be >= 0, was " + latencyNanos);
    }
  }

  /** A request whose client estimates exactly what the provider reserves. */
  public static Request exactlyEstimated(
      int id, long latencyNanos, int promptTokens, int outputTokens, int maxTokens) {
    return new Request(
        id,
        latencyNanos,
        promptTokens,
        outputTokens,
        maxTokens,
        (long) promptTokens + maxTokens,
        0);
  }

  /** The same, for a client that estimates as it does. */
  Request estimatedAt(long tokens) {
    return new Request(
        id, latencyNanos, promptTokens, outputTokens, maxTokens, tokens, notBeforeNanos);
  }

  /** The same, later. */
  Request notBefore(long nanos) {
    return new Request(
        id, latencyNanos, promptTokens, outputTokens, maxTokens, estimatedTokens, nanos);
  }

  /** What the provider reserves at admission: it cannot know the output yet. */
  public long reservedTokens() {
    return (long) promptTokens + maxTokens;
  }

  /** What the request has used when it is answered. */
  public long usedTokens() {
    return (long) promptTokens + outputTokens;
  }
}
