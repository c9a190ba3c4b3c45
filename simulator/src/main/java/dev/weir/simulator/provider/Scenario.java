package dev.weir.simulator.provider;

import java.time.Duration;
import java.util.Optional;

/**
 * A provider and what is asked of it.
 *
 * @param name short and unique
 * @param processes how many clients share the work without knowing of each other
 * @param disturbedUntil when the last disturbance ends; convergence counts from there
 */
public record Scenario(
    String name,
    String title,
    int processes,
    Workload workload,
    ProviderSettings settings,
    Optional<Duration> disturbedUntil) {

  public Scenario {
    if (processes < 1) {
      throw new IllegalArgumentException("`processes` must be >= 1, was " + processes);
    }
  }

  /** A scenario with one process and no disturbance. */
  static Scenario of(String name, String title, Workload workload, ProviderSettings settings) {
    return new Scenario(name, title, 1, workload, settings, Optional.empty());
  }

  Scenario withProcesses(int number) {
    return new Scenario(name, title, number, workload, settings, disturbedUntil);
  }

  Scenario withDisturbanceUntil(Duration end) {
    return new Scenario(name, title, processes, workload, settings, Optional.of(end));
  }

  /** With the first so many of the requests. */
  public Scenario withRequests(int count) {
    return new Scenario(
        name, title, processes, workload.withCount(count), settings, disturbedUntil);
  }

  /** The number of requests. */
  public int requests() {
    return workload.count();
  }

  /** Whether the client is told all it needs; a hidden slice under an advertised quota is not. */
  public boolean advertised() {
    return settings.advertising().quota() && settings.hiddenRequests().isEmpty();
  }
}
