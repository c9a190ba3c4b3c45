package dev.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.cli.WeirProcess.Logged;
import dev.weir.log.LogFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code weir score} as a process, killed in the middle: what graders have said is not lost. */
@Timeout(120)
class KilledScoringTest {

  private static final int SAMPLES = 60;

  @TempDir Path directory;

  private Path evaluated() throws Exception {
    Files.writeString(
        directory.resolve("questions.csv"),
        IntStream.range(0, SAMPLES)
            .mapToObj(i -> "q%d,What is %d?,%d\n".formatted(i, i, i))
            .collect(Collectors.joining("", "id,input,target\n", "")));
    Path task =
        Files.writeString(
            directory.resolve("task.yaml"),
            "task: questions\ndataset: questions.csv\nsolver: generate\nscorer: includes\n");
    Path logs = directory.resolve("logs");
    try (WeirProcess weir =
        WeirProcess.start(
            directory,
            List.of(
                "eval",
                task.toString(),
                "--model",
                "sim/x",
                "-M",
                "rpm=0,accuracy=1,latency=1ms",
                "--log-dir",
                logs.toString()))) {
      assertThat(weir.ended()).as(weir.words()).isZero();
    }
    return WeirProcess.log(logs).orElseThrow();
  }

  private WeirProcess scoring(Path log, String... more) throws IOException {
    List<String> words =
        new ArrayList<>(
            List.of(
                "score",
                log.toString(),
                "--scorer",
                "model_graded_qa",
                "--model-role",
                "{\"grader\": \"sim/g:accuracy=1,latency=200ms,rpm=0\"}",
                "--max-samples",
                "4"));
    words.addAll(List.of(more));
    return WeirProcess.start(directory, words);
  }

  private List<Path> others(Path log) throws IOException {
    try (Stream<Path> files = Files.list(directory.resolve("logs"))) {
      return files.filter(file -> !file.equals(log) && isLog(file)).toList();
    }
  }

  /** Beside logs, a starting process has locks and probes there that are gone a moment later. */
  private static boolean isLog(Path file) {
    String name = file.toString();
    return name.endsWith(LogFiles.JOURNAL) || name.endsWith(LogFiles.EVAL);
  }

  @Test
  void theSameCommandGoesOn() throws Exception {
    Path log = evaluated();
    try (WeirProcess weir = scoring(log)) {
      weir.until(
          () -> {
            List<Path> begun = others(log);
            return !begun.isEmpty() && Files.size(begun.getFirst()) > 12_000;
          });
      weir.signal("KILL");
      weir.ended();
    }
    Path journal = others(log).getFirst();
    assertThat(journal.toString()).endsWith(LogFiles.JOURNAL);
    long held = LogFiles.held(journal).own();
    assertThat(held).isBetween(1L, SAMPLES - 1L);
    try (WeirProcess weir = scoring(log, "--max-connections", "50")) {
      assertThat(weir.ended()).as(weir.words()).isZero();
      assertThat(weir.words())
          .contains("the scores of %d samples are taken over".formatted(held))
          .contains("Taken over: %d samples".formatted(held))
          .contains("Scored: %d of %d samples".formatted(SAMPLES, SAMPLES));
    }
    assertThat(others(log)).singleElement().asString().endsWith(LogFiles.EVAL);
    Logged now = Logged.read(others(log).getFirst());
    assertThat(now.samples())
        .hasSize(SAMPLES)
        .allMatch(sample -> sample.scores().containsKey("model_graded_qa"));
    assertThat(new HashSet<>(now.samples().stream().map(sample -> sample.id()).toList()))
        .hasSize(SAMPLES);
  }
}
