package dev.weir.simulator.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.time.Time;
import dev.weir.web.WebSettings;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A simulator on a port of this machine, and a client for it. */
final class RunningSimulator implements AutoCloseable {

  static final Time TIME = Time.system();

  /** Long enough for the busiest machine: nothing here takes more than a moment. */
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private static final JsonMapper JSON = new JsonMapper();

  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final SimulatorServer server;

  private RunningSimulator(SimulatorServer server) {
    this.server = server;
  }

  /**
   * @param settings such as {@code rpm=60}; answers take a millisecond unless they say otherwise
   */
  static RunningSimulator with(String... settings) throws Exception {
    return new RunningSimulator(
        SimulatorServer.start(
            TIME,
            WebSettings.loopback(0).withMaxBodyBytes(100_000),
            Simulation.of(Optional.empty(), given(settings), 7)));
  }

  static Map<Setting, List<Given>> given(String... settings) {
    Map<Setting, List<Given>> given = new EnumMap<>(Setting.class);
    given.put(Setting.LATENCY, List.of(new Given("test", "1ms")));
    for (String word : settings) {
      String[] parts = word.split("=", 2);
      Setting setting = Setting.of(parts[0]).orElseThrow();
      List<Given> words = new ArrayList<>();
      if (setting.repeatable()) {
        words.addAll(given.getOrDefault(setting, List.of()));
      }
      words.add(new Given("--" + parts[0], parts[1]));
      given.put(setting, words);
    }
    return given;
  }

  static String chat(String prompt, String more) {
    return "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":%s}]%s}"
        .formatted(JSON.writeValueAsString(prompt), more);
  }

  static String message(String prompt, String more) {
    return "{\"model\":\"m\",\"max_tokens\":50,\"messages\":[{\"role\":\"user\",\"content\":%s}]%s}"
        .formatted(JSON.writeValueAsString(prompt), more);
  }

  HttpRequest.Builder to(String path) {
    return HttpRequest.newBuilder(server.address().resolve(path)).timeout(PATIENCE);
  }

  HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
    return client.send(request.build(), BodyHandlers.ofString());
  }

  HttpResponse<String> post(String path, String body, String... headers) throws Exception {
    HttpRequest.Builder request = to(path).POST(BodyPublishers.ofString(body));
    return send(headers.length == 0 ? request : request.headers(headers));
  }

  HttpResponse<String> chat(String prompt) throws Exception {
    return post("/v1/chat/completions", chat(prompt, ""));
  }

  CompletableFuture<HttpResponse<String>> begin(String path, String body) {
    return client.sendAsync(
        to(path).POST(BodyPublishers.ofString(body)).build(), BodyHandlers.ofString());
  }

  JsonNode stats() throws Exception {
    return json(send(to("/stats")));
  }

  /** Asks for the counts until they are as expected. */
  JsonNode awaitStats(Predicate<JsonNode> expected) throws Exception {
    long deadline = TIME.after(PATIENCE);
    while (true) {
      JsonNode stats = stats();
      if (expected.test(stats)) {
        return stats;
      }
      assertThat(TIME.nanos()).as("in time: %s", stats).isLessThan(deadline);
      TIME.sleep(Duration.ofMillis(2));
    }
  }

  static JsonNode json(HttpResponse<String> response) {
    return JSON.readTree(response.body());
  }

  static JsonNode json(String text) {
    return JSON.readTree(text);
  }

  /** The data of the events of a stream, in order. */
  static List<String> data(HttpResponse<String> response) {
    return response
        .body()
        .lines()
        .filter(line -> line.startsWith("data: "))
        .map(line -> line.substring("data: ".length()))
        .toList();
  }

  /** The documents of a stream, in order. */
  static List<JsonNode> documents(HttpResponse<String> response) {
    return data(response).stream()
        .filter(data -> !data.equals("[DONE]"))
        .map(RunningSimulator::json)
        .toList();
  }

  /** The names of the events of a stream, in order. */
  static List<String> names(HttpResponse<String> response) {
    return response
        .body()
        .lines()
        .filter(line -> line.startsWith("event: "))
        .map(line -> line.substring("event: ".length()))
        .toList();
  }

  /** The texts at a place of several documents, put together. */
  static String joined(List<JsonNode> documents, String pointer) {
    return documents.stream()
        .map(document -> document.at(pointer).asString(""))
        .collect(Collectors.joining());
  }

  @Override
  public void close() {
    client.close();
    server.close();
  }
}
