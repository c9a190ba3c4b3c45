package dev.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

class StandardOutputTest {

  @TempDir Path directory;

  private static int code(String why, StringWriter said) {
    var stream =
        new StandardOutput(
            new OutputStream() {
              @Override
              public void write(int one) throws IOException {
                throw new IOException(why);
              }
            });
    var out = new PrintWriter(stream, true, StandardCharsets.UTF_8);
    out.println("a result");
    return Weir.withOutput(ExitCode.SUCCESS, stream, new PrintWriter(said, true));
  }

  @Test
  void aResultThatCannotBeWrittenIsNoSuccess() {
    var said = new StringWriter();
    assertThat(code("No space left on device", said)).isEqualTo(ExitCode.FAILED);
    assertThat(said.toString())
        .contains("weir: standard output cannot be written: No space left on device");
  }

  @Test
  void whoHasReadEnoughMissesNothing() {
    var said = new StringWriter();
    assertThat(code("Broken pipe", said)).isZero();
    assertThat(said.toString()).isEmpty();
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void aFullDiskIsTold() throws Exception {
    List<String> shell = List.of("/bin/sh", "-c", "exec \"$0\" \"$@\" >/dev/full");
    try (var weir =
        WeirProcess.start(directory, shell, List.of(), Map.of(), List.of("--version"))) {
      assertThat(weir.ended()).isEqualTo(ExitCode.FAILED);
      assertThat(weir.words()).contains("standard output cannot be written");
    }
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void whatSolversPrintIsNotInTheResult() throws Exception {
    Path task =
        Files.writeString(
            directory.resolve("Loud.java"),
            """
            import static dev.weir.eval.scorer.Scorers.*;
            import dev.weir.eval.dataset.Sample;
            import dev.weir.eval.task.*;

            class Loud {
              @EvalTask
              static TaskDefinition.Builder loud() {
                System.out.println("made");
                return TaskDefinition.named("loud")
                    .dataset(new Sample("1", "q", "a"))
                    .solver((state, context) -> System.out.println("solved"))
                    .scorer(includes());
              }
            }
            """);
    Path result = directory.resolve("result.json");
    List<String> shell = List.of("/bin/sh", "-c", "exec \"$0\" \"$@\" >'%s'".formatted(result));
    List<String> words =
        List.of(
            "eval",
            task.toString(),
            "--model",
            "mock/echo",
            "--json",
            "--log-dir",
            directory.resolve("logs").toString());
    try (var weir = WeirProcess.start(directory, shell, List.of(), Map.of(), words)) {
      assertThat(weir.ended()).as(weir::words).isZero();
      assertThat(weir.words()).contains("made", "solved");
    }
    assertThat(new JsonMapper().readTree(Files.readString(result)).get("task").asString())
        .isEqualTo("loud");
  }
}
