package dev.weir.providers.batch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.model.ModelName;
import dev.weir.model.batch.BatchAdapter;
import dev.weir.model.batch.BatchEvent;
import dev.weir.model.batch.BatchJournal;
import dev.weir.model.batch.BatchSettings;
import dev.weir.model.batch.BatchingAdapter;
import dev.weir.model.spi.Providers;
import dev.weir.model.spi.Surroundings;
import dev.weir.simulator.server.Given;
import dev.weir.simulator.server.Setting;
import dev.weir.simulator.server.Simulation;
import dev.weir.simulator.server.SimulatorServer;
import dev.weir.time.Time;
import dev.weir.web.WebSettings;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A simulator whose live API lets one request a minute through, and models that are asked there.
 */
final class BatchServer implements AutoCloseable {

  static final String CREDENTIAL = "sk-not-to-be-seen-anywhere";

  private static final Time TIME = Time.system();
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final JsonMapper JSON = new JsonMapper();

  private final SimulatorServer server;
  private final HttpClient client = HttpClient.newHttpClient();

  BatchServer(String batchTime) throws Exception {
    Map<Setting, List<Given>> given = new EnumMap<>(Setting.class);
    given.put(Setting.BATCH_TIME, List.of(new Given("test", batchTime)));
    given.put(Setting.RPM, List.of(new Given("test", "1")));
    given.put(Setting.API_KEY, List.of(new Given("test", CREDENTIAL)));
    server =
        SimulatorServer.start(
            TIME, WebSettings.loopback(0), Simulation.of(Optional.empty(), given, 7));
  }

  URI address() {
    return server.address();
  }

  /** The model as a run opens it. */
  static BatchAdapter open(String model, String address, String credential) {
    var name = ModelName.parse(model);
    boolean isOpenAi = name.provider().equals("openai");
    URI base = URI.create(address.replaceAll("/+$", "") + (isOpenAi ? "/v1" : ""));
    String variable = isOpenAi ? "OPENAI_API_KEY" : "ANTHROPIC_API_KEY";
    return (BatchAdapter)
        Providers.find(name)
            .open(
                name,
                Map.of(),
                new Surroundings(TIME, 7, Map.of(variable, credential), Optional.of(base)));
  }

  BatchAdapter open(String model) {
    return open(model, address().toString(), CREDENTIAL);
  }

  static BatchingAdapter batching(
      String model,
      BatchAdapter adapter,
      int size,
      BatchJournal journal,
      Consumer<BatchEvent> events) {
    return new BatchingAdapter(
        TIME,
        ModelName.parse(model),
        adapter,
        BatchSettings.defaults()
            .withSize(size)
            .withSendDelay(Duration.ofSeconds(20))
            .withPollInterval(Duration.ofMillis(50)),
        journal,
        events);
  }

  static BatchJournal journal(Path directory, String model) {
    return BatchJournal.open(directory, "task@" + model, TIME);
  }

  JsonNode stats() throws Exception {
    return JSON.readTree(
        client
            .send(
                HttpRequest.newBuilder(address().resolve("/stats")).build(),
                BodyHandlers.ofString())
            .body());
  }

  int batched(String what) throws Exception {
    return stats().get("batched").get(what).asInt();
  }

  /** Waits until so many requests were taken in batches. */
  void awaitBatched(int requests) throws Exception {
    long deadline = TIME.after(PATIENCE);
    while (batched("requests") < requests) {
      assertThat(TIME.nanos()).as("in time").isLessThan(deadline);
      TIME.sleep(Duration.ofMillis(5));
    }
  }

  @Override
  public void close() {
    client.close();
    server.close();
  }
}
