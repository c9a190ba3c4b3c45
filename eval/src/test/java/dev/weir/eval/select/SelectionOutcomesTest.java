package dev.weir.eval.select;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.weir.eval.sandbox.ExecRequest;
import dev.weir.eval.sandbox.SandboxSpec;
import dev.weir.eval.scorer.Scorers;
import dev.weir.eval.select.CountedProvider.Call;
import dev.weir.eval.solver.Solver;
import dev.weir.eval.task.TaskDefinition;
import dev.weir.model.Request;
import dev.weir.selection.SelectionResult.Ending;
import dev.weir.selection.Selectors;
import dev.weir.selection.Standing;
import dev.weir.time.Time;
import dev.weir.time.virtual.VirtualTime;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Objectives, failures, budgets and sandboxes of whole selections. */
class SelectionOutcomesTest {

  private static final String PLANNER = Planted.model("plan", 1, 1);

  @TempDir private Path directory;

  @BeforeEach
  void forgetCalls() {
    CountedProvider.reset();
  }

  /** One planner that is always right, so that only these models differ. */
  private ModelSelection.Builder among(int samples, String... models) throws Exception {
    return ModelSelection.of(Planted.task(samples))
        .node("planner", PLANNER)
        .node("model", models)
        .option("prices", Planted.prices(directory))
        .option("log_dir", directory.resolve("logs"));
  }

  private static List<Standing> byArm(SelectionFindings found) {
    return found.result().standings().stream()
        .sorted(Comparator.comparingInt(Standing::arm))
        .toList();
  }

  // Three are as good; one has a ninth of the price, one takes least time.
  private static final String DEAR = Planted.model("dear/slow", 1, 4);
  private static final String CHEAP = Planted.model("cheap", 1, 9);
  private static final String FAST = Planted.model("dear/fast", 1, 1);
  private static final String BAD = Planted.model("bad", 0.3, 0.1);

  @Test
  void theCheapestWithinPointsOfTheBestIsFound() throws Exception {
    SelectionFindings found =
        Planted.run(
            among(150, DEAR, CHEAP, FAST, BAD)
                .option("objective", "cheapest")
                .option("within", 0.1));
    assertThat(found.result().winner()).hasValue(1);
    assertThat(found.result().front()).contains(1);
    List<Standing> arms = byArm(found);
    // The planner's and the model's tokens at their prices: each question is 4 or 5 tokens.
    assertThat(arms.get(1).cost().orElseThrow()).isLessThan(arms.get(0).cost().orElseThrow() / 3);
  }

  @Test
  void theFastestWithinPointsOfTheBestIsFound() throws Exception {
    SelectionFindings found =
        Planted.run(
            among(150, DEAR, CHEAP, FAST, BAD)
                .option("objective", "fastest")
                .option("within", 0.1));
    assertThat(found.result().winner()).hasValue(2);
    // Its own second or so and the planner's, however many wait for their turn.
    assertThat(byArm(found).get(2).latency().orElseThrow()).isCloseTo(2, within(0.2));
  }

  @Test
  void weightsTradeScoreForCostAndTime() throws Exception {
    SelectionFindings found =
        Planted.run(
            among(60, DEAR, CHEAP, FAST, BAD)
                .option("objective", "weighted")
                .option("latency_weight", 1)
                .option("latency_scale", "10s"));
    assertThat(found.result().winner()).hasValue(2);
    Standing fast = byArm(found).get(2);
    // On a scale from 0 to 1.
    double worth = fast.score().orElseThrow() - fast.latency().orElseThrow() / 10;
    assertThat(fast.value().orElseThrow()).isCloseTo((worth + 1) / 2, within(0.001));
  }

  @Test
  void theParetoSetHasAllThatNothingBeats() throws Exception {
    SelectionFindings found =
        Planted.run(among(60, DEAR, CHEAP, FAST, BAD).option("objective", "pareto"));
    // The dear one is as good as the fast one, as dear, and slower.
    assertThat(found.result().front()).contains(1, 2, 3).doesNotContain(0);
  }

  /** A model that fails on what is hard must not win by it. */
  @Test
  void failuresCountAsZero() throws Exception {
    SelectionFindings found =
        Planted.run(
            among(40, Planted.model("a", 1, 1, "fails=0.4"), Planted.model("b", 0.95, 1))
                .option("selector", "brute_force"));
    Standing failing = byArm(found).get(0);
    assertThat(found.result().winner()).hasValue(1);
    assertThat(failing.failures()).isBetween(10, 22);
    assertThat(failing.samples()).isEqualTo(40);
    assertThat(failing.score().orElseThrow()).isEqualTo((40 - failing.failures()) / 40.0);
    assertThat(found.errors()).containsOnlyKeys(0);
  }

  @Test
  void excludedFailuresAreLeftOutOnBothSidesOfAPair() throws Exception {
    SelectionFindings found =
        Planted.run(
            among(
                    40,
                    Planted.model("a", 1, 1, "fails=0.4"),
                    Planted.model("b", 0.8, 1),
                    Planted.model("c", 0.9, 1, "fails=0.2"))
                .option("selector", "brute_force")
                .option("failures", "exclude"));
    List<Standing> arms = byArm(found);
    assertThat(found.result().winner()).hasValue(0);
    assertThat(arms.get(0).score().orElseThrow()).isEqualTo(1);
    // Indices stay aligned: what is common is what neither failed on.
    List<Integer> failed = failedDatapoints("a");
    List<Integer> alsoFailed = failedDatapoints("c");
    assertThat(failed).hasSize(arms.get(0).failures());
    assertThat(arms.get(1).behindWinner().orElseThrow().datapoints()).isEqualTo(40 - failed.size());
    long either = Stream.concat(failed.stream(), alsoFailed.stream()).distinct().count();
    assertThat(arms.get(2).behindWinner().orElseThrow().datapoints())
        .isEqualTo((int) (40 - either));
  }

  /** Sums whose answer never came. */
  private static List<Integer> failedDatapoints(String model) {
    return CountedProvider.ended().stream()
        .filter(call -> call.failed() && call.model().startsWith(model + ":"))
        .map(call -> Integer.parseInt(call.prompt().replaceAll("\\D+(\\d+) \\+ 17.*", "$1")))
        .distinct()
        .toList();
  }

  @Test
  void whatFailsIsTriedAgainAsOftenAsAllowed() throws Exception {
    SelectionFindings found =
        Planted.run(
            among(20, Planted.model("a", 1, 1, "flaky=2"), Planted.model("b", 0.7, 1))
                .option("selector", "brute_force")
                .option("failures", "retry"));
    assertThat(byArm(found).get(0).failures()).isZero();
    assertThat(found.result().winner()).hasValue(0);
    assertThat(found.result().evaluations()).isEqualTo(3 * 20 + 20);
  }

  @Test
  void whatFailsMoreOftenCountsAsZero() throws Exception {
    SelectionFindings found =
        Planted.run(
            among(20, Planted.model("a", 1, 1, "flaky=2"), Planted.model("b", 0.7, 1))
                .option("selector", "brute_force")
                .option("failures", "retry")
                .option("attempts", 2));
    // Given up after five datapoints of two attempts each.
    assertThat(byArm(found).get(0).failures()).isEqualTo(5);
    assertThat(found.result().winner()).hasValue(1);
    assertThat(found.result().evaluations()).isEqualTo(2 * 5 + 20);
  }

  @ParameterizedTest
  @CsvSource({"zero, 5", "retry, 15", "exclude, 5"})
  void aCombinationThatAlwaysFailsEndsAfterBoundedAttemptsAndNeverWins(
      String failures, int attempts) throws Exception {
    for (String selector : Selectors.names()) {
      CountedProvider.reset();
      ModelSelection.Builder selection =
          among(30, Planted.model("broken", 1, 1, "fails=1"), Planted.model("b", 0.95, 1))
              .option("selector", selector)
              .option("failures", failures)
              .option("log_dir", directory.resolve(selector + failures));
      if (Selectors.parameters(selector).containsKey("sample_fraction")) {
        // Or but a share of the two is tried.
        selection.option("selector_args", "sample_fraction=1");
      }
      SelectionFindings found = Planted.run(selection);
      long tried =
          CountedProvider.ended().stream()
              .filter(call -> call.model().startsWith("broken"))
              .count();
      // And once what idle slots have begun before that was known.
      assertThat(tried - found.ahead().inVain()).as(selector).isBetween(1L, (long) attempts);
      assertThat(found.ahead().inVain()).as(selector).isLessThanOrEqualTo(20);
      assertThat(byArm(found).get(0).samples()).as(selector).isLessThanOrEqualTo(5);
      assertThat(found.errors().get(0)).as(selector).contains("it always fails");
      assertThat(found.result().winner()).as(selector).hasValue(1);
    }
  }

  /** Weir waits for providers that are away; a selection does not wait for ever. */
  @Test
  void aModelThatIsAwayFails() throws Exception {
    SelectionFindings found =
        Planted.run(among(30, Planted.model("away", 1, 1, "away=1"), Planted.model("b", 0.4, 1)));
    assertThat(found.result().winner()).hasValue(1);
    assertThat(found.errors().get(0)).containsAnyOf("503", "it has not answered for 180 s");
    assertThat(byArm(found).get(0).samples()).isEqualTo(5);
    assertThat(found.elapsed()).isLessThan(Duration.ofMinutes(6));
  }

  /** Its further attempts are not waited for either. */
  @Test
  void aModelThatIsAwayIsWaitedForOnce() throws Exception {
    SelectionFindings found =
        Planted.run(
            among(30, Planted.model("away", 1, 1, "away=1"), Planted.model("b", 0.4, 1))
                .option("failures", "retry")
                .option("max_concurrent", 2));
    assertThat(found.result().winner()).hasValue(1);
    assertThat(byArm(found).get(0).elimination())
        .hasValueSatisfying(
            gone -> assertThat(gone.reason()).isEqualTo("failed on all of its first 5 datapoints"));
    assertThat(found.elapsed()).isLessThan(Duration.ofMinutes(6));
  }

  @Test
  void whenAllFailNobodyWins() throws Exception {
    SelectionFindings found =
        Planted.run(
            among(30, Planted.model("a", 1, 1, "fails=1"), Planted.model("b", 1, 1, "fails=1")));
    assertThat(found.result().winner()).isEmpty();
    assertThat(found.result().evaluations()).isLessThanOrEqualTo(10);
    assertThat(found.errors()).containsOnlyKeys(0, 1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"37", "20%", "37,50%"})
  void aBudgetOfEvaluationsIsObeyedByEverySelector(String budget) throws Exception {
    for (String selector : Selectors.names()) {
      CountedProvider.reset();
      SelectionFindings found =
          Planted.run(
              among(50, DEAR, CHEAP, Planted.model("flaky", 0.9, 1, "fails=0.5"), BAD)
                  .option("selector", selector)
                  .option("failures", "retry")
                  .option("budget", budget)
                  .option("log_dir", directory.resolve(selector)));
      long most = budget.equals("20%") ? 40 : 37;
      assertThat(found.result().evaluations()).as(selector).isBetween(1L, most);
      // Each evaluation asks the planner once: nothing was tried beyond what is counted.
      assertThat(CountedProvider.ended().stream().filter(call -> call.model().startsWith("plan")))
          .as(selector)
          .hasSize((int) found.result().evaluations());
    }
  }

  /** Each call costs at least 4 dollars; none leaves for which there might be no money. */
  @Test
  void noCallLeavesWhenTheMoneyIsSpent() throws Exception {
    int most = 3;
    SelectionFindings found =
        Planted.run(
            among(50, CHEAP, Planted.model("b", 0.5, 1))
                .option("selector", "brute_force")
                .option("max_concurrent", most)
                .option("budget", "$200"));
    assertThat(found.stopped().orElseThrow()).contains("budget");
    assertThat(found.result().ending()).isEqualTo(Ending.STOPPED);
    List<Call> calls = CountedProvider.ended();
    double paid = calls.stream().mapToDouble(call -> Math.ceilDiv(call.prompt().length(), 4)).sum();
    assertThat(found.knownCost()).isEqualTo(paid);
    assertThat(paid).isBetween(180.0, 200.0);
  }

  @Test
  void nothingRunsOnWhenTheTimeIsUp() throws Exception {
    SelectionFindings found = Planted.run(among(50, DEAR, CHEAP).option("budget", "30s"));
    assertThat(found.stopped()).contains("the time is used up");
    assertThat(found.elapsed()).isBetween(Duration.ofSeconds(30), Duration.ofMillis(30_100));
    long first = CountedProvider.ended().stream().mapToLong(Call::began).min().orElseThrow();
    assertThat(CountedProvider.ended())
        .allMatch(call -> call.ended() - first <= Duration.ofSeconds(30).toNanos());
    assertThat(found.result().evaluations()).isPositive();
  }

  /** Who is cut off asks another model, as solvers do that do not look at what was thrown. */
  private static final Solver STUBBORN =
      (state, context) -> {
        try {
          context.role("planner").generate(Request.of("Plan: " + state.userPrompt()));
        } catch (InterruptedException cutOff) {
          context.role("planner").generate(Request.of("Plan again: " + state.userPrompt()));
        }
        state.answered(context.model().generate(Request.of(state.userPrompt())));
      };

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void noCallLeavesOnceItIsBeingEnded(boolean byHand) throws Exception {
    TaskDefinition task =
        TaskDefinition.named("stubborn")
            .dataset(Planted.sums(20))
            .solver(STUBBORN)
            .scorer(Scorers.includes())
            .build();
    ModelSelection.Builder selection =
        ModelSelection.of(task)
            .node("planner", Planted.model("a", 1, 2), Planted.model("b", 1, 2))
            .option("model", Planted.model("solve", 1, 2))
            .option("selector", "brute_force")
            .option("max_concurrent", 4)
            .option("log_dir", directory.resolve("logs"));
    var time = VirtualTime.seeded(1);
    SelectionFindings ended =
        time.run(
            () -> {
              ModelSelection bounded =
                  (byHand ? selection : selection.option("budget", "10s"))
                      .prepare(time, Planted.host());
              var running = time.start("selection", () -> bounded.run(_ -> {}));
              time.sleep(Duration.ofMillis(9_999));
              int calls = CountedProvider.calls();
              assertThat(calls).isGreaterThan(10);
              if (byHand) {
                running.cancel();
              }
              SelectionFindings found = running.join();
              assertThat(CountedProvider.calls()).isEqualTo(calls);
              return found;
            });
    assertThat(ended.stopped()).isPresent();
    // Who was not let go has not failed.
    assertThat(ended.errors()).isEmpty();
    SelectionFindings rest = Planted.run(selection.option("budget", "10h"));
    assertThat(rest.errors()).isEmpty();
    assertThat(rest.result().evaluations()).isEqualTo(40);
    assertThat(rest.kept()).isEqualTo(ended.result().evaluations()).isPositive();
  }

  /** Goes on without an answer, whatever the reason is that there is none. */
  private static final Solver CONTENT =
      (state, context) -> {
        context.role("planner").generate(Request.of("Plan: " + state.userPrompt()));
        try {
          state.answered(context.model().generate(Request.of(state.userPrompt())));
        } catch (RuntimeException unlooked) {
          state.setOutput("unsure");
        }
      };

  @Test
  void whatMadeDoWithoutACallThatTheBudgetForbadeIsMadeAgain() throws Exception {
    TaskDefinition task =
        TaskDefinition.named("content")
            .dataset(Planted.sums(4))
            .solver(CONTENT)
            .scorer(Scorers.includes())
            .build();
    ModelSelection.Builder selection =
        ModelSelection.of(task)
            .node("planner", PLANNER)
            .node("model", Planted.model("a", 1, 1), Planted.model("b", 1, 1))
            .option("prices", Planted.prices(directory))
            .option("selector", "brute_force")
            .option("log_dir", directory.resolve("logs"));
    // A plan costs more than that.
    SelectionFindings ended = Planted.run(selection.option("budget", "$3"));
    assertThat(CountedProvider.calls()).isEqualTo(1);
    assertThat(ended.stopped().orElseThrow()).contains("budget of $3");
    assertThat(ended.result().evaluations()).isZero();
    SelectionFindings rest = Planted.run(selection.option("budget", "$1000"));
    assertThat(rest.kept()).isZero();
    assertThat(CountedProvider.calls()).isEqualTo(2 * 8);
    assertThat(byArm(rest)).allMatch(arm -> arm.score().orElseThrow() == 1);
  }

  /** Real processes, one sandbox for each evaluation, and never more of them than allowed. */
  @Test
  void evaluationsHaveSandboxesOfTheirOwn() throws Exception {
    TaskDefinition task =
        TaskDefinition.named("boxed")
            .dataset(Planted.sums(4))
            .solver(
                (state, context) -> {
                  Planted.AGENT.solve(state, context);
                  if (!context.isRehearsal()) {
                    var sandbox = context.sandbox();
                    // Fails if another evaluation has left its file.
                    String told =
                        sandbox
                            .exec(
                                ExecRequest.of(
                                    "sh", "-c", "test ! -e seen && touch seen && echo ok"))
                            .stdout();
                    assertThat(told).contains("ok");
                  }
                })
            .scorer(Scorers.includes())
            .sandbox(SandboxSpec.local())
            .build();
    SelectionFindings found =
        ModelSelection.of(task)
            .node("planner", Planted.model("plan", 1, 0.001))
            .node("model", Planted.model("a", 1, 0.001), Planted.model("b", 1, 0.001))
            .option("selector", "brute_force")
            .option("max_sandboxes", 2)
            .option("log_dir", directory.resolve("logs"))
            .prepare(Time.system(), Planted.host())
            .run(_ -> {});
    assertThat(found.errors()).isEmpty();
    assertThat(found.result().evaluations()).isEqualTo(8);
    assertThat(byArm(found).get(0).score()).hasValue(1);
  }
}
