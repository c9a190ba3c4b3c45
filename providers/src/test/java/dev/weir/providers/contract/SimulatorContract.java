package dev.weir.providers.contract;

import dev.weir.simulator.server.Given;
import dev.weir.simulator.server.Setting;
import dev.weir.simulator.server.Simulation;
import dev.weir.simulator.server.SimulatorServer;
import dev.weir.testkit.Feature;
import dev.weir.testkit.ProviderContract;
import dev.weir.testkit.Scene;
import dev.weir.time.Time;
import dev.weir.web.WebSettings;
import java.io.IOException;
import java.net.URI;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.TestInstance;

/** The contract over HTTP: one server for all tests of a class. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class SimulatorContract extends ProviderContract {

  private final SimulatorServer server = start();

  private static SimulatorServer start() {
    Map<Setting, List<Given>> given = new EnumMap<>(Setting.class);
    given.put(Setting.LATENCY, List.of(new Given("test", "1ms")));
    given.put(Setting.API_KEY, List.of(new Given("test", CREDENTIAL)));
    try {
      return SimulatorServer.start(
          Time.system(), WebSettings.loopback(0), Simulation.of(Optional.empty(), given, 1));
    } catch (IOException unable) {
      throw new IllegalStateException(unable);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(interrupted);
    }
  }

  @AfterAll
  final void stop() {
    server.close();
  }

  /** Where the API begins at this server. */
  abstract String path();

  /** A refusal as this API writes it, for a message without quotes. */
  abstract String refusalBody(int status, String message);

  @Override
  protected final Optional<URI> baseUrl() {
    return Optional.of(server.address().resolve(path()));
  }

  @Override
  protected Map<Feature, String> lacking() {
    return Map.of();
  }

  @Override
  protected String knownArgument() {
    return "stream";
  }

  @Override
  protected String prompt(Scene scene) {
    if (!(scene instanceof Scene.Refuses(int status, String message, var retryAfter))) {
      return super.prompt(scene);
    }
    String refusal = "[[status: %d %s]]".formatted(status, refusalBody(status, message));
    return retryAfter.isZero()
        ? refusal
        : "%s [[header: retry-after: %d]]".formatted(refusal, retryAfter.toSeconds());
  }
}
