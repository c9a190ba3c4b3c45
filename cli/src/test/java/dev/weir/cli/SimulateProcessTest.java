package dev.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.time.Time;
import java.io.BufferedReader;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** {@code weir simulate} on real sockets: as a process, and where the port is taken. */
@Timeout(120)
class SimulateProcessTest {

  private static final JsonMapper JSON = new JsonMapper();

  private static ProcessBuilder weir(String... words) {
    var builder =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-cp",
            System.getProperty("java.class.path"),
            "dev.weir.cli.Weir");
    for (String word : words) {
      builder.command().add(word);
    }
    builder.environment().keySet().removeIf(name -> name.startsWith("WEIR_"));
    return builder;
  }

  @Test
  void servesUntilItIsAskedToEndAndThenTellsWhatItSaw() throws Exception {
    Process process =
        weir("simulate", "--port", "0", "--json", "--rpm", "1", "--burst", "1", "--latency", "1ms")
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    try (HttpClient client = HttpClient.newHttpClient();
        BufferedReader said = process.inputReader()) {
      JsonNode greeting = JSON.readTree(said.readLine());
      URI address = URI.create(greeting.get("address").asString());
      assertThat(address.getPort()).isEqualTo(greeting.get("port").asInt());
      HttpRequest call =
          HttpRequest.newBuilder(address.resolve("/v1/chat/completions"))
              .POST(
                  BodyPublishers.ofString(
                      """
                      {"model":"m","messages":[{"role":"user","content":"[[echo: hello]]"}]}
                      """))
              .build();
      HttpResponse<String> answer = client.send(call, BodyHandlers.ofString());
      assertThat(answer.statusCode()).isEqualTo(200);
      assertThat(answer.body()).contains("\"hello\"");
      assertThat(client.send(call, BodyHandlers.ofString()).statusCode()).isEqualTo(429);
      // Not by the process itself, which would close what it says.
      process.toHandle().destroy();
      JsonNode stats = JSON.readTree(said.readLine());
      assertThat(stats.get("requests").asInt()).isEqualTo(2);
      assertThat(stats.get("answers").asInt()).isEqualTo(1);
      assertThat(stats.get("refusals").get("total").asInt()).isEqualTo(1);
      assertThat(said.readLine()).isNull();
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
      assertThat(process.exitValue()).as("by a termination signal").isEqualTo(143);
    } finally {
      process.destroyForcibly();
    }
  }

  @Test
  void aPortThatIsTakenIsToldWithTheRemedy() throws Exception {
    var err = new StringWriter();
    try (var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      int code =
          Weir.run(
              new Surroundings(
                  Time.system(),
                  new PrintWriter(new StringWriter()),
                  new PrintWriter(err),
                  Map.of(),
                  false),
              "simulate",
              "--port",
              String.valueOf(taken.getLocalPort()));
      assertThat(code).isEqualTo(ExitCode.USAGE);
      assertThat(err.toString())
          .contains("another program listens on 127.0.0.1, port " + taken.getLocalPort())
          .contains("choose another --port");
    }
  }
}
