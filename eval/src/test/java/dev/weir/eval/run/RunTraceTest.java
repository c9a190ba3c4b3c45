package dev.weir.eval.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limits.event.LimitEvent;
import dev.weir.limits.event.Notice;
import dev.weir.log.trace.TraceFile;
import dev.weir.log.trace.TraceRecord;
import dev.weir.model.AttemptRecord;
import dev.weir.model.ModelName;
import dev.weir.model.Origin;
import dev.weir.model.Usage;
import dev.weir.time.Time;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunTraceTest {

  private static final Instant AT = Instant.parse("2026-11-16T08:00:00Z");

  private static final AttemptRecord ANSWERED =
      new AttemptRecord(
          AT,
          "openai@ab/gpt",
          1,
          "clean",
          Duration.ofNanos(1_500),
          Duration.ofMillis(1_250),
          Optional.empty(),
          Optional.empty(),
          Optional.of(new Usage(30, 7, 20, 0, 0)),
          new Origin(
              ModelName.parse("openai/gpt"),
              OptionalInt.of(200),
              "OK",
              Optional.of("req_1"),
              300,
              5_000_000_000L,
              Optional.of(new Origin.Raw("{\"ask\":1}", "{\"say\":2}"))));

  private static final AttemptRecord REFUSED =
      new AttemptRecord(
          AT,
          "openai@ab/gpt",
          2,
          "rate limited",
          Duration.ZERO,
          Duration.ofNanos(999_600),
          Optional.of(Duration.ofSeconds(61)),
          Optional.of("slow\ndown"),
          Optional.empty(),
          Origin.of(ModelName.parse("openai/gpt")));

  @TempDir Path directory;

  private List<TraceRecord> traced(boolean bodies) throws IOException {
    List<TraceRecord> watched = new ArrayList<>();
    var trace =
        new RunTrace(
            Time.system(),
            "run",
            Optional.of(directory),
            bodies,
            (_, record) -> watched.add(record));
    try (trace) {
      trace.begin();
      trace.attempted(ANSWERED);
      trace.attempted(REFUSED);
    }
    List<TraceRecord> read = new ArrayList<>();
    TraceFile.read(TraceFile.list(directory).getFirst(), read::add);
    assertThat(read).extracting(TraceFile::line).isEqualTo(lines(watched));
    return read;
  }

  private static List<String> lines(List<TraceRecord> records) {
    return records.stream().map(TraceFile::line).toList();
  }

  @Test
  void anAttemptIsALineForPeopleAndDetailsForPrograms() throws IOException {
    assertThat(lines(traced(false)))
        .containsExactly(
            "{\"at\":\"2026-11-16T08:00:01.250Z\",\"event\":\"http\",\"scope\":\"openai@ab/gpt\",\"line\":\"http"
                + " openai@ab/gpt 200 clean in 1.250 s, 300 B out, 5000000000 B in,"
                + " req_1\",\"model\":\"openai/gpt\",\"attempt\":1,\"outcome\":\"clean\","
                + "\"status\":200,\"waited\":0.0000015,\"took\":1.25,\"input_tokens\":30,\"cache_read_tokens\":20,\"output_tokens\":7,\"bytes_sent\":300,"
                + "\"bytes_received\":5000000000,\"request_id\":\"req_1\"}",
            "{\"at\":\"2026-11-16T08:00:00.000999600Z\",\"event\":\"http\","
                + "\"scope\":\"openai@ab/gpt\",\"line\":\"http openai@ab/gpt rate limited in"
                + " 0.001 s, attempt 2, asked to wait 61.000 s, 0 B out, 0 B in: slow down\","
                + "\"model\":\"openai/gpt\",\"attempt\":2,\"outcome\":\"rate limited\","
                + "\"waited\":0.0,\"took\":0.0009996,\"server_wait\":61.0,\"bytes_sent\":0,"
                + "\"bytes_received\":0,\"message\":\"slow\\ndown\"}");
  }

  @Test
  void bodiesAreKeptIfTheyAreAskedFor() throws IOException {
    List<TraceRecord> records = traced(true);
    assertThat(records.getFirst().details())
        .containsEntry("input_tokens", 30)
        .containsEntry("cache_read_tokens", 20)
        .containsEntry("output_tokens", 7)
        .containsEntry("request", "{\"ask\":1}")
        .containsEntry("response", "{\"say\":2}");
    assertThat(records.getLast().details()).doesNotContainKeys("request", "response");
  }

  private static AttemptRecord failed(String outcome, String message) {
    return new AttemptRecord(
        AT,
        "loc@ab/e500",
        1,
        outcome,
        Duration.ZERO,
        Duration.ofSeconds(2),
        Optional.empty(),
        Optional.of(message),
        Optional.empty(),
        Origin.of(ModelName.parse("openai-api/loc/e500")));
  }

  private static TraceRecord noted(String scope, LimitEvent event, AttemptRecord... before) {
    List<TraceRecord> watched = new ArrayList<>();
    try (var trace =
        new RunTrace(
            Time.system(), "run", Optional.empty(), false, (_, record) -> watched.add(record))) {
      for (AttemptRecord attempt : before) {
        trace.attempted(attempt);
      }
      trace.noted(new Notice(AT, 0, scope, event));
    }
    return watched.getLast();
  }

  @Test
  void aCircuitIsOpenedByWhatFailedAndNotByWhatWasTakenBack() {
    TraceRecord opened =
        noted(
            "loc@ab/e500",
            new LimitEvent.CircuitOpened(),
            failed("transient", "no answer within 2 s (--attempt-timeout)"),
            failed("cancelled", "taken back"));
    assertThat(opened.details()).containsEntry("why", "no answer within 2 s (--attempt-timeout)");
  }

  @Test
  void whatHappensToLimitsIsToldWithTheModelAsItWasAskedFor() {
    AttemptRecord refused = failed("authentication", "401 Unauthorized");
    assertThat(noted("loc@ab/e500", new LimitEvent.CircuitOpened(), refused).details())
        .containsEntry("model", "openai-api/loc/e500");
    assertThat(noted("loc@ab/e500", new LimitEvent.CircuitClosed(), refused).details())
        .containsEntry("model", "openai-api/loc/e500");
    for (String scope : List.of("loc@ab/e500", "loc@ab", "loc@ab#family")) {
      assertThat(noted(scope, new LimitEvent.Stopped("401"), ANSWERED, refused).details())
          .as(scope)
          .containsEntry("model", "openai-api/loc/e500");
    }
  }
}
