package dev.weir.simulator.provider;

import java.time.Duration;
import java.util.List;

/**
 * What happened between a client and a provider, attempt by attempt.
 *
 * @param attempts in the order of their arrival
 * @param makespan when the last request ended
 * @param done requests that were answered
 * @param unfinished requests without an end when the simulation was stopped
 * @param provider what the provider counted
 */
public record RecordedRun(
    List<Attempt> attempts, Duration makespan, int done, int unfinished, ProviderCounts provider) {

  public RecordedRun {
    attempts = List.copyOf(attempts);
  }

  /**
   * Runs a client once, without computing an optimum.
   *
   * @param rule beside the limits of the settings
   * @param processes how many clients the requests are dealt out to
   * @param end when the simulation stops, finished or not
   */
  public static RecordedRun of(
      ProviderSettings settings,
      AdmissionRule rule,
      List<Request> requests,
      int processes,
      Duration end,
      Client client,
      long seed) {
    var drive = new Drive(settings, rule, requests, end, seed);
    drive.run(client, processes);
    return new RecordedRun(
        drive.link().attempts(),
        drive.makespan(),
        drive.done(),
        drive.unfinished(),
        drive.model().counts());
  }
}
