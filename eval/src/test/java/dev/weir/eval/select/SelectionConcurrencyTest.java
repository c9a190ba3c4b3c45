package dev.weir.eval.select;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.eval.dataset.Sample;
import dev.weir.eval.scorer.Scorers;
import dev.weir.eval.select.SelectionJournal.Ended;
import dev.weir.eval.solver.Solver;
import dev.weir.eval.task.TaskDefinition;
import dev.weir.model.ConfigurationException;
import dev.weir.model.Request;
import dev.weir.model.Response.Reply;
import dev.weir.selection.Arms;
import dev.weir.selection.Evaluation;
import dev.weir.selection.Selection;
import dev.weir.selection.SelectionResult;
import dev.weir.selection.Selectors;
import dev.weir.time.Task;
import dev.weir.time.virtual.VirtualTime;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How many calls a selection makes at once, and that this decides nothing. */
class SelectionConcurrencyTest {

  private static final int SAMPLES = 12;

  private static final Duration WRITTEN_WITHIN = Duration.ofMillis(10);

  @TempDir private Path directory;

  @BeforeEach
  void forgetCalls() {
    CountedProvider.reset();
  }

  private ModelSelection.Builder selection(TaskDefinition task, String logs) throws Exception {
    return ModelSelection.of(task)
        .node(
            "planner",
            Planted.model("plan-a", 0.7, 1),
            Planted.model("plan-b", 0.95, 2, "fails=0.1"))
        .node(
            "model",
            Planted.model("solve-a", 0.6, 3),
            Planted.model("solve-b", 0.95, 1),
            Planted.model("solve-c", 0.3, 2, "fails=0.2"))
        .option("prices", Planted.prices(directory))
        .option("max_connections", 100)
        .option("max_retries", 0)
        .option("log_dir", directory.resolve(logs));
  }

  /** Three calls at once, one more, and the grader's. */
  private static final Solver ASKING_MANY_AT_ONCE =
      (state, context) -> {
        List<Task<Reply>> asked = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
          Request request = Request.of("Plan %d: %s".formatted(i, state.userPrompt()));
          asked.add(context.time().start("plan", () -> context.role("planner").generate(request)));
        }
        for (Task<Reply> plan : asked) {
          plan.join();
        }
        state.answered(context.model().generate(Request.of(state.userPrompt())));
      };

  @ParameterizedTest
  @CsvSource({
    "shared, 1, brute_force",
    "shared, 5, brute_force",
    "shared, 12, auto",
    "documented, 5, brute_force",
    "documented, 7, auto",
    "documented, 12, arm_elimination"
  })
  void neverMakesMoreCallsAtOnceThanAllowed(String schedule, int most, String selector)
      throws Exception {
    TaskDefinition task =
        TaskDefinition.named("many")
            .dataset(Planted.sums(SAMPLES))
            .solver(ASKING_MANY_AT_ONCE)
            .scorer(Scorers.modelGradedFact())
            .build();
    SelectionFindings found =
        Planted.run(
            selection(task, "logs")
                .option("model_role", "{\"grader\": \"counted/judge:seconds=4,rpm=0\"}")
                .option("selector", selector)
                .option("schedule", schedule)
                .option("max_concurrent", most));
    assertThat(CountedProvider.most()).isEqualTo(most);
    assertThat(CountedProvider.calls()).isGreaterThan((int) (3 * found.result().evaluations()));
    assertThat(CountedProvider.ended()).anyMatch(call -> call.model().startsWith("judge"));
  }

  @Test
  void sequentialMakesOneCallAtATime() throws Exception {
    SelectionFindings found =
        Planted.run(selection(Planted.task(SAMPLES), "logs").option("sequential", true));
    assertThat(CountedProvider.most()).isEqualTo(1);
    double seconds =
        CountedProvider.ended().stream().mapToLong(call -> call.ended() - call.began()).sum() / 1e9;
    // And no time between them.
    assertThat(found.elapsed().toNanos() / 1e9).isBetween(seconds, 1.01 * seconds + 1);
  }

  static Stream<String> selectors() {
    return Selectors.names().stream();
  }

  /** All of the result, latencies and costs too: what it waited for its turn is no latency. */
  @ParameterizedTest
  @MethodSource("selectors")
  void everySelectorDecidesTheSameAtAnyConcurrency(String selector) throws Exception {
    SelectionResult first = null;
    for (String schedule : List.of("shared", "documented")) {
      for (int most : List.of(1, 7, 20, 100)) {
        CountedProvider.reset();
        SelectionFindings found =
            Planted.run(
                VirtualTime.seeded(most),
                selection(Planted.task(SAMPLES), schedule + most)
                    .option("selector", selector)
                    .option("failures", "retry")
                    .option("schedule", schedule)
                    .option("max_concurrent", most));
        first = first == null ? found.result() : first;
        assertThat(found.result()).as("%s, %d at once", schedule, most).isEqualTo(first);
        assertThat(CountedProvider.most()).isLessThanOrEqualTo(most);
        assertThat(found.result().winner()).isPresent();
      }
    }
  }

  /** Sooner done, never more calls at once, nothing in the result that was not decided. */
  @ParameterizedTest
  @MethodSource("selectors")
  void speculationChangesNoDecision(String selector) throws Exception {
    SelectionFindings plain = Planted.run(speculating(selector, "plain"));
    CountedProvider.reset();
    SelectionFindings found = Planted.run(speculating(selector, "ahead").option("speculate", true));
    assertThat(found.result()).isEqualTo(plain.result());
    assertThat(CountedProvider.most()).isLessThanOrEqualTo(10);
    assertThat(found.elapsed()).isLessThanOrEqualTo(plain.elapsed().plusMillis(100));
    assertThat(plain.ahead()).isEqualTo(new SelectionFindings.Ahead(0, 0, 0));
    assertThat(found.ahead().inVain()).isLessThanOrEqualTo(found.ahead().started());
    // All that was asked is told: each evaluation asks the planner once.
    double paid =
        CountedProvider.ended().stream()
            .mapToDouble(call -> Math.ceilDiv(call.prompt().length(), 4))
            .sum();
    assertThat(found.knownCost()).isLessThanOrEqualTo(paid);
    assertThat(found.knownCost())
        .isGreaterThanOrEqualTo(plain.knownCost() + found.ahead().costInVain());
    long failed = CountedProvider.ended().stream().filter(CountedProvider.Call::failed).count();

    CountedProvider.reset();
    SelectionFindings again = Planted.run(speculating(selector, "ahead"));
    // What failed without an answer has cost nothing; it is tried again, or forgotten.
    assertThat(CountedProvider.ended()).allMatch(CountedProvider.Call::failed);
    assertThat(again.result()).isEqualTo(plain.result());
    assertThat(again.knownCost()).isEqualTo(found.knownCost());
    assertThat(again.ahead().inVain())
        .isBetween(found.ahead().inVain() - failed, found.ahead().inVain());
  }

  private ModelSelection.Builder speculating(String selector, String logs) throws Exception {
    return selection(Planted.task(40), selector + logs)
        .option("selector", selector)
        .option("failures", "retry")
        .option("max_concurrent", 10);
  }

  @Test
  void speculationSavesTime() throws Exception {
    SelectionFindings plain = Planted.run(speculating("auto", "plain"));
    SelectionFindings found = Planted.run(speculating("auto", "ahead").option("speculate", true));
    assertThat(found.ahead().started()).isPositive();
    assertThat(found.elapsed()).isLessThan(plain.elapsed().multipliedBy(9).dividedBy(10));
  }

  @ParameterizedTest
  @CsvSource({"budget, 25%", "budget, 100", "budget, $5", "schedule, documented"})
  void speculationIsRefusedWhereItWouldTakeFromWhatIsDecided(String option, String value) {
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(
            () ->
                Planted.run(
                    selection(Planted.task(4), "logs")
                        .option("speculate", true)
                        .option(option, value)))
        .withMessageContaining("speculate");
    assertThat(CountedProvider.calls()).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"score", "cheapest", "fastest", "weighted", "pareto"})
  void everyObjectiveDecidesTheSameAtAnyConcurrency(String objective) throws Exception {
    SelectionResult first = null;
    for (int most : List.of(1, 7, 20, 100)) {
      SelectionFindings found =
          Planted.run(
              VirtualTime.seeded(most),
              selection(Planted.task(SAMPLES), objective + most)
                  .option("objective", objective)
                  .option("within", 0.1)
                  .option("cost_weight", 0.1)
                  .option("cost_scale", 100)
                  .option("latency_weight", 0.2)
                  .option("max_concurrent", most));
      first = first == null ? found.result() : first;
      assertThat(found.result()).as("%d at once", most).isEqualTo(first);
    }
  }

  /** When somebody worked on a sample. */
  private record Span(Sample sample, long began, long ended) {}

  /**
   * Tells the outcomes of the journal to a selection of its own, at the instants at which the work
   * ended, and counts at each instant who works: either all slots, or nothing decided waits.
   */
  @ParameterizedTest
  @ValueSource(strings = {"brute_force", "auto", "arm_elimination", "epsilon_lucb", "top_two"})
  void noSlotIsIdleWhileADecidedEvaluationWaits(String selector) throws Exception {
    int slots = 7;
    List<Span> spans = new ArrayList<>();
    var time = VirtualTime.seeded(3);
    Solver watched =
        (state, context) -> {
          long began = time.nanos();
          Planted.AGENT.solve(state, context);
          if (!context.isRehearsal()) {
            spans.add(new Span(state.sample(), began, time.nanos()));
          }
        };
    TaskDefinition task =
        TaskDefinition.named("watched")
            .dataset(Planted.sums(SAMPLES))
            .solver(watched)
            .scorer(Scorers.includes())
            .build();
    SelectionFindings found =
        Planted.run(
            time,
            ModelSelection.of(task)
                .node("planner", Planted.model("plan-a", 0.7, 1), Planted.model("plan-b", 0.95, 2))
                .node("model", Planted.model("solve-a", 0.6, 3), Planted.model("solve-b", 0.95, 1))
                .option("selector", selector)
                .option("max_concurrent", slots)
                .option("max_connections", 100)
                .option("log_dir", directory.resolve("logs")));
    List<Ended> outcomes = outcomes(found);
    assertThat(spans).hasSameSizeAs(outcomes);
    requireBusy(Selection.begin(found.plan()), slots, spans, outcomes);
  }

  /** In the order in which they were written, which is that in which work ended. */
  private List<Ended> outcomes(SelectionFindings found) throws Exception {
    String file = String.valueOf(found.journal().getFileName());
    String name = file.substring(0, file.lastIndexOf('.'));
    Path logs = directory.resolve("logs");
    Arms arms = found.plan().arms();
    // By the names of their nodes: the model first, then the planner.
    List<List<String>> models =
        IntStream.range(0, arms.size()).mapToObj(arm -> arms.models(arm).reversed()).toList();
    var asked = SelectionJournal.Asked.of(models, List.of(Planted.sums(SAMPLES)));
    var time = VirtualTime.seeded(1);
    return time.run(
        () -> {
          SelectionJournal.Opened opened = SelectionJournal.open(logs, name, asked, Map.of(), time);
          opened.journal().close();
          return List.copyOf(opened.known().values());
        });
  }

  private static void requireBusy(
      Selection selection, int slots, List<Span> spans, List<Ended> outcomes) {
    var instants = new TreeSet<Long>();
    spans.forEach(span -> instants.addAll(List.of(span.began(), span.ended())));
    long idle = 0;
    int told = 0;
    for (long now : instants) {
      for (; told < spans.size() && spans.get(told).ended() <= now; told++) {
        Evaluation evaluation = outcomes.get(told).evaluation();
        assertThat(spans.get(told).sample().id()).isEqualTo("s" + evaluation.datapoint());
        selection.tell(evaluation, outcomes.get(told).outcome());
      }
      long working =
          spans.stream().filter(span -> span.began() <= now && now < span.ended()).count();
      assertThat(working).isLessThanOrEqualTo(slots);
      Long then = instants.higher(now);
      if (then != null && selection.decided() - told > working) {
        idle += (slots - working) * (then - now);
      }
    }
    assertThat(selection.isEnded()).isTrue();
    // A slot is free again when the outcome is on the disk.
    assertThat(Duration.ofNanos(idle))
        .isLessThanOrEqualTo(WRITTEN_WITHIN.multipliedBy((long) slots * outcomes.size()));
  }
}
