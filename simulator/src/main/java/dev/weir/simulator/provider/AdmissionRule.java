package dev.weir.simulator.provider;

import java.util.OptionalLong;

/**
 * A limit that {@link ProviderSettings} cannot express, such as one that depends on how a client
 * behaves. Asked once for each request that arrives and meets no fault, before the limits of the
 * settings are checked.
 */
public interface AdmissionRule {

  /** Leaves every decision to the settings. */
  AdmissionRule NONE = (_, _) -> OptionalLong.empty();

  /**
   * Returns the wait in nanoseconds that a refusal asks for, as far as the settings let it say so;
   * empty if the rule does not refuse the request.
   */
  OptionalLong refusal(long now, Request request);

  /** Returns what a response says about the quotas, given what the settings would have it say. */
  default QuotaHeaders advertised(QuotaHeaders actual) {
    return actual;
  }
}
