package dev.weir.otel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.model.ConfigurationException;
import dev.weir.telemetry.CallExporter;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class OtelVariablesTest {

  private static final String ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT";
  private static final String HERE = "http://127.0.0.1:9";

  private static boolean isFound(Map<String, String> environment) {
    return CallExporter.find(environment).isPresent();
  }

  @Test
  void aReceiverOrAnExporterAsksForIt() {
    assertThat(isFound(Map.of(ENDPOINT, HERE))).isTrue();
    assertThat(isFound(Map.of("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", HERE))).isTrue();
    assertThat(isFound(Map.of("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", HERE))).isTrue();
    assertThat(isFound(Map.of("OTEL_METRICS_EXPORTER", "otlp"))).isTrue();
  }

  @Test
  void nothingElseDoes() {
    assertThat(isFound(Map.of())).isFalse();
    assertThat(isFound(Map.of(ENDPOINT, " "))).isFalse();
    assertThat(isFound(Map.of("OTEL_SERVICE_NAME", "nightly"))).isFalse();
    assertThat(isFound(Map.of(ENDPOINT, HERE, "OTEL_SDK_DISABLED", "TRUE"))).isFalse();
    assertThat(
            isFound(
                Map.of(
                    ENDPOINT,
                    HERE,
                    "OTEL_TRACES_EXPORTER",
                    "none",
                    "OTEL_METRICS_EXPORTER",
                    "none")))
        .isFalse();
  }

  /** What a start with these variables says, and all that a stack trace would show. */
  private static String problem(String... variables) {
    Map<String, String> environment = new HashMap<>(Map.of(ENDPOINT, HERE));
    for (int i = 0; i < variables.length; i += 2) {
      environment.put(variables[i], variables[i + 1]);
    }
    var calls = new ExportedCalls(environment);
    var all = new StringWriter();
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> calls.run(() -> {}))
        .satisfies(thrown -> thrown.printStackTrace(new PrintWriter(all)));
    assertThat(all.toString()).doesNotContain("s3cret");
    return all.toString().lines().findFirst().orElse("").replaceFirst("^[^:]*: ", "");
  }

  @Test
  void wrongValuesAreReportedByNameAndWithoutSecrets() {
    assertThat(problem(ENDPOINT, "localhost:4318")).startsWith(ENDPOINT + " is not a valid");
    assertThat(problem(ENDPOINT, "http://me:s3cret@host:x")).startsWith(ENDPOINT + " is not");
    assertThat(problem(ENDPOINT, "https://host/?key=s3cret")).startsWith(ENDPOINT + " is not");
    assertThat(problem("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", "ftp://host"))
        .startsWith("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT is not a valid");
    assertThat(problem("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"))
        .isEqualTo(
            "OTEL_EXPORTER_OTLP_PROTOCOL: unknown or unsupported protocol 'grpc'; Weir sends"
                + " http/protobuf, which receivers usually take on port 4318");
    assertThat(problem("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "http/json"))
        .startsWith("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: ");
    assertThat(problem("OTEL_TRACES_EXPORTER", "zipkin"))
        .isEqualTo(
            "OTEL_TRACES_EXPORTER: unknown or unsupported exporter 'zipkin'; use otlp or none");
    assertThat(problem("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "yes"))
        .startsWith("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: unknown or unsupported");
    assertThat(problem("OTEL_CONFIG_FILE", "/etc/otel.yaml"))
        .startsWith("OTEL_CONFIG_FILE is not supported");
  }

  @Test
  void wrongHeadersAreReportedWithoutTheirValue() {
    for (String headers :
        List.of("s3cret", "a=1,s3cret", "=s3cret", "a b=s3cret", "a=s3cret%zz", "a=s3cret%0A")) {
      assertThat(problem("OTEL_EXPORTER_OTLP_HEADERS", headers))
          .startsWith("OTEL_EXPORTER_OTLP_HEADERS is not of the form name=value");
    }
  }

  /** What the SDK rejects itself. */
  @Test
  void otherWrongValuesAreReportedByName() {
    assertThat(
            problem(
                "OTEL_METRIC_EXPORT_INTERVAL", "often", "OTEL_EXPORTER_OTLP_HEADERS", "a=s3cret"))
        .isEqualTo(
            "OpenTelemetry cannot be set up: check OTEL_METRIC_EXPORT_INTERVAL, or set"
                + " OTEL_SDK_DISABLED=true");
    assertThat(problem("OTEL_EXPORTER_OTLP_COMPRESSION", "brotli"))
        .contains("OTEL_EXPORTER_OTLP_COMPRESSION");
  }

  @Test
  void thePortOfGrpcIsDoubted() {
    List<String> warnings = new ArrayList<>();
    var _ = new OtelVariables(Map.of(ENDPOINT, "http://127.0.0.1:4317")).properties(warnings::add);
    assertThat(warnings)
        .isNotEmpty()
        .allSatisfy(warning -> assertThat(warning).startsWith(ENDPOINT + ": receivers usually"));
  }
}
