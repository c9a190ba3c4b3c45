package dev.weir.eval.select;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.eval.option.Settings;
import dev.weir.time.virtual.VirtualTime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What makes outcomes of one selection serve another, and what must not. */
class SelectionIdentityTest {

  private static final int ALL = 4;

  @TempDir private Path directory;

  @BeforeEach
  void forgetCalls() {
    CountedProvider.reset();
  }

  private static Path task(Path directory, String scorer) throws IOException {
    Files.createDirectories(directory);
    return Files.writeString(
        directory.resolve("task.yaml"),
        """
        task: sums
        vars: {hard: "no"}
        dataset:
          - {id: a, input: What is 1 + 1?, target: "2"}
          - {id: b, input: What is 2 + 2?, target: "4"}
        solver: generate
        scorer: %s
        """
            .formatted(scorer));
  }

  /** How many of the outcomes were known before. */
  private long kept(Path task, Settings given) throws Exception {
    Path file =
        Files.writeString(
            directory.resolve("select.yaml"),
            """
            task: %s
            nodes:
              model: ["counted/a:rpm=0", "counted/b:rpm=0"]
            selector: brute_force
            log_dir: %s
            """
                .formatted(task, directory.resolve("logs")));
    var time = VirtualTime.seeded(1);
    SelectionFindings found =
        time.run(() -> ModelSelection.prepare(time, file, given, Planted.host()).run(_ -> {}));
    assertThat(found.result().evaluations()).isEqualTo(ALL);
    return found.kept();
  }

  @Test
  void theSameIsNotPaidForAgain() throws Exception {
    Path task = task(directory, "{match: {location: begin}}");
    assertThat(kept(task, Settings.NONE)).isZero();
    assertThat(kept(task, Settings.NONE)).isEqualTo(ALL);
    assertThat(CountedProvider.calls()).isEqualTo(ALL);
  }

  @Test
  void outcomesOfAScorerThatWasGivenSomethingElseAreNotReused() throws Exception {
    assertThat(kept(task(directory, "{match: {location: begin}}"), Settings.NONE)).isZero();
    assertThat(kept(task(directory, "{match: {location: end}}"), Settings.NONE)).isZero();
    assertThat(kept(task(directory, "{match: {location: begin}}"), Settings.NONE)).isEqualTo(ALL);
  }

  @Test
  void norThoseOfATaskThatWasGivenSomethingElse() throws Exception {
    Path task = task(directory, "match");
    assertThat(kept(task, Settings.NONE.with("task_args", "hard=true"))).isZero();
    assertThat(kept(task, Settings.NONE.with("task_args", "hard=false"))).isZero();
    assertThat(kept(task, Settings.NONE.with("task_args", "hard=true"))).isEqualTo(ALL);
  }

  @Test
  void norThoseOfAnotherFile() throws Exception {
    assertThat(kept(task(directory, "match"), Settings.NONE)).isZero();
    assertThat(kept(task(directory.resolve("other"), "match"), Settings.NONE)).isZero();
  }

  @Test
  void norThoseOfAnotherServer() throws Exception {
    Path task = task(directory, "match");
    Settings one = Settings.NONE.with("model_base_url", "http://127.0.0.1:1");
    Settings another = Settings.NONE.with("model_base_url", "http://127.0.0.1:2");
    assertThat(kept(task, one)).isZero();
    assertThat(kept(task, another)).isZero();
    assertThat(kept(task, one)).isEqualTo(ALL);
  }
}
