package dev.weir.simulator.provider;

import java.time.Duration;
import java.util.List;

/**
 * The shortest time in which a workload can be done, by a client that knows the provider's state.
 *
 * <p>It sends the requests in order, each at the first instant at which it conforms, without a
 * network in between: a bucket loses nothing to such a client, so this attains the bound
 * (rate-limits, 3.1). A bare cap on concurrency is different: a slot is idle while the answer and
 * the next request are under way, which no client can avoid, so there a perfect semaphore behind
 * the real network is the optimum. A bucket of one request is different, too: jitter alone makes
 * some arrive too early, so the best fixed pace is the optimum. What strikes by chance does not
 * strike an oracle.
 */
public final class Oracle {

  private Oracle() {}

  public static Optimum optimum(ProviderSettings settings, List<Request> requests, long seed) {
    boolean bareCap =
        settings.cap().isPresent()
            && settings.requests().isEmpty()
            && settings.hiddenRequests().isEmpty()
            && settings.tokens().isEmpty()
            && settings.inputTokens().isEmpty()
            && settings.outputTokens().isEmpty();
    ProviderSettings certain = settings.withoutChance();
    if (FixedPace.isOptimal(settings)) {
      return FixedPace.best(certain, requests, seed);
    }
    var drive = new Drive(bareCap ? certain : certain.withoutDelay(), requests, seed);
    drive.run(bareCap ? new WindowClient(settings.cap().get().slots()) : new GreedyClient(), 1);
    if (drive.unfinished() > 0) {
      throw new IllegalStateException(
          "cannot compute the optimum: %d of %d requests do not fit the limits within %s"
              .formatted(drive.unfinished(), requests.size(), Drive.LONGEST));
    }
    return new Optimum(drive.makespan(), drive.model().accepted());
  }

  /**
   * @param accepted when the provider admitted the requests
   */
  public record Optimum(Duration makespan, TimeSeries accepted) {}
}
