package dev.weir.providers.batch;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Runs in processes of their own, which end without a chance to say anything. */
@Timeout(180)
class KilledRunTest {

  @TempDir Path directory;

  static Stream<String> models() {
    return BatchesOverHttpTest.models();
  }

  private Process start(BatchServer server, String model, String how) throws Exception {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-cp",
            System.getProperty("java.class.path"),
            BatchRun.class.getName(),
            model,
            server.address().toString(),
            directory.resolve("batches").toString(),
            how)
        .redirectError(ProcessBuilder.Redirect.appendTo(directory.resolve("errors").toFile()))
        .start();
  }

  private void assertAnswered(Process run) throws Exception {
    List<String> said = run.inputReader().lines().toList();
    assertThat(run.waitFor()).as("%s\n%s", said, errors()).isZero();
    assertThat(said)
        .as(errors())
        .containsAll(
            IntStream.range(0, BatchRun.REQUESTS).mapToObj(i -> "answer answer " + i).toList())
        .noneMatch(line -> line.startsWith("failure"));
  }

  private String errors() throws Exception {
    return Files.readString(directory.resolve("errors"));
  }

  @ParameterizedTest
  @MethodSource("models")
  void theNextRunPicksUpTheBatchesOfOneThatWasKilled(String model) throws Exception {
    try (var server = new BatchServer("3s")) {
      Process killed = start(server, model, "live");
      server.awaitBatched(BatchRun.REQUESTS);
      killed.destroyForcibly().waitFor();
      assertThat(killed.exitValue()).as(errors()).isNotZero();
      assertAnswered(start(server, model, "live"));
      assertThat(server.batched("requests")).isEqualTo(BatchRun.REQUESTS);
      assertThat(server.batched("duplicates")).isZero();
      // The second run was done, so a third pays again.
      assertAnswered(start(server, model, "live"));
      assertThat(server.batched("requests")).isEqualTo(2 * BatchRun.REQUESTS);
    }
  }

  @ParameterizedTest
  @MethodSource("models")
  void aBatchWhoseIdWasNeverWrittenIsFoundAtTheProvider(String model) throws Exception {
    try (var server = new BatchServer("1s")) {
      Process died = start(server, model, "die");
      assertThat(died.waitFor()).as(errors()).isEqualTo(137);
      int paid = server.batched("requests");
      assertThat(paid).isIn(BatchRun.SIZE, 2 * BatchRun.SIZE);
      // One that was intended and not sent is a transient failure, which is retried.
      assertAnswered(start(server, model, "live"));
      assertThat(server.batched("requests")).isEqualTo(BatchRun.REQUESTS);
      assertThat(server.batched("duplicates")).isZero();
    }
  }
}
