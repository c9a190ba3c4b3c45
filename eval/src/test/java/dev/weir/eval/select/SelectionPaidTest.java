package dev.weir.eval.select;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.eval.Memory;
import dev.weir.eval.scorer.Scorers;
import dev.weir.eval.select.CountedProvider.Call;
import dev.weir.eval.solver.Solver;
import dev.weir.eval.task.TaskDefinition;
import dev.weir.model.ConfigurationException;
import dev.weir.selection.Evaluation;
import dev.weir.time.virtual.VirtualTime;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a selection pays, and does not pay again. */
class SelectionPaidTest {

  private static final int SAMPLES = 12;

  @TempDir private Path directory;

  @BeforeEach
  void forgetCalls() {
    CountedProvider.reset();
  }

  private ModelSelection.Builder selection(Path logs, double seconds, String... more)
      throws Exception {
    List<String> answering =
        Stream.concat(Stream.of("solve-a", "solve-b"), Stream.of(more))
            .map(name -> Planted.model(name, 0.8, seconds))
            .toList();
    return ModelSelection.of(Planted.task(SAMPLES))
        .node("planner", Planted.model("plan-a", 0.7, 1), Planted.model("plan-b", 0.95, 1))
        .node("model", answering.toArray(String[]::new))
        .option("prices", Planted.prices(directory))
        .option("max_connections", 100)
        .option("log_dir", logs);
  }

  @ParameterizedTest
  @CsvSource({
    "budget, 20, budget, 48",
    "selector, brute_force, selector, auto",
    "delta, 0.05, delta, 0.2",
    "objective, score, objective, pareto"
  })
  void whatIsKnownServesAnotherPlan(String option, String first, String other, String second)
      throws Exception {
    Path logs = directory.resolve("logs");
    SelectionFindings before =
        Planted.run(selection(logs, 1).option("selector", "brute_force").option(option, first));
    long asked = before.result().evaluations();
    assertThat(asked).isPositive();
    CountedProvider.reset();
    SelectionFindings found =
        Planted.run(selection(logs, 1).option("selector", "brute_force").option(other, second));
    assertThat(found.kept()).isEqualTo(Math.min(asked, found.result().evaluations()));
    assertThat(CountedProvider.calls())
        .isEqualTo((int) (2 * (found.result().evaluations() - found.kept())));
    assertThat(found.ahead().inVain()).isZero();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "counted/a|{\"model\": \"counted/a\"}",
        "counted/a:accuracy=0.5,rpm=0|counted/a:rpm=0,accuracy=0.50",
      })
  void aModelInTwoSpellingsIsNamedTwice(String one, String other) {
    for (String node : new String[] {"planner", "model"}) {
      assertThatExceptionOfType(ConfigurationException.class)
          .isThrownBy(
              () ->
                  Planted.run(
                      ModelSelection.of(Planted.task(SAMPLES))
                          .node(node, one, other)
                          .option("log_dir", directory.resolve("logs"))))
          .withMessageContaining("the node '%s' names one model twice".formatted(node));
    }
    assertThat(CountedProvider.calls()).isZero();
  }

  @Test
  void oneCandidateMoreIsAskedAlone() throws Exception {
    Path logs = directory.resolve("logs");
    Planted.run(selection(logs, 1).option("selector", "brute_force"));
    CountedProvider.reset();
    SelectionFindings found =
        Planted.run(selection(logs, 1, "solve-c").option("selector", "brute_force"));
    assertThat(found.kept()).isEqualTo(4L * SAMPLES);
    assertThat(CountedProvider.ended())
        .hasSize(2 * 2 * SAMPLES)
        .allMatch(call -> call.model().startsWith("plan") || call.model().startsWith("solve-c"));
  }

  /** An evaluation costs 10 dollars or a little less, and twenty could run at once. */
  @ParameterizedTest
  @CsvSource({"shared, $25, 8, 1", "shared, $200, 170, 14", "documented, $200, 170, 14"})
  void neverSpendsMoreThanTheBudget(String schedule, String budget, double least, long evaluations)
      throws Exception {
    SelectionFindings found =
        Planted.run(
            selection(directory.resolve("logs"), 1)
                .option("selector", "brute_force")
                .option("schedule", schedule)
                .option("max_concurrent", 20)
                .option("budget", budget));
    double paid =
        CountedProvider.ended().stream()
            .mapToDouble(call -> Math.ceilDiv(call.prompt().length(), 4))
            .sum();
    assertThat(paid)
        .isEqualTo(found.knownCost())
        .isBetween(least, Double.parseDouble(budget.substring(1)));
    assertThat(found.result().evaluations()).isGreaterThanOrEqualTo(evaluations);
    assertThat(found.stopped()).hasValueSatisfying(why -> assertThat(why).contains("budget of $"));
  }

  /** An evaluation costs about 10 dollars with the one model, and 5000 with the others. */
  private ModelSelection.Builder unlikePrices(int maxConcurrent, String budget) throws Exception {
    Path prices =
        Files.writeString(
            directory.resolve("unlike.json"),
            """
            {"prices": [{"models": ["dear/*"], "input": 1000000000, "output": 0,
                         "as_of": "2026-11-16", "source": "this test"},
                        {"models": ["counted/*"], "input": 1000000, "output": 0,
                         "as_of": "2026-11-16", "source": "this test"}]}
            """);
    return ModelSelection.of(Planted.task(SAMPLES))
        .node(
            "model",
            Planted.model("cheap", 0.8, 1),
            Planted.model("dear/a", 0.6, 1),
            Planted.model("dear/b", 0.7, 1))
        .option("model_role", Map.of("planner", Planted.model("plan", 0.95, 1)))
        .option("prices", prices)
        .option("max_connections", 100)
        .option("max_concurrent", maxConcurrent)
        .option("budget", budget)
        .option("log_dir", directory.resolve("logs-" + maxConcurrent));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 7, 60})
  void aDearerCombinationExceedsTheBudgetByOneEvaluationAtMost(int maxConcurrent) throws Exception {
    SelectionFindings found = Planted.run(unlikePrices(maxConcurrent, "$1000"));
    assertThat(found.knownCost()).isBetween(500.0, 1000.0 + 5100);
    assertThat(found.stopped()).isPresent();
  }

  @Test
  void waitingForWhatACombinationCostsDecidesNothing() throws Exception {
    SelectionFindings alone = Planted.run(unlikePrices(1, "$10000000"));
    assertThat(alone.stopped()).isEmpty();
    for (int maxConcurrent : new int[] {7, 20, 100}) {
      SelectionFindings found = Planted.run(unlikePrices(maxConcurrent, "$10000000"));
      assertThat(found.result()).isEqualTo(alone.result());
    }
  }

  @Test
  void whatIsKnownIsToldThoughTheMoneyIsSpent() throws Exception {
    Path logs = directory.resolve("logs");
    SelectionFindings whole = Planted.run(selection(logs, 1).option("selector", "brute_force"));
    CountedProvider.reset();
    SelectionFindings again =
        Planted.run(selection(logs, 1).option("selector", "brute_force").option("budget", "$1"));
    assertThat(CountedProvider.calls()).isZero();
    assertThat(again.stopped()).isEmpty();
    assertThat(again.result()).isEqualTo(whole.result());
    assertThat(again.knownCost()).isEqualTo(whole.knownCost());
  }

  /** Of a combination that always fails plans were paid for, some of them in vain. */
  @Test
  void whatWasInVainBeforeIsPartOfTheBudget() throws Exception {
    Path logs = directory.resolve("logs");
    SelectionFindings before = Planted.run(failing(logs));
    assertThat(before.ahead().inVain()).isPositive();
    double paid = before.knownCost();
    assertThat(paid).isPositive();
    SelectionFindings found =
        Planted.run(failing(logs, "counted/more:rpm=0").option("budget", "$" + (paid + 30)));
    assertThat(found.knownCost()).isGreaterThan(paid).isLessThanOrEqualTo(paid + 30);
  }

  /** Slots that were idle began what is decided later, so that nothing of it was in vain. */
  @Test
  void whatWasDecidedAfterItWasMadeIsNotInVain() throws Exception {
    Path logs = directory.resolve("logs");
    SelectionFindings all =
        Planted.run(
            selection(logs, 1).option("selector", "brute_force").option("max_concurrent", 40));
    assertThat(all.ahead().inVain()).isZero();
    SelectionFindings one = Planted.run(selection(logs, 1).option("selector", "random"));
    assertThat(one.kept()).isEqualTo(SAMPLES);
    assertThat(one.ahead().inVain()).isZero();
    assertThat(one.knownCost()).isLessThan(all.knownCost());
  }

  private ModelSelection.Builder failing(Path logs, String... more) throws Exception {
    List<String> models =
        Stream.concat(Stream.of(Planted.model("fails", 0.8, 1, "fails=1")), Stream.of(more))
            .toList();
    return ModelSelection.of(Planted.task(40))
        .node("planner", Planted.model("plan-a", 0.7, 1))
        .node("model", models.toArray(String[]::new))
        .option("prices", Planted.prices(directory))
        .option("selector", "brute_force")
        .option("max_concurrent", 20)
        .option("max_connections", 100)
        .option("log_dir", logs);
  }

  @Test
  void anAnswerThatCannotBeKeptEndsItsEvaluation() throws Exception {
    var time = VirtualTime.seeded(1);
    time.run(
        () -> {
          SelectionJournal journal =
              SelectionJournal.open(
                      directory,
                      "x",
                      SelectionJournal.Asked.of(List.of(List.of("a")), List.of(Planted.sums(1))),
                      Map.of(),
                      time)
                  .journal();
          EvaluationMemory memory = journal.memory(new Evaluation(0, 0, 1));
          journal.close();
          var answer = new Memory.Answer("", BigDecimal.ONE, Duration.ZERO, false);
          try (Memory.Asking asking = memory.ask("x")) {
            assertThatExceptionOfType(UncheckedIOException.class)
                .isThrownBy(() -> asking.keep(answer));
          }
          assertThatExceptionOfType(IOException.class).isThrownBy(memory::requireKept);
          return true;
        });
  }

  @ParameterizedTest
  @CsvSource({"true", "false"})
  void whatFailedAtNoCostIsTriedAgain(boolean pricesAreKnown) throws Exception {
    Path logs = directory.resolve("logs");
    CountedProvider.useWrongKey();
    SelectionFindings failed = Planted.run(priced(logs, pricesAreKnown));
    assertThat(failed.result().winner()).isEmpty();
    assertThat(failed.result().standings())
        .allMatch(arm -> arm.samples() > 0 && arm.failures() == arm.samples());
    CountedProvider.reset();
    SelectionFindings found = Planted.run(priced(logs, pricesAreKnown));
    assertThat(found.kept()).isZero();
    assertThat(found.result().winner()).isPresent();
    assertThat(found.result().standings())
        .allMatch(arm -> arm.samples() == SAMPLES && arm.failures() == 0);
    SelectionFindings again = Planted.run(priced(logs, pricesAreKnown));
    assertThat(again.kept()).isEqualTo(4L * SAMPLES);
    assertThat(again.result()).isEqualTo(found.result());
  }

  /** Says of what was thrown only that something was. */
  private static final Solver WRAPPING =
      (state, context) -> {
        try {
          Planted.AGENT.solve(state, context);
        } catch (RuntimeException failed) {
          throw new IllegalStateException("a step failed", failed);
        }
      };

  /** Plans are paid for, then the second step is refused. */
  @ParameterizedTest
  @CsvSource({"key, false", "key, true", "outage, false", "outage, true"})
  void whatFailedFromOutsideIsTriedAgainThoughAPartWasPaidFor(String why, boolean isWrapped)
      throws Exception {
    TaskDefinition task =
        TaskDefinition.named("sums")
            .dataset(Planted.sums(SAMPLES))
            .solver(isWrapped ? WRAPPING : Planted.AGENT)
            .scorer(Scorers.includes())
            .build();
    CountedProvider.refuse("solve-b", why);
    SelectionFindings failed = Planted.run(twoSteps(task));
    assertThat(failed.result().winner()).hasValue(0);
    assertThat(failed.errors()).containsOnlyKeys(1);
    List<Call> first = CountedProvider.ended();
    assertThat(first).hasSizeGreaterThan(2 * SAMPLES);
    assertThat(failed.knownCost()).isEqualTo(dollars(first));

    CountedProvider.reset();
    SelectionFindings found = Planted.run(twoSteps(task));
    assertThat(found.errors()).isEmpty();
    assertThat(found.kept()).isEqualTo(SAMPLES);
    assertThat(found.result().standings())
        .allMatch(arm -> arm.samples() == SAMPLES && arm.failures() == 0);
    // Nothing is asked twice, and all of it counts.
    List<Call> second = CountedProvider.ended();
    assertThat(first.size() + second.size()).isEqualTo(2 * 2 * SAMPLES);
    assertThat(found.knownCost()).isEqualTo(dollars(first) + dollars(second));

    CountedProvider.reset();
    SelectionFindings again = Planted.run(twoSteps(task));
    assertThat(CountedProvider.calls()).isZero();
    assertThat(again.result()).isEqualTo(found.result());
    assertThat(again.knownCost()).isEqualTo(found.knownCost());
  }

  @Test
  void whatTheSampleIsRefusedForIsNotTriedAgain() throws Exception {
    CountedProvider.refuse("solve-b", "rule");
    SelectionFindings failed = Planted.run(twoSteps(Planted.task(SAMPLES)));
    assertThat(failed.errors()).containsOnlyKeys(1);
    CountedProvider.reset();
    SelectionFindings again = Planted.run(twoSteps(Planted.task(SAMPLES)));
    assertThat(CountedProvider.calls()).isZero();
    assertThat(again.result()).isEqualTo(failed.result());
  }

  /** What was tried again and answered then is known. */
  @Test
  void anAttemptAfterWhichAnotherWasAnsweredIsNotMadeAgain() throws Exception {
    ModelSelection.Builder flaky =
        ModelSelection.of(Planted.task(SAMPLES))
            .node("planner", Planted.model("plan", 1, 1, "flaky=1"))
            .node("model", Planted.model("solve", 1, 1))
            .option("prices", Planted.prices(directory))
            .option("selector", "brute_force")
            .option("failures", "retry")
            .option("log_dir", directory.resolve("logs"));
    SelectionFindings found = Planted.run(flaky);
    assertThat(found.result().evaluations()).isEqualTo(2 * SAMPLES);
    CountedProvider.reset();
    assertThat(Planted.run(flaky).result()).isEqualTo(found.result());
    assertThat(CountedProvider.calls()).isZero();
  }

  private ModelSelection.Builder twoSteps(TaskDefinition task) throws Exception {
    return ModelSelection.of(task)
        .node("planner", Planted.model("plan", 1, 1))
        .node("model", Planted.model("solve-a", 1, 1), Planted.model("solve-b", 1, 1))
        .option("prices", Planted.prices(directory))
        .option("selector", "brute_force")
        .option("max_retries", 0)
        .option("log_dir", directory.resolve("logs"));
  }

  private static double dollars(List<Call> calls) {
    return calls.stream().mapToDouble(call -> Math.ceilDiv(call.prompt().length(), 4)).sum();
  }

  private ModelSelection.Builder priced(Path logs, boolean pricesAreKnown) throws Exception {
    ModelSelection.Builder selection = selection(logs, 1).option("selector", "brute_force");
    Path none = Files.writeString(directory.resolve("none.json"), "{\"prices\": []}");
    return pricesAreKnown ? selection : selection.option("prices", none);
  }

  /** Plans are answered within a second and a half, and nobody has answered for a minute. */
  @Test
  void whatWasAnsweredBeforeAKillIsPaidOnce() throws Exception {
    Path logs = directory.resolve("logs");
    Path killed = Files.createDirectories(directory.resolve("killed"));
    var time = VirtualTime.seeded(1);
    SelectionFindings whole =
        time.run(
            () -> {
              ModelSelection selection =
                  selection(logs, 120)
                      .option("selector", "brute_force")
                      .option("max_concurrent", 4)
                      .prepare(time, Planted.host());
              var running = time.start("selection", () -> selection.run(_ -> {}));
              time.sleep(Duration.ofSeconds(30));
              copy(logs, killed);
              return running.join();
            });
    int calls = CountedProvider.calls();
    double latency = whole.result().standings().getFirst().latency().orElseThrow();
    CountedProvider.reset();
    SelectionFindings rest =
        Planted.run(
            selection(killed, 120).option("selector", "brute_force").option("max_concurrent", 4));
    assertThat(rest.kept()).isZero();
    assertThat(CountedProvider.calls()).isEqualTo(calls - 4);
    assertThat(rest.knownCost()).isEqualTo(whole.knownCost());
    assertThat(rest.result()).isEqualTo(whole.result());
    assertThat(latency).isGreaterThan(60);
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.list(from)) {
      for (Path file : files.filter(file -> file.toString().endsWith(".selection")).toList()) {
        Files.copy(file, to.resolve(file.getFileName()));
      }
    }
  }

  @Test
  void whatHasAPriceIsToldWhereAGraderHasNone() throws Exception {
    TaskDefinition task =
        TaskDefinition.named("graded")
            .dataset(Planted.sums(SAMPLES))
            .solver(Planted.AGENT)
            .scorer(Scorers.modelGradedFact())
            .build();
    Path prices =
        Files.writeString(
            directory.resolve("some.json"),
            """
            {"prices": [{"models": ["dear/*"], "input": 1000000, "output": 0,
                         "as_of": "2026-11-16", "source": "this test"}]}
            """);
    SelectionFindings found =
        Planted.run(
            ModelSelection.of(task)
                .node("planner", Planted.model("dear/a", 0.7, 1), Planted.model("dear/b", 0.9, 1))
                .option("model", Planted.model("dear/solve", 0.9, 1))
                .option("model_role", "{\"grader\": \"counted/judge:seconds=1,rpm=0\"}")
                .option("prices", prices)
                .option("selector", "brute_force")
                .option("log_dir", directory.resolve("logs")));
    double paid =
        CountedProvider.ended().stream()
            .filter(call -> !call.model().startsWith("judge"))
            .mapToDouble(call -> Math.ceilDiv(call.prompt().length(), 4))
            .sum();
    assertThat(found.result().cost()).isEmpty();
    assertThat(found.knownCost()).isEqualTo(paid);
  }
}
