package dev.weir.simulator.provider;

import java.time.Duration;
import java.util.Optional;

/**
 * How a client did in a scenario.
 *
 * @param makespan when the last request ended
 * @param optimum when it would have ended for the oracle
 * @param requests how many there were
 * @param unfinished how many had no end when the simulation was stopped
 * @param gaveUp how many the client ended without an answer
 * @param discarded answers that the provider gave and the client did not keep
 * @param converged the time from the last disturbance to the first 20 s that carry 90 % of the
 *     sustainable rate; passed trivially by a client that always sends too much
 * @param provider what the provider saw
 */
public record ScenarioResult(
    Duration makespan,
    Duration optimum,
    int requests,
    int unfinished,
    int gaveUp,
    int discarded,
    Optional<Duration> converged,
    ProviderCounts provider,
    TimeSeries accepted,
    TimeSeries refused) {

  /** Makespan by optimum; infinite if the client did not finish. */
  public double ratio() {
    return unfinished > 0
        ? Double.POSITIVE_INFINITY
        : (double) makespan.toNanos() / optimum.toNanos();
  }

  public double refusalsPerThousand() {
    return 1_000.0 * provider.refusals() / requests;
  }

  public int failures() {
    return provider.failures();
  }

  public int peakInFlight() {
    return provider.peakInFlight();
  }
}
