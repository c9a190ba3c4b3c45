package dev.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.time.Task;
import dev.weir.time.virtual.VirtualTime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RetryCommandTest {

  @TempDir Path directory;

  private final VirtualTime time = VirtualTime.seeded(1);
  private Path task = Path.of("");

  @BeforeEach
  void writeTask() throws IOException {
    Files.writeString(
        directory.resolve("q.csv"), "id,input,target\n1,What is 1?,1\n2,What is 2?,2\n");
    task =
        Files.writeString(
            directory.resolve("task.yaml"),
            """
            task: sums
            dataset: q.csv
            solver: generate
            scorer: includes
            model: sim/x:accuracy=1,latency=2s,rpm=0
            """);
  }

  private Spoken weir(Object... words) {
    return Spoken.of(
        time,
        Map.of("HOME", directory.toString(), "WEIR_LOG_DIR", directory.resolve("logs").toString()),
        words);
  }

  private static Path log(Spoken said) {
    assertThat(said.code()).as(said.err()).isZero();
    return Path.of(said.json().path("log").asString());
  }

  @Test
  void whatALaterLogHasIsNotPaidForTwice() throws Exception {
    time.run(
        () -> {
          Path first = log(weir("eval", task, "--json"));
          Path second = log(weir("eval-retry", first, "--epochs", 2, "--json"));

          Spoken refused = weir("eval-retry", first, "--epochs", 2, "--json");

          assertThat(refused.code()).isEqualTo(ExitCode.USAGE);
          assertThat(refused.err())
              .contains(first + " is gone on with already, by " + second)
              .contains("give that one to `weir eval-retry`", "--again");
          Path elsewhere = directory.resolve("elsewhere");
          assertThat(weir("eval-retry", first, "--log-dir", elsewhere).err()).contains("already");
          assertThat(weir("eval-retry", second).err()).contains("4 finished samples are kept");
          Spoken again = weir("eval-retry", first, "--epochs", 2, "--again");
          assertThat(again.code()).isZero();
          assertThat(again.err()).contains("2 finished samples are kept, 2 are run");
          return again;
        });
  }

  @Test
  void aLogWhoseRetryRunsIsLeftToIt() throws Exception {
    time.run(
        () -> {
          Path first = log(weir("eval", task, "--json"));
          Path elsewhere = directory.resolve("elsewhere");
          Task<Spoken> running =
              time.start(
                  "retry", () -> weir("eval-retry", first, "--epochs", 9, "--log-dir", elsewhere));
          time.sleep(Duration.ofSeconds(1));

          Spoken second = weir("eval-retry", first, "--epochs", 9, "--log-dir", elsewhere);

          assertThat(second.code()).isEqualTo(ExitCode.USAGE);
          assertThat(second.err()).contains("whose run goes on: wait until it has ended");
          assertThat(running.join().code()).isZero();
          return second;
        });
  }
}
