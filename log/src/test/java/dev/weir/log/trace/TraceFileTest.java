package dev.weir.log.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TraceFileTest {

  private static final Instant NOW = Instant.parse("2026-11-15T12:00:00Z");

  @TempDir private Path directory;

  private static TraceRecord record(int number) {
    return new TraceRecord(
        NOW.plusSeconds(number),
        TraceRecord.HTTP,
        "openai@ab/gpt",
        "line %d with \"quotes\" and ü".formatted(number),
        Map.of("status", 200 + number, "outcome", "clean", "took", 0.25));
  }

  private static List<TraceRecord> read(Path file) throws IOException {
    List<TraceRecord> records = new ArrayList<>();
    TraceFile.read(file, records::add);
    return records;
  }

  @Test
  void whatIsWrittenIsRead() throws IOException {
    Path file;
    try (var trace = TraceFile.begin(directory.resolve("deep/er"), NOW, "run")) {
      file = trace.file();
      trace.write(record(1));
      trace.write(record(2));
    }
    assertThat(read(file)).containsExactly(record(1), record(2));
  }

  @Test
  void aLineIsJsonWithTheTimesInSeconds() {
    Map<String, Object> details = new LinkedHashMap<>();
    details.put("took", 0.000_1);
    details.put("waited", 60.000_000_001);
    details.put("per_minute", 1.0 / 3);
    details.put("bytes_sent", 5_000_000_000L);
    details.put("status", 429);
    details.put("last", true);
    details.put("message", "no\nmore ü");
    var record = new TraceRecord(NOW.plusNanos(1_500_000), "http", "a@b/c", "\"x\"", details);
    assertThat(TraceFile.line(record))
        .isEqualTo(
            "{\"at\":\"2026-11-15T12:00:00.001500Z\",\"event\":\"http\",\"scope\":\"a@b/c\","
                + "\"line\":\"\\\"x\\\"\",\"took\":0.0001,\"waited\":60.000000001,"
                + "\"per_minute\":0.3333333333333333,\"bytes_sent\":5000000000,\"status\":429,"
                + "\"last\":true,\"message\":\"no\\nmore ü\"}");
  }

  @Test
  void aTraceThatIsBeingWrittenCanBeRead() throws IOException {
    try (var trace = TraceFile.begin(directory, NOW, "run")) {
      trace.write(record(1));
      trace.write(record(2));
      trace.flush();
      trace.write(record(3));
      assertThat(read(trace.file())).containsExactly(record(1), record(2));
      trace.flush();
      assertThat(read(trace.file())).containsExactly(record(1), record(2), record(3));
    }
  }

  @Test
  void ofATornFileTheRestIsRead() throws IOException {
    Path file;
    try (var trace = TraceFile.begin(directory, NOW, "run")) {
      file = trace.file();
      for (int i = 0; i < 200; i++) {
        trace.write(record(i));
        trace.flush();
      }
    }
    byte[] whole = Files.readAllBytes(file);
    for (int length = 20; length < whole.length; length += 97) {
      Files.write(file, java.util.Arrays.copyOf(whole, length));
      List<TraceRecord> read = read(file);
      for (int i = 0; i < read.size(); i++) {
        assertThat(read.get(i)).isEqualTo(record(i));
      }
    }
    Files.write(file, java.util.Arrays.copyOf(whole, whole.length - 30));
    assertThat(read(file)).hasSizeGreaterThan(190);
  }

  @Test
  void whatIsNoTraceIsToldSo() throws IOException {
    Path other = Files.writeString(directory.resolve("x.trace.gz"), "not gzip");
    assertThatExceptionOfType(IOException.class)
        .isThrownBy(() -> read(other))
        .withMessageContaining("is not a trace");
    for (String line : List.of("[1]", "{\"at\":\"yesterday\"}", "{\"event\":1}")) {
      Path wrong = directory.resolve("y.trace.gz");
      try (var out = new GZIPOutputStream(Files.newOutputStream(wrong))) {
        out.write((line + "\n").getBytes(StandardCharsets.UTF_8));
      }
      assertThatExceptionOfType(IOException.class)
          .isThrownBy(() -> read(wrong))
          .withMessageContaining("is not a trace");
    }
  }

  @Test
  void theLastTenRunsAreKept() throws IOException {
    for (int i = 0; i < 14; i++) {
      TraceFile.begin(directory, NOW.plusSeconds(i), "run" + i).close();
    }
    assertThat(TraceFile.list(directory))
        .hasSize(10)
        .first()
        .matches(file -> file.toString().contains("run13"));
    assertThat(TraceFile.list(directory).getLast().toString()).contains("run4");
    assertThat(TraceFile.list(directory.resolve("none"))).isEmpty();
  }
}
