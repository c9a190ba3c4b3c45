package dev.weir.eval.select;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.eval.Host;
import dev.weir.eval.dataset.Sample;
import dev.weir.eval.option.Settings;
import dev.weir.eval.scorer.Scorers;
import dev.weir.eval.solver.Solver;
import dev.weir.eval.task.TaskDefinition;
import dev.weir.model.ConfigurationException;
import dev.weir.model.Request;
import dev.weir.selection.Elimination;
import dev.weir.selection.SelectionResult;
import dev.weir.selection.Standing;
import dev.weir.time.Task;
import dev.weir.time.virtual.VirtualTime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whole selections against simulated models whose truth is known, on virtual time. */
class ModelSelectionTest {

  private static final String PLAN = "add them";

  /** Planner 0.97 and model 0.97 are the best. */
  private static final List<String> PLANNERS = models("plan", 0.6, 0.97, 0.8);

  private static final List<String> MODELS = models("solve", 0.85, 0.7, 0.97);

  @TempDir private Path directory;

  @BeforeEach
  void forgetCalls() {
    CountedProvider.reset();
  }

  private static List<String> models(String name, double... accuracies) {
    return IntStream.range(0, accuracies.length)
        .mapToObj(
            i ->
                "counted/%s-%d:accuracy=%s,latency=%ds,rpm=0"
                    .formatted(name, i, accuracies[i], 1 + i))
        .toList();
  }

  /** Who is planned for badly cannot answer. */
  private static final Solver PLANNED =
      (state, context) -> {
        String plan =
            context
                .role("planner")
                .generate(Request.of("Plan: " + state.userPrompt()).withTarget(PLAN))
                .message()
                .text();
        Request question = Request.of(state.userPrompt());
        state.answered(
            context
                .model()
                .generate(plan.contains(PLAN) ? question : question.withTarget("unsure")));
      };

  private static TaskDefinition task(int samples) {
    return TaskDefinition.named("sums")
        .dataset(
            IntStream.range(0, samples)
                .mapToObj(i -> new Sample("s" + i, "What is %d + 17?".formatted(i), "=" + (i + 17)))
                .toArray(Sample[]::new))
        .solver(PLANNED)
        .scorer(Scorers.includes())
        .build();
  }

  private ModelSelection.Builder selection(int samples) {
    return ModelSelection.of(task(samples))
        .node("planner", PLANNERS.toArray(String[]::new))
        .node("model", MODELS.toArray(String[]::new))
        .option("log_dir", directory.resolve("logs"));
  }

  private static Host host() {
    return new Host(Map.of(), Optional.empty(), (_, _) -> {});
  }

  private static SelectionFindings run(VirtualTime time, ModelSelection.Builder selection)
      throws Exception {
    return time.run(() -> selection.prepare(time, host()).run(_ -> {}));
  }

  private SelectionFindings run(ModelSelection.Builder selection) throws Exception {
    return run(VirtualTime.seeded(1), selection);
  }

  private static Map<String, String> winner(SelectionFindings found) {
    return found.models(found.result().winner().orElseThrow());
  }

  @Test
  void findsThePlantedBestWithFarFewerEvaluationsThanBruteForce() throws Exception {
    SelectionFindings found = run(selection(100));
    assertThat(winner(found)).isEqualTo(Map.of("planner", PLANNERS.get(1), "model", MODELS.get(2)));
    assertThat(found.result().evaluations()).isLessThan(900 * 40 / 100);
    assertThat(found.result().allEvaluations()).isEqualTo(900);
    assertThat(CountedProvider.calls()).isEqualTo((int) (2 * found.result().evaluations()));
  }

  @Test
  void decidesTheSameAtAnyConcurrencyAndNeverMakesMoreCallsAtOnce() throws Exception {
    SelectionResult first = null;
    for (int most : List.of(1, 7, 20)) {
      CountedProvider.reset();
      SelectionFindings found =
          run(
              selection(60)
                  .option("max_concurrent", most)
                  .option("max_connections", 100)
                  .option("log_dir", directory.resolve("at-most-" + most)));
      assertThat(CountedProvider.most()).isLessThanOrEqualTo(most);
      assertThat(CountedProvider.most()).isGreaterThan(most / 2);
      if (first == null) {
        first = found.result();
      }
      assertSameDecisions(found.result(), first);
    }
  }

  /** All but latencies, which are drawn in the order of calls. */
  private static void assertSameDecisions(SelectionResult result, SelectionResult other) {
    assertThat(result.winner()).isEqualTo(other.winner());
    assertThat(result.evaluations()).isEqualTo(other.evaluations());
    assertThat(result.notDecided()).isEqualTo(other.notDecided());
    assertThat(result.standings().stream().map(Standing::score).toList())
        .isEqualTo(other.standings().stream().map(Standing::score).toList());
    assertThat(eliminations(result)).isEqualTo(eliminations(other));
  }

  private static List<Elimination> eliminations(SelectionResult result) {
    return result.standings().stream().flatMap(arm -> arm.elimination().stream()).toList();
  }

  @Test
  void gradersCountAsCalls() throws Exception {
    TaskDefinition graded =
        TaskDefinition.named("graded")
            .dataset(new Sample("a", "What is 1?", "1"), new Sample("b", "What is 2?", "2"))
            .solver(PLANNED)
            .scorer(Scorers.modelGradedFact())
            .build();
    run(
        ModelSelection.of(graded)
            .node("planner", PLANNERS.getFirst())
            .node("model", MODELS.toArray(String[]::new))
            .option("model_role", "{\"grader\": \"counted/grader:latency=5s,rpm=0\"}")
            .option("selector", "brute_force")
            .option("max_concurrent", 2)
            .option("max_connections", 100)
            .option("log_dir", directory.resolve("logs")));
    assertThat(CountedProvider.calls()).isEqualTo(3 * 2 * 3);
    assertThat(CountedProvider.most()).isEqualTo(2);
  }

  @Test
  void goesOnWhereItWasEndedAndRepeatsNothing() throws Exception {
    SelectionFindings whole =
        run(selection(60).option("log_dir", directory.resolve("uninterrupted")));
    int callsOfWhole = CountedProvider.calls();

    CountedProvider.reset();
    var time = VirtualTime.seeded(2);
    SelectionFindings ended =
        time.run(
            () -> {
              ModelSelection selection = selection(60).prepare(time, host());
              Task<SelectionFindings> running =
                  time.start("selection", () -> selection.run(_ -> {}));
              time.sleep(Duration.ofSeconds(20));
              running.cancel();
              return running.join();
            });
    assertThat(ended.interrupted()).isTrue();
    long done = ended.result().evaluations();
    assertThat(done).isBetween(20L, whole.result().evaluations() - 20);
    int callsBefore = CountedProvider.calls();

    SelectionFindings rest = run(VirtualTime.seeded(3), selection(60));
    assertThat(rest.kept()).isEqualTo(done);
    assertSameDecisions(rest.result(), whole.result());
    // At most two calls of each evaluation that was in flight are made again.
    assertThat(CountedProvider.calls()).isBetween(callsOfWhole, callsOfWhole + 2 * 20);
    assertThat(callsBefore).isGreaterThan(0);

    CountedProvider.reset();
    SelectionFindings again = run(VirtualTime.seeded(4), selection(60));
    assertThat(CountedProvider.calls()).isZero();
    assertThat(again.result()).isEqualTo(rest.result());
  }

  @Test
  void anotherPlanHasAnotherJournal() throws Exception {
    SelectionFindings first = run(selection(20));
    SelectionFindings second = run(selection(20).option("seed", 2));
    assertThat(second.kept()).isZero();
    assertThat(second.journal()).isNotEqualTo(first.journal());
  }

  @Test
  void aBudgetOfEvaluationsIsNeverExceeded() throws Exception {
    SelectionFindings found =
        run(selection(60).option("selector", "brute_force").option("budget", "25%"));
    assertThat(found.result().evaluations()).isLessThanOrEqualTo(9 * 60 / 4);
  }

  @Test
  void aBudgetOfTimeEndsIt() throws Exception {
    var time = VirtualTime.seeded(1);
    SelectionFindings found = run(time, selection(60).option("budget", "30s"));
    assertThat(found.elapsed()).isBetween(Duration.ofSeconds(30), Duration.ofSeconds(31));
    assertThat(found.stopped()).contains("the time is used up");
    assertThat(found.result().evaluations()).isGreaterThan(0);
  }

  @Test
  void aBudgetOfMoneyEndsItAndHoldsForAllTimes() throws Exception {
    Path prices =
        Files.writeString(
            directory.resolve("prices.json"),
            """
            {"prices": [{"models": ["counted/*"], "input": 1000000, "output": 0,
                         "as_of": "2026-11-16", "source": "this test"}]}
            """);
    ModelSelection.Builder bounded =
        selection(60).option("prices", prices).option("budget", "$1000");
    SelectionFindings found = run(bounded);
    assertThat(found.stopped()).hasValueSatisfying(why -> assertThat(why).contains("budget"));
    // Nothing is begun for which there might be too little left.
    assertThat(found.knownCost()).isBetween(900.0, 1000.0);
    int calls = CountedProvider.calls();

    SelectionFindings again =
        run(
            VirtualTime.seeded(5),
            selection(60).option("prices", prices).option("budget", "$1000"));
    assertThat(again.knownCost()).isEqualTo(found.knownCost());
    assertThat(CountedProvider.calls()).isEqualTo(calls);
  }

  @Test
  void aCombinationThatAlwaysFailsIsGivenUpAndDoesNotWin() throws Exception {
    SelectionFindings found =
        run(
            ModelSelection.of(task(40))
                .node("planner", PLANNERS.get(1), "counted/broken:error-rate=0.999,rpm=0")
                .node("model", MODELS.get(2))
                .option("max_retries", 1)
                .option("log_dir", directory.resolve("logs")));
    assertThat(winner(found)).containsEntry("planner", PLANNERS.get(1));
    assertThat(found.errors()).containsOnlyKeys(1);
    assertThat(found.result().standings().getLast().samples()).isBetween(5, 8);
  }

  @Test
  void whatCannotBeUsedIsToldBeforeTheFirstCall() throws IOException {
    assertRefused("nodes:\n  model: []", "the node 'model' has no candidates");
    assertRefused("nodes:\n  model:", "the node 'model' has no candidates");
    assertRefused("nodes: {}", "`nodes` must name at least one node");
    assertRefused(
        "nodes:\n  model: [counted/a, counted/a]", "names the model counted/a twice", "line 9");
    assertRefused(
        "nodes:\n  model: [counted/a, counted/b]\nbudget: 1", "one look at each of the 2");
    assertRefused("nodes:\n  model: [counted/a]\nbudget: lots", "must be 25%", "line 10");
    assertRefused("nodes:\n  model: [counted/a]\nbuget: 2", "unknown key 'buget'", "budget");
    assertRefused("nodes:\n  model: [counted/a]\nselector: best", "is unknown: 'best'");
    assertRefused("nodes:\n  model: [nobody/a]", "nobody");
    assertRefused("nodes:\n  critic: [counted/a]", "no node is the evaluated model");
    assertRefused("nodes:\n  model: [counted/a]\nobjective: cheapest", "nobody knows what");
    assertRefused(
        "nodes:\n  model: [counted/a]\nbudget: $1.50",
        "nobody knows what counted/a costs, so the budget of $1.50 cannot be kept",
        "give its price with --prices",
        "line 10");
    assertRefused(
        "nodes:\n  model: [counted/a]\nmodel: counted/b",
        "gives a model to 'model', which is a node with candidates",
        "line 10");
    assertRefused(
        "nodes:\n  model: [counted/a]\n  critic: [counted/b]\nmodel_role: {critic: counted/c}",
        "gives a model to 'critic', which is a node with candidates",
        "line 11");
    assertRefused(
        "nodes:\n  model: [counted/a]\nmax_concurrent: 5\nsequential: true",
        "is one call at a time, but `max_concurrent` is 5",
        "line 11");
    assertRefused("nodes:\n  model: [counted/a]\nbatch: 5", "cannot wait", "line 10");
    assertRefused("nodes:\n  model: [counted/a]\ncache: 12h", "cannot be compared", "line 10");
    assertRefused(
        "nodes:\n  model: [counted/a]\n  critik: [counted/b]",
        "asks for no role 'critik'",
        "line 10",
        "did you mean",
        "critic");
    assertThat(CountedProvider.calls()).isZero();
    assertThat(directory.resolve("logs")).doesNotExist();
  }

  /** Whoever asks first would pay for all. */
  @Test
  void aCacheOfTheTaskIsRefusedUntilItIsSwitchedOff() throws Exception {
    Files.writeString(
        directory.resolve("promptfooconfig.yaml"),
        """
        prompts: ["What is 1 + 1?"]
        providers: ["weir:counted/a"]
        tests: [{assert: [{type: contains, value: "2"}]}]
        evaluateOptions: {cache: true}
        """);
    Path file =
        Files.writeString(
            directory.resolve("select.yaml"),
            """
            task: promptfooconfig.yaml
            nodes:
              model: [counted/a, counted/b]
            log_dir: logs
            """);
    var time = VirtualTime.seeded(1);
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> time.run(() -> ModelSelection.prepare(time, file, Settings.NONE, host())))
        .withMessageContainingAll("promptfooconfig.yaml, line 4", "`cache`", "set it to false");
    Settings off = Settings.NONE.with("cache", "false");
    assertThat(time.run(() -> ModelSelection.prepare(time, file, off, host())).plan().datapoints())
        .isEqualTo(1);
  }

  private void assertRefused(String rest, String... told) throws IOException {
    Path file =
        Files.writeString(
            directory.resolve("select.yaml"),
            """
            task:
              task: sums
              dataset:
                - {input: What is 1 + 1?, target: "2"}
              solver: [generate, self_critique]
              scorer: includes
            log_dir: logs
            %s
            """
                .formatted(rest));
    var time = VirtualTime.seeded(1);
    assertThatExceptionOfType(ConfigurationException.class)
        .as(rest)
        .isThrownBy(() -> time.run(() -> ModelSelection.prepare(time, file, Settings.NONE, host())))
        .satisfies(
            wrong -> {
              for (String part : told) {
                assertThat(wrong.getMessage()).as(rest).contains(part);
              }
            });
  }
}
