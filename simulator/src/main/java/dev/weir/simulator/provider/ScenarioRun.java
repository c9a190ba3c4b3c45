package dev.weir.simulator.provider;

import java.util.List;

/**
 * A scenario with a seed, on which clients are run: each meets the same requests and the same
 * provider. Not thread-safe.
 */
public final class ScenarioRun {

  private final Scenario scenario;
  private final long seed;
  private final List<Request> requests;
  private final Oracle.Optimum optimum;

  public ScenarioRun(Scenario scenario, long seed) {
    this.scenario = scenario;
    this.seed = seed;
    this.requests = scenario.workload().requests(seed);
    this.optimum = Oracle.optimum(scenario.settings(), requests, seed);
  }

  public Oracle.Optimum optimum() {
    return optimum;
  }

  /** Runs a client from the start of the provider until every request has an end. */
  public ScenarioResult run(Client client) {
    var drive = new Drive(scenario.settings(), requests, seed);
    drive.run(client, scenario.processes());
    ProviderModel model = drive.model();
    return new ScenarioResult(
        drive.makespan(),
        optimum.makespan(),
        requests.size(),
        drive.unfinished(),
        drive.gaveUp(),
        model.counts().answers() - drive.done(),
        Convergence.to(optimum.accepted(), scenario.disturbedUntil()).reached(model.accepted()),
        model.counts(),
        model.accepted(),
        model.refused());
  }
}
