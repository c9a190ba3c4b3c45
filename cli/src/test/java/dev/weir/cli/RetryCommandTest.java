package dev.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.time.Task;
import dev.weir.time.virtual.VirtualTime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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
              .contains(first + " has already been resumed by " + second)
              .contains("resume that one, or use --again");
          Path elsewhere = directory.resolve("elsewhere");
          assertThat(weir("eval-retry", first, "--log-dir", elsewhere).err()).contains("already");
          assertThat(weir("eval-retry", second).err()).contains("there is nothing to retry");
          Spoken again = weir("eval-retry", first, "--epochs", 2, "--again");
          assertThat(again.code()).isZero();
          assertThat(again.err()).contains("reusing 2 finished samples, running 2");
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
          assertThat(second.err()).contains("wait until that run has ended");
          assertThat(running.join().code()).isZero();
          return second;
        });
  }

  /** {@code eval-retry LOG --max-connections 3} is what people are told to do. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          --rpm 600                              | --max-connections 3        | static  |
          --tpm 60000 --rpm 600                  | --max-connections 3        | static  |
          --self-hosted                          | --max-connections 3        | static  | self-hosted
          --concurrency-mode halving             | --max-connections 3        | static  | concurrency-mode
          --adaptive-connections 2-4             | --max-connections 3        | static  | adaptive-connections
          --adaptive-connections 2-4 --decrease-factor 0.5 | --max-connections 3 | static | adaptive-connections, decrease-factor
          --concurrency-mode pace --rpm 600      | --max-connections 3        | pace    |
          --max-connections 3                    | --rpm 600                  | static  |
          --concurrency-mode halving             | --rpm 600                  | halving |
          --max-connections 3                    | --self-hosted              | pace    | max-connections
          --max-connections 3                    | --adaptive-connections 2-4 | aimd    | max-connections
          --rpm 600 --self-hosted                | --concurrency-mode aimd    | aimd    | self-hosted
          --adaptive-connections false           | --concurrency-mode aimd    | aimd    | adaptive-connections
          --max-connections 3                    | --concurrency-mode halving | halving | max-connections
          --adaptive-connections 2-4             | --concurrency-mode static  | static  | adaptive-connections
          """)
  void whatIsGivenReplacesWhatItContradictsInTheLog(
      String before, String given, String mode, @Nullable String replaced) throws Exception {
    List<Object> first = new ArrayList<>(List.of("eval", task, "--json"));
    first.addAll(List.of(before.split(" ", -1)));
    List<Object> again = new ArrayList<>(List.of("--epochs", 2, "--json"));
    again.addAll(List.of(given.split(" ", -1)));
    time.run(
        () -> {
          Path log = log(weir(first.toArray()));
          again.addAll(0, List.of("eval-retry", log));
          Spoken retried = weir(again.toArray());
          assertThat(retried.code()).as(retried.err()).isZero();
          assertThat(retried.json().path("concurrency_mode").asString()).isEqualTo(mode);
          List<String> told =
              retried.err().lines().filter(line -> line.contains("does not apply")).toList();
          List<String> options = replaced == null ? List.of() : List.of(replaced.split(", ", -1));
          assertThat(told).hasSameSizeAs(options);
          for (String option : options) {
            assertThat(told)
                .anySatisfy(
                    line ->
                        assertThat(line)
                            .startsWith("weir: --" + option + " ")
                            .endsWith(" chooses mode " + mode));
          }
          return retried;
        });
  }

  /** The task says it again, and would bring it back. */
  @Test
  void whatIsReplacedIsReplacedInTheTaskToo() throws Exception {
    Files.writeString(task, Files.readString(task) + "self_hosted: true\n");
    time.run(
        () -> {
          Path log = log(weir("eval", task, "--json"));
          Spoken retried = weir("eval-retry", log, "--epochs", 2, "--max-connections", 3, "--json");
          assertThat(retried.code()).as(retried.err()).isZero();
          assertThat(retried.err()).contains("--self-hosted true of the log does not apply");
          Spoken once =
              weir("eval-retry", retried.json().path("log").asString(), "--epochs", 3, "--json");
          assertThat(once.code()).as(once.err()).isZero();
          assertThat(once.json().path("concurrency_mode").asString()).isEqualTo("static");
          return once;
        });
  }
}
