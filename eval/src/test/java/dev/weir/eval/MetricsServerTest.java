package dev.weir.eval;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.within;

import dev.weir.eval.option.Settings;
import dev.weir.eval.option.TraceOptions.LogLevel;
import dev.weir.log.trace.TraceRecord;
import dev.weir.model.ConfigurationException;
import dev.weir.telemetry.Telemetry;
import dev.weir.time.virtual.VirtualTime;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** When an evaluation serves metrics, and what they say on virtual time, to the nanosecond. */
class MetricsServerTest {

  private static final String TASK =
      """
      task: small
      dataset:
        - {id: a, input: one, target: x}
        - {id: b, input: two, target: x}
        - {id: c, input: three, target: x}
        - {id: d, input: four, target: x}
      solver: [generate, self_critique]
      scorer: includes
      """;

  @TempDir Path directory;

  private final VirtualTime time = VirtualTime.seeded(1);
  private final List<TraceRecord> attempts = new ArrayList<>();
  private final List<String> warnings = new ArrayList<>();
  private final List<String> happened = new ArrayList<>();
  private String atTheEnd = "";

  private Host host() {
    return new Host(
        Map.of("WEIR_MODEL_ENGINE_LIMITS", "{\"sim\": {\"one\": 2}}"),
        Optional.empty(),
        this::watch);
  }

  private void watch(LogLevel level, TraceRecord record) {
    if (record.event().equals(TraceRecord.HTTP)) {
      happened.add("attempt");
      attempts.add(record);
    } else {
      warnings.add(record.line());
    }
  }

  private MetricsServer.Serving serve(MetricsServer.Place place, Telemetry telemetry) {
    happened.add("port " + place.port());
    assertThat(telemetry.expose(Optional.empty()).text())
        .as("limits are there before the first call")
        .contains("model_inferences_max_concurrent{model_engine=\"sim\",model_name=\"one\"} 2.0");
    return () -> {
      happened.add("closed");
      atTheEnd = telemetry.expose(Optional.empty()).text();
    };
  }

  private void run(Host host) throws Exception {
    Path task = Files.writeString(directory.resolve("task.yaml"), TASK);
    Settings settings =
        Settings.NONE
            .model("sim/one")
            .modelArgs(Map.of("rpm", 60, "burst", 2, "error-rate", 0.2))
            .with("model-role", "critic=sim/two")
            .maxConnections(3)
            .seed(5)
            .metricsPort(9464)
            .logDir(directory.resolve("logs"));
    time.run(() -> Evaluation.prepare(time, task, settings, host).run());
  }

  private double value(String series) {
    return atTheEnd
        .lines()
        .filter(line -> line.startsWith(series + " "))
        .mapToDouble(line -> Double.parseDouble(line.substring(series.length() + 1)))
        .findFirst()
        .orElse(Double.NaN);
  }

  @Test
  void itServesFromBeforeTheFirstCallToTheEnd() throws Exception {
    run(host().withMetrics(this::serve));
    assertThat(happened).startsWith("port 9464", "attempt").endsWith("attempt", "closed");
    assertThat(warnings).noneMatch(line -> line.contains("metrics"));
  }

  @Test
  void theIntegralIsExactlyThatOfTheTrace() throws Exception {
    run(host().withMetrics(this::serve));
    assertThat(attempts).hasSizeGreaterThan(12);
    for (String model : List.of("one", "two")) {
      double seconds =
          attempts.stream()
              .map(TraceRecord::details)
              .filter(details -> ("sim/" + model).equals(details.get("model")))
              .mapToDouble(details -> (double) Objects.requireNonNull(details.get("took")))
              .sum();
      String labels = "{model_engine=\"sim\",model_name=\"%s\"}".formatted(model);
      assertThat(value("model_inferences_in_flight_seconds_total" + labels))
          .isPositive()
          .isCloseTo(seconds, within(1e-9));
      assertThat(value("model_inferences_in_flight" + labels)).isZero();
    }
    assertThat(value("model_inferences_in_flight_peak{model_engine=\"sim\",model_name=\"one\"}"))
        .isEqualTo(2);
  }

  @Test
  void aProgramWithoutAServerIsWarned() throws Exception {
    run(host());
    assertThat(warnings).anyMatch(line -> line.contains("`metrics_port` has no effect"));
  }

  @Test
  void aServerThatCannotStartEndsTheEvaluationBeforeTheFirstCall() {
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(
            () ->
                run(
                    host()
                        .withMetrics(
                            (_, _) -> {
                              throw new ConfigurationException("the port is taken");
                            })))
        .withMessage("the port is taken");
    assertThat(attempts).isEmpty();
    assertThat(directory.resolve("logs")).isEmptyDirectory();
  }
}
