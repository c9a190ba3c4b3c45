package dev.weir.eval.select;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.eval.scorer.Scorers;
import dev.weir.eval.task.TaskDefinition;
import dev.weir.selection.SelectionResult;
import dev.weir.selection.Standing;
import dev.weir.time.virtual.VirtualTime;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Selections that are killed at any instant, or run out of credit, and go on. */
class SelectionResumeTest {

  private static final int SAMPLES = 20;
  private static final int AT_ONCE = 6;

  @TempDir private Path directory;

  @BeforeEach
  void forgetCalls() {
    CountedProvider.reset();
  }

  /** Answers are graded by a model, each sample is answered twice, and some calls fail. */
  private ModelSelection.Builder selection(String selector, Path logs) throws Exception {
    TaskDefinition task =
        TaskDefinition.named("graded")
            .dataset(Planted.sums(SAMPLES))
            .solver(Planted.AGENT)
            .scorer(Scorers.modelGradedFact())
            .build();
    return ModelSelection.of(task)
        .node("planner", Planted.model("plan-a", 0.7, 1), Planted.model("plan-b", 0.95, 2))
        .node(
            "model",
            Planted.model("solve-a", 0.6, 3),
            Planted.model("solve-b", 0.95, 1, "fails=0.3"))
        .option("model_role", "{\"grader\": \"counted/judge:seconds=1,rpm=0\"}")
        .option("prices", Planted.prices(directory))
        .option("epochs", 2)
        .option("selector", selector)
        .option("failures", "retry")
        .option("max_concurrent", AT_ONCE)
        .option("max_connections", 100)
        .option("log_dir", logs);
  }

  /**
   * What is on the disk every 15 s, as a kill at that instant would leave it, and how many calls
   * were answered by then.
   */
  private SelectionFindings runWithSnapshots(String selector, Map<Path, Long> snapshots)
      throws Exception {
    Path logs = directory.resolve("whole");
    var time = VirtualTime.seeded(1);
    return time.run(
        () -> {
          ModelSelection selection = selection(selector, logs).prepare(time, Planted.host());
          var running = time.start("selection", () -> selection.run(_ -> {}));
          for (int i = 0; !running.isDone(); i++) {
            Path copy = directory.resolve("killed-" + i);
            if (Files.exists(logs)) {
              snapshots.put(copy, answered());
              copy(logs, copy);
            }
            running.join(time.after(Duration.ofSeconds(15)));
          }
          return running.join();
        });
  }

  private static void copy(Path from, Path to) throws IOException {
    Files.createDirectories(to);
    try (Stream<Path> files = Files.list(from)) {
      files.forEach(
          file -> {
            try {
              if (file.getFileName().toString().endsWith(".selection")) {
                Files.copy(file, to.resolve(file.getFileName()));
              }
            } catch (IOException failed) {
              throw new UncheckedIOException(failed);
            }
          });
    }
  }

  /**
   * All but the cost: of an evaluation that fails, the repetition that did not is ended, and
   * whether that had a turn by then is a matter of timing.
   */
  private static SelectionResult known(SelectionResult result) {
    return new SelectionResult(
        result.ending(),
        result.winner(),
        result.notDecided(),
        result.front(),
        result.confidence(),
        result.standings().stream().map(SelectionResumeTest::withoutCost).toList(),
        result.evaluations(),
        result.allEvaluations(),
        OptionalDouble.empty());
  }

  /** What a failed evaluation had paid by then depends on which of its calls ended first. */
  private static Standing withoutCost(Standing arm) {
    return new Standing(
        arm.arm(),
        arm.samples(),
        arm.failures(),
        arm.value(),
        arm.interval(),
        arm.score(),
        OptionalDouble.empty(),
        toNanoseconds(arm.latency()),
        arm.behindWinner(),
        arm.elimination());
  }

  /** Latencies that are added up again from the answers that are known differ in the last digit. */
  private static OptionalDouble toNanoseconds(OptionalDouble seconds) {
    return seconds.isPresent()
        ? OptionalDouble.of(Math.rint(seconds.getAsDouble() * 1e9) / 1e9)
        : seconds;
  }

  private static Map<String, Long> callsByPrompt() {
    return callsByPrompt(_ -> true);
  }

  private static Map<String, Long> callsByPrompt(Predicate<CountedProvider.Call> which) {
    Map<String, Long> calls = new TreeMap<>();
    CountedProvider.ended().stream()
        .filter(which)
        .forEach(call -> calls.merge(call.model() + " " + call.prompt(), 1L, Long::sum));
    return calls;
  }

  private static long answered() {
    return CountedProvider.ended().stream().filter(call -> !call.failed()).count();
  }

  @ParameterizedTest
  @ValueSource(strings = {"auto", "hill_climbing", "top_two", "epsilon_lucb"})
  void goesOnAfterAKillAtAnyInstantAndPaysForNothingTwice(String selector) throws Exception {
    Map<Path, Long> snapshots = new LinkedHashMap<>();
    SelectionFindings whole = runWithSnapshots(selector, snapshots);
    SelectionResult result = whole.result();
    Map<String, Long> calls = callsByPrompt();
    // An evaluation that fails has asked one repetition or both: which is first is a race.
    callsByPrompt(CountedProvider.Call::failed)
        .forEach((prompt, failures) -> calls.put(prompt, 2 * failures));
    long allAnswered = answered();
    double allCost = whole.knownCost();
    assertThat(snapshots).hasSizeGreaterThan(2);
    assertThat(CountedProvider.ended()).anyMatch(CountedProvider.Call::failed);
    assertThat(CountedProvider.ended()).anyMatch(call -> call.model().startsWith("judge"));
    long keptBefore = -1;
    for (Path killed : snapshots.keySet()) {
      CountedProvider.reset();
      SelectionFindings rest = Planted.run(VirtualTime.seeded(7), selection(selector, killed));
      assertThat(known(rest.result())).as("%s", killed).isEqualTo(known(result));
      assertThat(rest.kept()).isGreaterThanOrEqualTo(keptBefore);
      keptBefore = rest.kept();
      // All are asked that were not known, and no other.
      assertThat(callsByPrompt().entrySet())
          .allMatch(call -> call.getValue() <= calls.getOrDefault(call.getKey(), 0L));
      assertThat(rest.knownCost()).isBetween(0.98 * allCost, 1.02 * allCost);
      assertThat(answered())
          .isBetween(
              allAnswered - snapshots.get(killed) - AT_ONCE,
              allAnswered - snapshots.get(killed) + AT_ONCE);
    }
    assertThat(keptBefore).isGreaterThan(result.evaluations() / 2);
  }

  /** Before the kill and after it together, calls are made again only of what was in flight. */
  @Test
  void onlyWhatWasInFlightIsAskedAgain() throws Exception {
    SelectionFindings whole = Planted.run(selection("auto", directory.resolve("whole")));
    int callsOfWhole = CountedProvider.calls();
    CountedProvider.reset();
    var time = VirtualTime.seeded(1);
    Path logs = directory.resolve("logs");
    SelectionFindings ended =
        time.run(
            () -> {
              ModelSelection selection = selection("auto", logs).prepare(time, Planted.host());
              var running = time.start("selection", () -> selection.run(_ -> {}));
              time.sleep(Duration.ofSeconds(40));
              running.cancel();
              return running.join();
            });
    assertThat(ended.interrupted()).isTrue();
    assertThat(ended.result().evaluations()).isPositive();
    SelectionFindings rest = Planted.run(selection("auto", logs));
    assertThat(known(rest.result())).isEqualTo(known(whole.result()));
    assertThat(CountedProvider.calls()).isBetween(callsOfWhole + 1, callsOfWhole + AT_ONCE);
    assertThat(rest.knownCost()).isEqualTo(whole.knownCost());
  }

  /** As two processes leave them that were killed. */
  @Test
  void locksThatNobodyHoldsStopNobodyAndAreRemoved() throws Exception {
    Path logs = directory.resolve("logs");
    Path journal = Planted.run(shared(logs)).journal();
    String name = journal.getFileName().toString();
    Files.createFile(logs.resolve(name + ".lock"));
    Files.createFile(logs.resolve(name.replace(".selection", ".lock")));
    assertThat(Planted.run(shared(logs)).kept()).isEqualTo(2L * SAMPLES);
    Files.createFile(logs.resolve(name.replace(".selection", "-2.selection.lock")));
    assertThat(Planted.run(shared(logs)).kept()).isEqualTo(2L * SAMPLES);
    try (Stream<Path> files = Files.list(logs)) {
      assertThat(files.map(file -> file.getFileName().toString()))
          .containsExactlyInAnyOrder(
              name,
              name.replace(".selection", "-2.selection"),
              name.replace(".selection", "-3.selection"));
    }
  }

  @Test
  void goesOnWhenThereIsCreditAgain() throws Exception {
    Path logs = directory.resolve("logs");
    CountedProvider.credit(50);
    SelectionFindings stopped = Planted.run(shared(logs));
    assertThat(stopped.stopped()).hasValueSatisfying(why -> assertThat(why).contains("credit"));
    assertThat(stopped.interrupted()).isFalse();
    long done = stopped.result().evaluations();
    assertThat(done).isBetween(20L, 25L);
    // That the account is empty is no failure of the combination.
    assertThat(stopped.result().standings()).allMatch(arm -> arm.failures() == 0);

    CountedProvider.reset();
    SelectionFindings rest = Planted.run(VirtualTime.seeded(2), shared(logs));
    assertThat(rest.stopped()).isEmpty();
    assertThat(rest.kept()).isEqualTo(done);
    assertThat(rest.result().evaluations()).isEqualTo(2L * SAMPLES);
    // Of evaluations that had a plan only the answer was left to ask for.
    assertThat(CountedProvider.calls()).isEqualTo(2 * 2 * SAMPLES - 50);
  }

  private ModelSelection.Builder shared(Path logs) {
    return ModelSelection.of(Planted.task(SAMPLES))
        .node("planner", Planted.model("plan-a", 0.7, 1), Planted.model("plan-b", 0.95, 2))
        .option("model", Planted.model("solve", 0.9, 1))
        .option("selector", "brute_force")
        .option("max_concurrent", 4)
        .option("log_dir", logs);
  }
}
