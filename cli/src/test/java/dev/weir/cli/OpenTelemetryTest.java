package dev.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The command with variables of OpenTelemetry. What is sent is tested in the module otel. */
@Timeout(120)
class OpenTelemetryTest {

  private static final String ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT";
  private static final String HEADERS = "OTEL_EXPORTER_OTLP_HEADERS";

  @TempDir Path directory;

  private Path task(String model) throws Exception {
    return Files.writeString(
        directory.resolve("task.yaml"),
        """
        task: small
        dataset:
          - {id: a, input: Hello, target: x}
          - {id: b, input: Hello, target: x}
        solver: generate
        scorer: includes
        model: %s
        """
            .formatted(model));
  }

  private List<String> eval(String model) throws Exception {
    return List.of(
        "eval",
        task(model).toString(),
        "--log-dir",
        directory.resolve("logs").toString(),
        "--max-connections",
        "1");
  }

  private WeirProcess start(Map<String, String> environment, String model) throws Exception {
    return WeirProcess.start(directory, List.of(), List.of(), environment, eval(model));
  }

  private static String nowhere() throws Exception {
    try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return "http://127.0.0.1:" + socket.getLocalPort();
    }
  }

  @Test
  void aReceiverThatIsDownCostsOneLine() throws Exception {
    try (var run =
        start(Map.of(ENDPOINT, nowhere(), HEADERS, "api-key=s3cret"), "sim/demo:latency=1ms")) {
      assertThat(run.ended()).as(run.words()).isZero();
      assertThat(run.words().lines().filter(line -> line.contains("OpenTelemetry")))
          .singleElement()
          .asString()
          .contains("warning: OpenTelemetry: could not send ", ": cannot connect; ");
      assertThat(run.words()).doesNotContain("s3cret", "opentelemetry", "\tat ");
    }
  }

  @Test
  void whatWasDoneBeforeCtrlCIsSent() throws Exception {
    List<String> paths = new CopyOnWriteArrayList<>();
    HttpServer receiver =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    receiver.createContext(
        "/",
        exchange -> {
          exchange.getRequestBody().readAllBytes();
          paths.add(exchange.getRequestURI().getPath());
          exchange.sendResponseHeaders(200, -1);
          exchange.close();
        });
    receiver.start();
    String address = "http://127.0.0.1:" + receiver.getAddress().getPort();
    try (var run = start(Map.of(ENDPOINT, address), "sim/slow:latency=1h")) {
      Path journals = directory.resolve("logs");
      run.until(() -> WeirProcess.bytes(journals) > 0);
      run.signal("INT");
      assertThat(run.ended()).as(run.words()).isEqualTo(ExitCode.INTERRUPTED);
      assertThat(run.words()).doesNotContain("OpenTelemetry");
      assertThat(paths).contains("/v1/traces");
    } finally {
      receiver.stop(0);
    }
  }

  @Test
  void aWrongValueEndsTheCommandBeforeTheFirstCall() throws Exception {
    Spoken said =
        Spoken.of(
            Map.of(ENDPOINT, "http://127.0.0.1:4318", "OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"),
            eval("sim/demo").toArray());
    assertThat(said.code()).isEqualTo(ExitCode.USAGE);
    assertThat(said.err())
        .contains("weir: OTEL_EXPORTER_OTLP_PROTOCOL: unknown or unsupported protocol 'grpc'");
    assertThat(directory.resolve("logs")).isEmptyDirectory();
  }

  /** Classes that are loaded show in the log of Java itself. */
  @Test
  void nothingOfItIsLoadedWithoutAVariable() throws Exception {
    for (String variable : List.of("OTHER", "OTEL_SERVICE_NAME")) {
      List<String> command = new ArrayList<>(JavaCommand.weir(List.of()));
      // After the option that disables all logging.
      command.add(command.indexOf("-cp"), "-Xlog:class+load:stdout");
      command.addAll(eval("sim/demo:latency=1ms"));
      Path said = directory.resolve("said-" + variable);
      var builder =
          new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(said.toFile());
      builder.environment().put("XDG_STATE_HOME", directory.resolve("state").toString());
      builder.environment().put(variable, "x");
      assertThat(builder.start().waitFor()).isZero();
      assertThat(Files.readAllLines(said))
          .anyMatch(line -> line.contains("dev.weir.telemetry.CallExporter "))
          .noneMatch(line -> line.contains("io.opentelemetry."))
          .noneMatch(line -> variable.equals("OTHER") && line.contains("dev.weir.otel."));
    }
  }
}
