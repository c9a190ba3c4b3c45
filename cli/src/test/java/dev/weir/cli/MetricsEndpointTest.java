package dev.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.eval.MetricsServer;
import dev.weir.eval.MetricsServer.Place;
import dev.weir.limits.EngineLimits;
import dev.weir.limits.EngineLimits.Ceiling;
import dev.weir.limits.EngineLimits.Engine;
import dev.weir.limits.RateCeiling;
import dev.weir.model.ConfigurationException;
import dev.weir.simulator.server.Simulation;
import dev.weir.simulator.server.SimulatorServer;
import dev.weir.telemetry.Telemetry;
import dev.weir.time.Time;
import dev.weir.web.WebSettings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code --metrics-port} of each command, and what is served there. */
@Timeout(120)
class MetricsEndpointTest {

  @TempDir Path directory;

  private final List<String> announced = new ArrayList<>();

  private Spoken weir(String... words) throws IOException {
    Files.writeString(
        directory.resolve("task.yaml"),
        """
        task: small
        dataset: [{id: a, input: Hello, target: x}]
        solver: generate
        scorer: includes
        model: sim/demo:latency=1ms
        """);
    return Spoken.of(
        Map.of("WEIR_LOG_DIR", directory.resolve("logs").toString()),
        Stream.of(words)
            .map(word -> word.equals("TASK") ? directory.resolve("task.yaml") : word)
            .toArray());
  }

  private MetricsServer.Serving serving(Optional<String> token, Place place, Telemetry telemetry) {
    return new MetricsEndpoint(Time.system(), token, announced::add).start(place, telemetry);
  }

  private String address() {
    return announced.getFirst().replaceAll(".* at (.*)/metrics", "$1");
  }

  private static HttpResponse<String> get(String address, String... headers) throws Exception {
    try (HttpClient client = HttpClient.newHttpClient()) {
      HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(address));
      if (headers.length > 0) {
        request.headers(headers);
      }
      return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }
  }

  /** As it stands there, but for the ports and the number of samples. */
  @Test
  void theCommandsOfTheReadmeWork() throws Exception {
    Path root = Path.of("..").toAbsolutePath().normalize();
    String section =
        Files.readString(root.resolve("README.md"))
            .replaceAll("(?s).*\n## See saturation\n(.*?)\n## .*", "$1");
    assertThat(section).contains("./weir simulate --port 8099 &", "export OPENAI_API_KEY=any");
    String command =
        section.lines().map(String::strip).reduce("", "%s %s"::formatted).replace("\\ ", "");
    List<String> words =
        List.of(command.replaceAll(".*\\./weir (eval .*?--metrics-port \\d+).*", "$1").split(" +"));
    try (SimulatorServer provider =
        SimulatorServer.start(
            Time.system(), WebSettings.loopback(0), Simulation.of(Optional.empty(), Map.of(), 1))) {
      Spoken said =
          Spoken.of(
              Map.of(
                  "OPENAI_API_KEY",
                  "any",
                  "WEIR_MEMORY",
                  "false",
                  "WEIR_LOG_DIR",
                  directory.resolve("logs").toString()),
              words.stream()
                  .map(word -> word.startsWith("examples/") ? root.resolve(word) : word)
                  .map(word -> word.equals("40") ? "1" : word.equals("9464") ? "0" : word)
                  .map(
                      word ->
                          word.equals("http://127.0.0.1:8099/v1")
                              ? provider.address() + "/v1"
                              : word)
                  .toArray());
      assertThat(said.code()).as("%s: %s", words, said.err()).isZero();
      assertThat(said.err())
          .contains("weir: saturation is at", "which works once: ")
          .doesNotContain("out of date", "engine limits name");
      assertThat(provider.stats().peakInFlight()).isBetween(2, 10);
      assertThat(provider.stats().requests()).isEqualTo(50);
    }
  }

  @Test
  void aFreePortIsChosenAndPrinted() throws Exception {
    Spoken said = weir("eval", "TASK", "--metrics-port", "0");
    assertThat(said.code()).as(said.err()).isZero();
    assertThat(said.err())
        .containsPattern("weir: metrics are at http://127\\.0\\.0\\.1:[1-9]\\d+/metrics");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "eval TASK",
        "eval-set TASK --log-dir DIR",
      })
  void aPortThatIsTakenIsAnErrorBeforeTheFirstCall(String command) throws Exception {
    try (var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String port = Integer.toString(taken.getLocalPort());
      Spoken said =
          weir(
              Stream.concat(
                      Stream.of(command.split(" "))
                          .map(
                              word ->
                                  word.equals("DIR") ? directory.resolve("set").toString() : word),
                      Stream.of("--metrics-port", port))
                  .toArray(String[]::new));
      assertThat(said.code()).isEqualTo(2);
      assertThat(said.err())
          .contains(
              "weir: --metrics-port: another program listens on port %s of 127.0.0.1; choose another port, or 0 for any that is free"
                  .formatted(port));
      assertThat(directory).isDirectoryNotContaining("glob:**.{journal,eval}");
    }
  }

  @ParameterizedTest
  @CsvSource({"-1", "65536", "http"})
  void aPortIsANumber(String word) throws Exception {
    Spoken said = weir("eval", "TASK", "--metrics-port=" + word);
    assertThat(said.code()).isEqualTo(2);
    assertThat(said.err())
        .contains("--metrics-port must be a port from 0 to 65535, was '%s'".formatted(word));
  }

  @Test
  void aRehearsalServesNothing() throws Exception {
    Spoken said = weir("eval", "TASK", "--metrics-port", "0", "--dry-run");
    assertThat(said.code()).as(said.err()).isZero();
    // Nothing is called, so there is nothing to see.
    assertThat(said.err()).doesNotContain("metrics");
  }

  @Test
  void metricsAndSaturationAreServed() throws Exception {
    var telemetry = new Telemetry(Time.system(), _ -> Optional.empty());
    telemetry.limitTo(
        new EngineLimits(
            Map.of(
                "anthropic",
                new Engine(
                    Map.of("claude", new Ceiling(OptionalInt.of(7531), RateCeiling.NONE))))));
    try (var _ = serving(Optional.empty(), new Place(Optional.empty(), 0), telemetry)) {
      HttpResponse<String> metrics = get(address() + "/metrics");
      assertThat(metrics.statusCode()).isEqualTo(200);
      assertThat(metrics.headers().firstValue("content-type").orElse(""))
          .startsWith("text/plain; version=0.0.4");
      assertThat(metrics.body())
          .contains(
              "model_inferences_max_concurrent{model_engine=\"anthropic\",model_name=\"claude\"}"
                  + " 7531.0");
      HttpResponse<String> open =
          get(address() + "/metrics", "Accept", "application/openmetrics-text;version=1.0.0");
      assertThat(open.headers().firstValue("content-type").orElse(""))
          .startsWith("application/openmetrics-text");
      HttpResponse<String> saturation = get(address() + "/api/saturation");
      assertThat(saturation.body())
          .contains("\"percent\":0", "\"level\":\"ok\"")
          .doesNotContain("7531");
      assertThat(get(address() + "/").statusCode()).isEqualTo(404);
    }
  }

  /** Programs of other users of the machine, and beyond it, must not read limits. */
  @Test
  void aConfiguredTokenGuardsMetricsToo() throws Exception {
    var telemetry = new Telemetry(Time.system(), _ -> Optional.empty());
    String token = "0123456789abcdef0123456789abcdef";
    var everywhere = new Place(Optional.of("0.0.0.0"), 0);
    try (var _ = serving(Optional.of(token), everywhere, telemetry)) {
      assertThat(String.join(" ", announced))
          .doesNotContain(token)
          .contains("enter the token of WEIR_METRICS_TOKEN");
      String local = address().replace("0.0.0.0", "127.0.0.1");
      HttpResponse<String> refused = get(local + "/metrics");
      assertThat(refused.statusCode()).isEqualTo(401);
      assertThat(refused.headers().firstValue("www-authenticate")).hasValue("Bearer");
      assertThat(get(local + "/metrics", "Authorization", "Bearer " + token.replace('0', '1')))
          .returns(401, HttpResponse::statusCode);
      assertThat(get(local + "/metrics", "Authorization", "Bearer " + token).body())
          .contains("weir_config_reload_success");
      assertThat(get(local + "/metrics?token=" + token).statusCode()).isEqualTo(400);
      assertThat(get(local + "/saturation/enter?token=" + token).statusCode())
          .as("a token that outlives the process must not stand in a link")
          .isEqualTo(403);
      assertThat(get(local + "/saturation").statusCode()).isEqualTo(200);
    }
  }

  @Test
  void beyondThisMachineATokenIsNeeded() throws Exception {
    Spoken said = weir("eval", "TASK", "--metrics-port", "0", "--metrics-host", "0.0.0.0");
    assertThat(said.code()).isEqualTo(2);
    assertThat(said.err()).contains("--metrics-host: 0.0.0.0", "set WEIR_METRICS_TOKEN");
    Spoken alone = weir("eval", "TASK", "--metrics-host", "127.0.0.1");
    assertThat(alone.code()).isEqualTo(2);
    assertThat(alone.err()).contains("--metrics-port is missing");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "short-secret", "0123456789abcdef 0123456789abcdef"})
  void aTokenThatIsNoneIsNotRepeated(String token) {
    var telemetry = new Telemetry(Time.system(), _ -> Optional.empty());
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(
            () -> serving(Optional.of(token), new Place(Optional.empty(), 0), telemetry).close())
        .withMessage(
            "WEIR_METRICS_TOKEN must be one word of at least 32 characters; make one with: openssl"
                + " rand -hex 32");
  }

  @Test
  void readinessSaysWhetherLimitsCanBeRead() throws Exception {
    var telemetry = new Telemetry(Time.system(), _ -> Optional.empty());
    try (var _ = serving(Optional.empty(), new Place(Optional.empty(), 0), telemetry)) {
      assertThat(get(address() + "/ready").body()).isEqualTo("{\"ready\":true,\"problems\":[]}");
      telemetry.configured(false, Time.system().instant());
      HttpResponse<String> answer = get(address() + "/ready");
      assertThat(answer.statusCode()).isEqualTo(200);
      assertThat(answer.body()).contains("the engine limits could not be reloaded");
      telemetry.configured(true, Time.system().instant());
      assertThat(get(address() + "/ready").body()).contains("\"problems\":[]");
    }
  }
}
