package dev.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.time.virtual.VirtualTime;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** {@code weir eval-set} and {@code weir eval-retry} as a user meets them, on virtual time. */
class EvalSetCommandTest {

  private static final String BOTH = "sim/a:accuracy=1,rpm=0,sim/b:accuracy=0,rpm=0";

  @TempDir Path directory;

  private final VirtualTime time = VirtualTime.seeded(1);
  private final Map<String, String> environment = new HashMap<>();
  private Path logs;
  private Path one;
  private Path two;

  private record Said(int code, String out, String err) {

    JsonNode json() {
      return new JsonMapper().readTree(out);
    }
  }

  private Said weir(Object... words) throws Exception {
    var out = new StringWriter();
    var err = new StringWriter();
    List<String> arguments = new ArrayList<>();
    for (Object word : words) {
      arguments.add(word.toString());
    }
    int code =
        time.run(
            () ->
                Weir.run(
                    new Surroundings(
                        time, new PrintWriter(out), new PrintWriter(err), environment, false),
                    arguments.toArray(String[]::new)));
    return new Said(code, out.toString(), err.toString());
  }

  @BeforeEach
  void writeTasks() throws IOException {
    environment.put("HOME", directory.toString());
    environment.put("WEIR_DISPLAY", "none");
    logs = directory.resolve("set");
    one = task("one");
    two = task("two");
  }

  private Path task(String name) throws IOException {
    var rows = new StringBuilder("input,target\n");
    for (int i = 1; i <= 20; i++) {
      rows.append("Question %d of %s?,answer%d\n".formatted(i, name, i));
    }
    Files.writeString(directory.resolve(name + ".csv"), rows);
    return Files.writeString(
        directory.resolve(name + ".yaml"),
        """
        task: %s
        dataset: %s.csv
        solver: generate
        scorer: includes
        """
            .formatted(name, name));
  }

  private List<Path> logs() throws IOException {
    try (Stream<Path> files = Files.list(logs)) {
      return files.filter(file -> file.toString().endsWith(".eval")).sorted().toList();
    }
  }

  private static long calls(JsonNode results) {
    long calls = 0;
    for (JsonNode result : results.isArray() ? results : List.of(results)) {
      calls += result.path("models").path(0).path("calls").asLong();
    }
    return calls;
  }

  @Test
  void aScoringOfARunIsPassedOver() throws Exception {
    weir("eval-set", one, "--model", "sim/a:accuracy=1,rpm=0", "--log-dir", logs);
    Path run = logs().getFirst();
    weir("score", run, "--scorer", "exact");
    weir("score", run, "--scorer", "includes", "--action", "overwrite");
    assertThat(logs()).hasSize(3);
    Said again = weir("eval-set", one, "--model", "sim/a:accuracy=1,rpm=0", "--log-dir", logs);
    assertThat(again.err()).isEqualToNormalizingNewlines("weir: 1 run is complete already\n");
    assertThat(again.code()).isZero();
    assertThat(logs()).hasSize(3);
    assertThat(weir("log", "list", logs).out()).contains("a scoring of " + run);
  }

  @Test
  void runsEachTaskOnEachModelAndNothingTheSecondTime() throws Exception {
    Said first = weir("eval-set", one, two, "--model", BOTH, "--log-dir", logs);
    assertThat(first.err()).isEmpty();
    assertThat(first.code()).isZero();
    List<Path> written = logs();
    assertThat(written).hasSize(4);
    assertThat(logs.resolve(".weir-set.json")).content().contains("\"weir-set\"", "one.yaml@one");

    Said second =
        weir("eval-set", one, two, "--model", BOTH, "--log-dir", logs, "--max-connections", 3);
    assertThat(second.code()).isZero();
    assertThat(second.err()).contains("4 runs are complete already");
    assertThat(second.out()).contains("one", "two", "sim/a", "sim/b");
    assertThat(logs()).isEqualTo(written);
  }

  @Test
  void aNewTaskModelOrEpochRunsJustThat() throws Exception {
    weir("eval-set", one, "--model", "sim/a:accuracy=1,rpm=0", "--log-dir", logs);
    Said task = weir("eval-set", one, two, "--model", "sim/a:accuracy=1,rpm=0", "--log-dir", logs);
    assertThat(task.err()).contains("1 run is complete already");
    assertThat(logs()).hasSize(2);
    Said model = weir("eval-set", one, two, "--model", BOTH, "--log-dir", logs);
    assertThat(model.err()).contains("2 runs are complete already");
    assertThat(logs()).hasSize(4);
    Said epochs =
        weir("eval-set", one, two, "--model", BOTH, "--log-dir", logs, "--epochs", 2, "--json");
    assertThat(epochs.err()).contains("reusing 20 finished samples, running 20");
    assertThat(epochs.json()).hasSize(4);
    assertThat(calls(epochs.json())).isEqualTo(4 * 40);
  }

  @Test
  void whatWasTakenAwayAndIsGivenBackIsNotRunAgain() throws Exception {
    List<Object> command =
        List.of(
            "eval-set", one, "--model", "sim/a:accuracy=1,rpm=0", "--log-dir", logs, "--epochs");
    List<Object> twice = new ArrayList<>(command);
    twice.add(2);
    List<Object> once = new ArrayList<>(command);
    once.add(1);
    weir(twice.toArray());
    Said fewer = weir(once.toArray());
    assertThat(fewer.err()).contains("reusing 20 finished samples, running 0");
    List<Path> written = logs();
    assertThat(written).hasSize(2);
    Said again = weir(twice.toArray());
    assertThat(again.code()).isZero();
    assertThat(again.err()).contains("1 run is complete already").doesNotContain("are run");
    assertThat(logs()).isEqualTo(written);
    // Nothing is complete for three, and the older log has more of it.
    List<Object> thrice = new ArrayList<>(command);
    thrice.add(3);
    assertThat(weir(thrice.toArray()).err()).contains("reusing 40 finished samples, running 20");
  }

  @Test
  void theSeedOfTheSetIsNotSentToProviders() throws Exception {
    weir("eval-set", one, "--model", "sim/a:accuracy=1,rpm=0", "--log-dir", logs, "--limit", 2);
    JsonNode log = weir("log", "dump", logs().getFirst(), "--json").json();
    assertThat(log.path("eval").path("model_generate_config").has("seed")).isFalse();
    for (JsonNode event : log.path("samples").path(0).path("events")) {
      assertThat(event.path("config").has("seed")).isFalse();
    }
    String seed = new JsonMapper().readTree(logs.resolve(".weir-set.json")).path("seed").toString();
    assertThat(log.path("eval").path("metadata").path("weir").path("seed")).hasToString(seed);
  }

  @Test
  void whatChangesAnswersIsAnotherRun() throws Exception {
    Object[] command = {"eval-set", one, "--model", "sim/a:accuracy=1,rpm=0", "--log-dir", logs};
    weir(command);
    List<Object> warmer = new ArrayList<>(List.of(command));
    warmer.addAll(List.of("--temperature", "0.7"));
    Said said = weir(warmer.toArray());
    assertThat(said.err())
        .contains("20 finished samples of one on sim/a:accuracy=1,rpm=0 are not used")
        .contains("(--temperature was not set, is 0.7)");
    assertThat(logs()).hasSize(2);
    assertThat(weir(command).err()).contains("1 run is complete already");
  }

  @Test
  void aRunThatFailsGoesOnAtOnceAndItsLogsAreRemoved() throws Exception {
    Object[] command = {
      "eval-set",
      one,
      "--model",
      "sim/a:accuracy=1,rpm=0,error-rate=0.2",
      "--log-dir",
      logs,
      "--max-retries",
      0,
      "--max-connections",
      1,
      "--seed",
      5,
      "--log-level",
      "warning"
    };
    Said said = weir(command);
    assertThat(said.code()).isZero();
    assertThat(said.err()).contains("attempt 1 of 10 resumes it");
    assertThat(logs()).hasSize(1);
  }

  @Test
  void withoutAttemptsAFailureIsOneAndTheNextCommandGoesOn() throws Exception {
    List<Object> command =
        new ArrayList<>(
            List.of(
                "eval-set",
                one,
                "--log-dir",
                logs,
                "--retry-attempts",
                0,
                "--seed",
                5,
                "--max-connections",
                1,
                "--max-retries",
                0,
                "--model",
                "sim/a:accuracy=1,rpm=0,error-rate=0.2"));
    assertThat(weir(command.toArray()).code()).isEqualTo(ExitCode.FAILED);
    command.add("--no-retry-cleanup");
    int attempts = 1;
    while (weir(command.toArray()).code() != ExitCode.SUCCESS) {
      attempts++;
      assertThat(attempts).isLessThan(20);
    }
    assertThat(logs()).hasSize(attempts + 1);
    command.removeLast();
    assertThat(weir(command.toArray()).err()).contains("1 run is complete already");
    assertThat(logs()).hasSize(1);
  }

  @Test
  void otherLogsAreRefusedUnlessAllowed() throws Exception {
    weir("eval", two, "--model", "sim/a:rpm=0", "--log-dir", logs);
    Object[] command = {"eval-set", one, "--model", "sim/a:accuracy=1,rpm=0", "--log-dir", logs};
    Said refused = weir(command);
    assertThat(refused.code()).isEqualTo(ExitCode.USAGE);
    assertThat(refused.err()).contains("holds a log that is not of this set", "_two_");
    assertThat(logs.resolve(".weir-set.json")).doesNotExist();
    List<Object> allowed = new ArrayList<>(List.of(command));
    allowed.add("--log-dir-allow-dirty");
    assertThat(weir(allowed.toArray()).code()).isZero();
    assertThat(logs()).hasSize(2);
  }

  @Test
  void aBudgetEndsTheSetCleanlyAndTheNextCommandGoesOn() throws Exception {
    Path prices =
        Files.writeString(
            directory.resolve("prices.json"),
            """
            {"prices": [{"models": ["sim/a"], "input": 1000, "output": 1000,
              "as_of": "2026-11-15", "source": "made up"}]}
            """);
    List<Object> command =
        List.of(
            "eval-set",
            one,
            two,
            "--model",
            "sim/a",
            "-M",
            "accuracy=1,rpm=0",
            "--log-dir",
            logs,
            "--max-connections",
            2,
            "--prices",
            prices,
            "--json");
    List<Object> bounded = new ArrayList<>(command);
    bounded.addAll(List.of("--max-cost", "0.10"));
    Said stopped = weir(bounded.toArray());
    assertThat(stopped.code()).isEqualTo(ExitCode.FAILED);
    long scored = 0;
    for (JsonNode run : stopped.json()) {
      assertThat(run.path("status").asString()).isIn("cancelled", "success");
      scored += run.path("samples").path("scored").asLong();
    }
    assertThat(scored).isBetween(1L, 39L);
    assertThat(stopped.err()).doesNotContain("resumes it");
    Said rest = weir(command.toArray());
    assertThat(rest.code()).as(rest.err()).isZero();
    assertThat(calls(rest.json())).isEqualTo(40);
    assertThat(rest.err()).contains("reusing ");
    assertThat(logs()).hasSize(2);
  }

  @Test
  void needsADirectoryAndDistinctTasks() throws Exception {
    assertThat(weir("eval-set", one, "--model", "sim/a").err()).contains("--log-dir DIR");
    assertThat(weir("eval-set", one, one, "--model", "sim/a", "--log-dir", logs).err())
        .contains("the task one is given twice");
  }

  @Test
  void ofSeveralLogsABadOneDoesNotKeepOthersFromGoingOn() throws Exception {
    weir("eval", one, "--model", BOTH, "--log-dir", logs);
    Path bad = Files.writeString(directory.resolve("bad.eval"), "no log");
    Said said = weir("eval-retry", logs().getFirst(), bad, logs().getLast(), "--epochs", 2);
    assertThat(said.code()).isEqualTo(ExitCode.USAGE);
    assertThat(said.err())
        .contains("the log cannot be read")
        .containsPattern("(?s)reusing 20 finished samples.*reusing 20 finished samples");
    assertThat(logs()).hasSize(4);
  }

  @Test
  void aTaskThatHasMovedIsNamed() throws Exception {
    weir("eval", one, "--model", "sim/a:rpm=0", "--log-dir", logs);
    Path moved = Files.move(one, directory.resolve("moved.yaml"));
    Path log = logs().getFirst();
    assertThat(weir("eval-retry", log).err()).contains("--task FILE");
    Said said = weir("eval-retry", log, "--task", moved, "--json");
    assertThat(said.code()).isZero();
    assertThat(said.json().path("samples").path("scored").asInt()).isEqualTo(20);
  }

  @Test
  void otherSettingsMakeAnotherRunAndThatIsTold() throws Exception {
    Said first = weir("eval-set", one, "--model", "sim/a", "--log-dir", logs);
    assertThat(first.code()).as(first.err()).isZero();
    assertThat(first.err()).doesNotContain("other settings");
    assertThat(weir("eval-set", one, "--model", "sim/a", "--log-dir", logs).err())
        .contains("1 run is complete already")
        .doesNotContain("other settings");
    Said other = weir("eval-set", one, "--model", "sim/a", "--log-dir", logs, "-M", "accuracy=0.1");
    assertThat(other.err())
        .contains("20 finished samples of one on sim/a are not used")
        .contains("with other settings (--model-args was not set, is {\"accuracy\":\"0.1\"})")
        .contains("which begins anew");
  }

  @Test
  void whatAnUnfinishedRunHasAndIsNotUsedIsTold() throws Exception {
    List<Object> command =
        List.of("eval-set", one, two, "--model", "sim/a", "--log-dir", logs, "-M");
    List<Object> first = new ArrayList<>(command);
    first.addAll(List.of("latency=1s", "--max-tokens-total", 40, "--max-connections", 2));
    Said stopped = weir(first.toArray());
    assertThat(stopped.code()).isEqualTo(ExitCode.FAILED);
    List<Object> other = new ArrayList<>(command);
    other.add("latency=2s");
    Said said = weir(other.toArray());
    assertThat(said.code()).as(said.err()).isZero();
    assertThat(said.err())
        .containsPattern("\\d+ finished samples of one on sim/a are not used, because they were")
        .contains("(--model-args was {\"latency\":\"1s\"}, is {\"latency\":\"2s\"})");
  }

  @Test
  void samplesThatWereAllowedToFailAreToldEachTime() throws Exception {
    Object[] command = {
      "eval-set",
      two,
      "--model",
      "sim/a",
      "--log-dir",
      logs,
      "-M",
      "rpm=0,error-rate=0.5",
      "--max-retries",
      0,
      "--fail-on-error=0.99",
      "--seed",
      1
    };
    Said first = weir(command);
    assertThat(first.code()).as(first.err()).isZero();
    Path log = logs().getFirst();
    Said again = weir(command);
    assertThat(again.err())
        .contains("1 run is complete already")
        .containsPattern("_two_.*: \\d+ failed, which --fail-on-error allowed")
        .contains("`weir eval-retry " + log + "` runs them");
    // One that has run them is the newest, and has nothing more to tell.
    assertThat(weir("eval-retry", log, "--max-retries", 20).code()).isZero();
    assertThat(weir(command).err())
        .isEqualToNormalizingNewlines("weir: 1 run is complete already\n");
  }
}
