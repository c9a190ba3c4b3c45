package dev.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.log.RunLogReader;
import dev.weir.log.SampleResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Code of a task that calls System.exit, in a process of its own. */
@Timeout(120)
class ExitingTaskTest {

  @TempDir Path directory;

  private Path exiting(String call) throws Exception {
    return Files.writeString(
        directory.resolve("Exiting.java"),
        """
        import dev.weir.eval.dataset.Sample;
        import dev.weir.eval.scorer.Scorers;
        import dev.weir.eval.task.EvalTask;
        import dev.weir.eval.task.TaskDefinition;
        import java.time.Duration;

        class Exiting {
          @EvalTask
          static TaskDefinition.Builder exiting() {
            return TaskDefinition.named("exiting")
                .dataset(new Sample("1", "a", "a"), new Sample("2", "b", "b"))
                .solver(
                    (state, context) -> {
                      state.generate(context.model());
                      if (state.sample().id().equals("2")) {
                        context.time().sleep(Duration.ofMillis(500));
                        %s;
                      }
                    })
                .scorer(Scorers.includes());
          }
        }
        """
            .formatted(call));
  }

  private List<String> words(Path task) {
    return List.of(
        "eval",
        task.toString(),
        "--model",
        "mock/echo",
        "--display",
        "plain",
        "--log-dir",
        directory.resolve("logs").toString());
  }

  @Test
  void isToldAndIsNoSuccessAndLosesNothing() throws Exception {
    for (String call : List.of("System.exit(0)", "Runtime.getRuntime().exit(7)")) {
      try (var process = WeirProcess.start(directory, words(exiting(call)))) {
        assertThat(process.ended()).as(process::words).isEqualTo(ExitCode.FAILED);
        assertThat(process.words())
            .contains("weir: the code of a task called System.exit;", "`weir eval-retry LOG`");
      }
    }
    List<String> finished = new ArrayList<>();
    try (var logs = Files.list(directory.resolve("logs"))) {
      for (Path log : logs.toList()) {
        assertThat(log.toString()).as("as after Ctrl+C").endsWith(".eval");
        try (var reader = RunLogReader.open(log)) {
          for (Optional<SampleResult> sample = reader.sample();
              sample.isPresent();
              sample = reader.sample()) {
            finished.add(sample.get().id());
          }
        }
      }
    }
    assertThat(finished).contains("1", "1");
  }

  @Test
  void isAnEndThatIsToldAsJsonToo() throws Exception {
    List<String> words = new ArrayList<>(words(exiting("System.exit(0)")));
    words.add("--json");
    try (var process = WeirProcess.start(directory, words)) {
      assertThat(process.ended()).as(process::words).isEqualTo(ExitCode.FAILED);
      assertThat(process.words()).contains("\"status\" : \"cancelled\"", ".eval\"");
    }
  }

  /** Whatever command asks for the tasks. */
  @Test
  void isToldWhileTasksAreLoaded() throws Exception {
    Path task =
        Files.writeString(
            directory.resolve("Early.java"),
            """
            import dev.weir.eval.task.EvalTask;
            import dev.weir.eval.task.TaskDefinition;

            class Early {
              @EvalTask
              static TaskDefinition.Builder early() {
                System.exit(0);
                return TaskDefinition.named("early");
              }
            }
            """);
    String file = task.toString();
    Path report = directory.resolve("report.xml");
    for (List<String> words :
        List.of(
            List.of("list", "tasks", file),
            List.of("eval", file, "--model", "mock/echo", "--junit", report.toString()),
            List.of("eval", file, "--model", "mock/echo", "--dry-run"),
            List.of("eval", file, "--model", "openai/gpt-4o", "--rehearse", "openai-tier-1"),
            List.of(
                "eval-set",
                file,
                "--model",
                "mock/echo",
                "--log-dir",
                directory.resolve("set").toString()))) {
      try (var process = WeirProcess.start(directory, words)) {
        assertThat(process.ended()).as(process::words).isEqualTo(ExitCode.FAILED);
        assertThat(process.words())
            .contains("weir: the code of a task called System.exit;", "The command ends unfinished")
            .doesNotContain("eval-retry");
      }
    }
    assertThat(report).doesNotExist();
  }

  @Test
  void aRunThatIsEndedLeavesAWholeReport() throws Exception {
    Path report = directory.resolve("report.xml");
    List<String> words = new ArrayList<>(words(exiting("System.exit(0)")));
    words.addAll(List.of("--junit", report.toString()));
    try (var process = WeirProcess.start(directory, words)) {
      assertThat(process.ended()).as(process::words).isEqualTo(ExitCode.FAILED);
    }
    assertThat(report).content().contains("not finished").endsWith("</testsuites>");
  }

  /**
   * The report is a pipe. Whoever opens it to read waits until it is written, which is when the run
   * has ended; and the command is still there, because the report is longer than a pipe holds.
   */
  @Test
  void aRunThatHadEndedIsNotCalledUnfinished() throws Exception {
    Path pipe = directory.resolve("pipe");
    assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
    Path task =
        exiting(
            """
            if (state.epoch() == 1) {
              new Thread(() -> {
                try (var opened = new java.io.FileInputStream("%s")) {
                  System.exit(0);
                } catch (java.io.IOException unexpected) {
                  unexpected.printStackTrace();
                }
              }).start();
            }
            """
                .formatted(pipe));
    List<String> words = new ArrayList<>(words(task));
    words.addAll(List.of("--junit", pipe.toString(), "--epochs", "1000"));
    try (var process = WeirProcess.start(directory, words)) {
      assertThat(process.ended()).as(process::words).isEqualTo(ExitCode.FAILED);
      assertThat(process.words())
          .contains("weir: the code of a task called System.exit;", "the log is whole")
          .doesNotContain("unfinished", "eval-retry");
    }
  }

  @Test
  void aTerminationIsNotTakenForIt() throws Exception {
    Path task = exiting("context.time().sleep(Duration.ofHours(1))");
    try (var process = WeirProcess.start(directory, words(task))) {
      process.until(() -> process.words().contains("1/2"));
      process.signal("TERM");
      assertThat(process.ended()).as(process::words).isEqualTo(143);
      assertThat(process.words()).doesNotContain("System.exit");
    }
  }
}
