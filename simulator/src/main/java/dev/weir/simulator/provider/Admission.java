package dev.weir.simulator.provider;

/** What becomes of a request that arrives at a provider. */
public sealed interface Admission {

  /** Served from now on: {@link ProviderModel#finished} is due after its latency. */
  record Accepted(Work work) implements Admission {}

  /** Charged and waiting for a slot: {@link ProviderModel#finished} of another will start it. */
  record Queued(Work work) implements Admission {}

  /** Charged, and never answered: it keeps its slot until {@link ProviderModel#abandoned}. */
  record Hung(Work work) implements Admission {}

  /**
   * @param afterNanos how long the provider takes to say so
   */
  record Refused(Response.Refusal response, long afterNanos) implements Admission {}

  /**
   * @param afterNanos how long the provider takes to say so
   */
  record Failed(Response.Failure response, long afterNanos) implements Admission {}
}
