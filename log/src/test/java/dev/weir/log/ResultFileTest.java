package dev.weir.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class ResultFileTest {

  private static final JsonMapper JSON = new JsonMapper();

  @TempDir Path directory;

  private static RunResult result(String task) {
    return new RunResult(
        "k3",
        RunResult.Status.SUCCESS,
        Optional.empty(),
        task,
        "sim/demo",
        7,
        "pace",
        10,
        Instant.parse("2026-11-15T10:11:12Z"),
        Instant.parse("2026-11-15T10:11:15.5Z"),
        3.5,
        Map.of("accuracy", 0.5),
        new RunResult.Counts(3, 1, 1, 1),
        new RunResult.Tokens(10, 4),
        RunResult.Cost.NONE,
        0,
        2,
        List.of(
            new RunResult.SampleResult(
                "a",
                "Naïve \"question\"\n?",
                "yes",
                Optional.of("Yes."),
                Optional.of(1.0),
                Optional.empty(),
                2,
                new RunResult.Tokens(10, 4),
                RunResult.Cost.NONE,
                0,
                new RunResult.Times(0.5, 0.125, 3, 0.25, 1, 4.75))));
  }

  @Test
  void halfACharacterDoesNotCostTheResult() throws IOException {
    Path file = ResultFile.write(directory, result("half \ud83d"));
    assertThat(Files.readString(file)).contains("half ?");
  }

  @Test
  void writesOneDocumentUnderAReadableName() throws IOException {
    Path file = ResultFile.write(directory, result("capitals"));
    assertThat(file).hasFileName("2026-11-15T10-11-12_capitals_k3.json");
    JsonNode document = JSON.readTree(Files.readString(file));
    assertThat(document.get("format").asString()).isEqualTo("weir-result");
    assertThat(document.get("version").asInt()).isEqualTo(1);
    assertThat(document.get("status").asString()).isEqualTo("success");
    assertThat(document.get("error").isNull()).isTrue();
    assertThat(document.get("started").asString()).isEqualTo("2026-11-15T10:11:12Z");
    assertThat(document.get("metrics").get("accuracy").asDouble()).isEqualTo(0.5);
    assertThat(document.get("samples").get("unfinished").asInt()).isEqualTo(1);
    JsonNode sample = document.get("results").get(0);
    assertThat(sample.get("input").asString()).isEqualTo("Naïve \"question\"\n?");
    assertThat(sample.get("times").get("backed_off").asDouble()).isEqualTo(3.0);
    try (var files = Files.list(directory)) {
      assertThat(files).containsExactly(file);
    }
  }

  @Test
  void theSummaryHasTheMetricsByNameAndNoSamples() {
    JsonNode summary =
        JSON.readTree(ResultFile.summary(result("capitals"), Optional.of(Path.of("a.json"))));
    assertThat(summary.get("metrics").get("accuracy").asDouble()).isEqualTo(0.5);
    assertThat(summary.get("log").asString()).isEqualTo("a.json");
    assertThat(summary.has("results")).isFalse();
  }

  @Test
  void taskNamesCannotLeaveTheDirectory() throws IOException {
    Path file = ResultFile.write(directory, result("../../etc/päss wd" + "x".repeat(500)));
    assertThat(file.getParent()).isEqualTo(directory);
    assertThat(file.getFileName().toString()).hasSizeLessThan(130);
  }

  @Test
  void directoriesAreMadeAndTried() throws IOException {
    Path nested = directory.resolve("a/b");
    ResultFile.prepare(nested);
    assertThat(nested).isEmptyDirectory();
    // As another process leaves it that is doing the same at this moment.
    Files.createFile(nested.resolve(".weir-probe"));
    ResultFile.prepare(nested);
    assertThat(nested).isEmptyDirectory();
    Path file = Files.createFile(directory.resolve("occupied"));
    assertThatExceptionOfType(IOException.class).isThrownBy(() -> ResultFile.prepare(file));
  }

  @Test
  void samplesAreCountedExactlyOnce() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new RunResult.Counts(3, 1, 1, 0))
        .withMessageContaining("`total` must be the sum");
  }
}
