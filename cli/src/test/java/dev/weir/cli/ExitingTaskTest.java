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
      for (Path log : logs.filter(file -> !file.toString().endsWith(".lock")).toList()) {
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
