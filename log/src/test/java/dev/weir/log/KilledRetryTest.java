package dev.weir.log;

import static dev.weir.log.WrittenLogContractTest.with;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.log.journal.JournalListener;
import dev.weir.log.journal.JournalOptions;
import dev.weir.time.Time;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** A retry that was killed before it had copied what it keeps is the same log in each form. */
class KilledRetryTest {

  private static final RunStart START = LogFixtures.start("capitals");

  /** The last is why it failed in the first run; before, it had been run again there. */
  private static final List<String> ERRORS = List.of("once it failed", "it broke");

  @TempDir Path directory;
  private Path retry;

  /** One finished, one failed, one never reached; the retry has recorded nothing. */
  @BeforeEach
  void kill() throws IOException {
    Path first;
    try (var log = RunLog.begin(Time.system(), directory, START, JournalListener.NONE)) {
      log.append(LogFixtures.sample("?"));
      log.append(with(LogFixtures.sample("7", "?", 1), Map.of(), Optional.of("it broke")));
      first = log.file();
    }
    retry = killed("k2", first);
  }

  private Path killed(String runId, Path earlier) throws IOException {
    RunStart start = LogFixtures.retry(START, runId, earlier);
    try (var log =
        RunLog.begin(
            Time.system(),
            directory,
            start,
            Optional.of(GoingOn.PLAINLY),
            JournalOptions.defaults())) {
      return log.file();
    }
  }

  @Test
  void eachFormHasTheSameSamples() throws IOException {
    assertSame(retry);
  }

  @Test
  void soHasOneThatWentOnWithIt() throws IOException {
    assertSame(killed("k3", retry));
  }

  private void assertSame(Path journal) throws IOException {
    assertThat(LogDirectory.entry(journal).done()).contains(1L);
    assertOne(journal);
    Path json = directory.resolve("2026-01-01T00-00-00_one.json");
    assertThat(LogFiles.toJson(journal, json)).isEmpty();
    assertOne(json);
    Path eval = directory.resolve("one.eval");
    assertThat(LogFiles.toEval(journal, eval)).isEmpty();
    assertOne(eval);
    assertThat(LogDirectory.entry(eval).done()).contains(1L);
    LogRecovery.Recovered recovered = LogRecovery.recover(journal, true);
    assertThat(recovered.samples()).isEqualTo(1);
    assertOne(recovered.log().orElseThrow());
  }

  /** One that has finished, and one that failed once and was not run again. */
  private void assertOne(Path log) throws IOException {
    JsonNode whole = dumped(log);
    assertThat(whole.path("results").path("completed_samples").asInt()).isEqualTo(1);
    assertThat(whole.path("results").path("total_samples").asInt()).isEqualTo(3);
    assertThat(ids(whole)).containsExactly("a", "7");
    JsonNode left = whole.path("samples").path(1);
    assertThat(left.path("error_retries").findValuesAsString("message"))
        .containsExactlyElementsOf(ERRORS);
    var csv = new StringWriter();
    assertThat(LogExport.csv(List.of(log), csv)).isEmpty();
    assertThat(csv.toString().lines()).hasSize(3);
    var sample = new StringWriter();
    assertThat(EvalLogJson.writeSample(log, "7", 1, sample, false)).isTrue();
    assertThat(LogJson.LINES.readTree(sample.toString())).isEqualTo(left);
    try (var reader = RunLogReader.open(log)) {
      assertThat(reader.errors(10))
          .containsExactly(
              new ErrorHistory("7", 1, List.of(LogFixtures.RETRIED, SampleFailure.of("it broke"))));
    }
  }

  private static List<String> ids(JsonNode log) {
    return log.path("samples").valueStream().map(sample -> sample.path("id").asString()).toList();
  }

  private static JsonNode dumped(Path log) throws IOException {
    var out = new StringWriter();
    EvalLogJson.write(log, out, false, false);
    return LogJson.LINES.readTree(out.toString());
  }

  @Test
  void aListSaysWhatIsGone() throws IOException {
    Files.delete(directory.resolve(LogDirectory.logs(directory).getLast().getFileName()));

    LogEntry entry = LogDirectory.entry(retry);

    assertThat(entry.status()).isEqualTo(LogEntry.Status.KILLED);
    assertThat(entry.done()).contains(0L);
    assertThat(entry.problem().orElseThrow())
        .contains("which is gone: what was not copied yet is run again");
  }

  /** It may yet run them. */
  @Test
  void whileItGoesOnNothingIsSaidOfThoseThatFailedBefore() throws IOException {
    RunStart start = LogFixtures.retry(START, "k4", retry);
    try (var log = RunLog.begin(Time.system(), directory, start, JournalListener.NONE)) {
      assertThat(ids(dumped(log.file()))).containsExactly("a");
      Files.delete(retry);
    }
  }
}
