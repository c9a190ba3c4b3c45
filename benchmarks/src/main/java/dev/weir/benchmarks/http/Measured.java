package dev.weir.benchmarks.http;

import dev.weir.simulator.provider.Scenario;
import dev.weir.simulator.server.Simulation;
import dev.weir.simulator.server.SimulatorServer;
import dev.weir.simulator.server.Stats;
import dev.weir.time.Time;
import dev.weir.web.WebSettings;
import java.io.IOException;
import java.time.Duration;

/**
 * One run against a server of its own on loopback.
 *
 * @param seconds until the last request was answered, or the patience was exhausted
 * @param stats what the server saw
 */
record Measured(double seconds, Stats stats) {

  /** Longer than any run takes that gets anywhere. */
  static final Duration LONGEST = Duration.ofMinutes(10);

  static Measured of(Time time, Simulation simulation, Scenario scenario, Duration patience)
      throws IOException, InterruptedException {
    try (var server = SimulatorServer.start(time, WebSettings.loopback(0), simulation);
        var client =
            new HttpClientUnderTest(time, server.address(), scenario, HttpLimitsBenchmark.SEED)) {
      double seconds = client.askAll(patience) / 1e9;
      return new Measured(seconds, server.stats());
    }
  }
}
