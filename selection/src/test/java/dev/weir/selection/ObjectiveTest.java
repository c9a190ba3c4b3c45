package dev.weir.selection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.SplittableRandom;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ObjectiveTest {

  /**
   * The best, one that is as good and cheap, one that is cheaper and bad, one that is dominated.
   */
  private static Outcome planted(Evaluation evaluation) {
    int i = evaluation.datapoint();
    return switch (evaluation.arm()) {
      case 0 -> Outcome.scored(i % 10 == 0 ? 0 : 1, 1.0, 3);
      case 1 -> Outcome.scored(i % 10 == 1 ? 0 : 1, 0.1, 5);
      case 2 -> Outcome.scored(i % 2, 0.01, 4);
      default -> Outcome.scored(i % 3 == 0 ? 0 : 1, 2, 6);
    };
  }

  private static SelectionResult run(Selector selector, Objective objective) {
    Arms arms = Arms.of(List.of(new Node("agent", List.of("a", "b", "c", "d"))));
    return run(
        SelectionPlan.of(arms, 400, selector, 1).objective(objective), ObjectiveTest::planted);
  }

  private static SelectionResult run(SelectionPlan plan, Function<Evaluation, Outcome> outcomes) {
    var selection = Selection.begin(plan);
    var next = selection.next();
    while (next.isPresent()) {
      selection.tell(next.get(), outcomes.apply(next.get()));
      next = selection.next();
    }
    return selection.result();
  }

  @ParameterizedTest
  @ValueSource(strings = {"auto", "brute_force", "paired_elimination"})
  void findsTheCheapestWithinSomePoints(String name) {
    Selector selector = Selectors.named(name, Map.of());
    var cheapest = run(selector, new Objective.Within(0.1, Objective.Measure.COST));
    assertThat(cheapest.winner()).hasValue(1);
    assertThat(cheapest.front()).contains(1).doesNotContain(2);
    var fastest = run(selector, new Objective.Within(0.1, Objective.Measure.LATENCY));
    assertThat(fastest.winner()).hasValue(0);
  }

  /**
   * The second is within the points of the best and the third within those of the second, but not
   * of the best: the best must not be forgotten once the second is taken for it.
   */
  @ParameterizedTest
  @ValueSource(strings = {"auto", "brute_force", "paired_elimination"})
  void doesNotDriftFromTheBestStepByStep(String name) {
    double[] chances = {0.80, 0.77, 0.73};
    double[] costs = {10, 5, 1};
    Arms arms = Arms.of(List.of(new Node("agent", List.of("best", "within", "outside"))));
    int claimed = 0;
    for (long seed = 0; seed < 10; seed++) {
      var random = new SplittableRandom(seed);
      double[] luck = random.doubles(4_000).toArray();
      SelectionPlan plan =
          SelectionPlan.of(arms, luck.length, Selectors.named(name, Map.of()), seed)
              .objective(new Objective.Within(0.05, Objective.Measure.COST));
      SelectionResult result =
          run(
              plan,
              one ->
                  Outcome.scored(
                      luck[one.datapoint()] < chances[one.arm()] ? 1 : 0, costs[one.arm()], 1));
      assertThat(result.winner()).isNotEqualTo(OptionalInt.of(2));
      if (result.notDecided().isEmpty()) {
        assertThat(result.confidence()).hasValue(0.95);
        claimed++;
      }
    }
    assertThat(claimed).isPositive();
  }

  @ParameterizedTest
  @ValueSource(strings = {"auto", "brute_force", "paired_elimination"})
  void findsTheFrontOfScoreCostAndLatency(String name) {
    var result = run(Selectors.named(name, Map.of()), new Objective.Pareto());
    assertThat(result.front()).containsExactlyInAnyOrder(0, 1, 2);
    assertThat(result.notDecided()).doesNotContain(2);
  }

  /** Three equal ones of rising cost, and one that is cheap and worse: first and last matter. */
  @ParameterizedTest
  @ValueSource(strings = {"auto", "brute_force", "paired_elimination"})
  void claimsNoConfidenceForAFrontAndTellsWhatIsOpen(String name) {
    double[] chances = {0.7, 0.7, 0.7, 0.4};
    double[] costs = {1, 2, 3, 0.5};
    Arms arms = Arms.of(List.of(new Node("agent", List.of("a", "b", "c", "d"))));
    for (long seed = 0; seed < 10; seed++) {
      SelectionPlan plan =
          SelectionPlan.of(arms, 300, Selectors.named(name, Map.of()), seed)
              .objective(new Objective.Pareto());
      double[] luck = new SplittableRandom(seed).doubles(4 * 300).toArray();
      SelectionResult result =
          run(
              plan,
              one -> {
                double drawn = luck[one.datapoint() * 4 + one.arm()];
                return Outcome.scored(drawn < chances[one.arm()] ? 1 : 0, costs[one.arm()], 1);
              });
      assertThat(result.confidence()).isEmpty();
      assertThat(result.front()).contains(3);
      assertThat(result.notDecided()).contains(1, 2).doesNotContain(3);
    }
  }

  /**
   * Measured latencies are never the same twice, and the same winner is promised for any timing.
   */
  @Test
  void timingDoesNotDecideBetweenEquals() {
    Arms arms = Arms.of(List.of(new Node("agent", List.of("a", "b"))));
    SelectionPlan plan = SelectionPlan.of(arms, 40, Selectors.AUTO, 1);
    for (double latency : new double[] {0.999, 1.001}) {
      SelectionResult result =
          run(
              plan,
              one -> Outcome.scored(one.datapoint() % 3 == 0 ? 0 : 1, 1, 2 - one.arm() * latency));
      assertThat(result.winner()).hasValue(0);
      SelectionResult dearer =
          run(
              plan,
              one ->
                  Outcome.scored(
                      one.datapoint() % 3 == 0 ? 0 : 1, 2 - one.arm(), one.arm() * latency));
      assertThat(dearer.winner()).hasValue(1);
    }
  }

  /** The first costs less at each attempt and needs three; the third fails on half, and pays. */
  @Test
  void failedAttemptsAndFailuresArePartOfWhatAnArmCosts() {
    Arms arms = Arms.of(List.of(new Node("agent", List.of("a", "b", "c"))));
    var none = OptionalDouble.empty();
    var paid = new Outcome(none, OptionalDouble.of(1), OptionalDouble.of(1));
    SelectionResult result =
        run(
            SelectionPlan.of(arms, 50, new Selector.BruteForce(), 1)
                .failures(new Failures(Failures.Meaning.ZERO, 3, 50))
                .objective(new Objective.Within(0.2, Objective.Measure.COST)),
            one ->
                switch (one.arm()) {
                  case 0 -> one.attempt() < 3 ? paid : Outcome.scored(1, 1, 1);
                  case 1 -> Outcome.scored(1, 1.5, 1);
                  default -> one.datapoint() % 2 == 0 ? paid : Outcome.scored(1, 1, 1);
                });
    assertThat(result.winner()).hasValue(1);
    Map<Integer, Double> costs = new HashMap<>();
    result.standings().forEach(arm -> costs.put(arm.arm(), arm.cost().orElseThrow()));
    assertThat(costs).isEqualTo(Map.of(0, 3.0, 1, 1.5, 2, 2.0));
    assertThat(result.cost()).hasValue(50 * (3 + 1.5 + 2));
  }

  @Test
  void weighsOnScalesThatAreFixedBeforehand() {
    assertThat(run(Selectors.AUTO, new Objective.Weighted(0.5, 1, 0, 1)).winner()).hasValue(1);
    assertThat(run(Selectors.AUTO, new Objective.Weighted(0, 1, 0.5, 10)).winner()).hasValue(0);
    var objective = new Objective.Weighted(0.2, 1, 0.1, 10);
    assertThat(objective.value(Outcome.scored(1, 0, 0))).isEqualTo(1);
    assertThat(objective.value(Outcome.scored(0, 100, 100))).isEqualTo(0);
    assertThat(objective.value(Outcome.failure())).isEqualTo(0);
  }

  @Test
  void anUnknownPriceIsAnErrorWhereCostMatters() {
    Arms arms = Arms.of(List.of(new Node("agent", List.of("a", "b"))));
    SelectionPlan plan = SelectionPlan.of(arms, 10, Selectors.AUTO, 1);
    var selection =
        Selection.begin(plan.objective(new Objective.Within(0.1, Objective.Measure.COST)));
    Evaluation first = selection.next().orElseThrow();
    assertThatThrownBy(() -> selection.tell(first, Outcome.scored(1)))
        .hasMessage("the objective needs costs, and a price is unknown for agent=a");
    selection.tell(first, Outcome.scored(1, 0.1, 1));
  }

  /** Published: Qwen3 Next + gpt-oss-120b costs a twentieth of the best and may be as good. */
  @Test
  void offersTheCheapCombinationOfHotpotQaOrSaysThatItIsNotDecided() {
    var scores = Tables.read("hotpotqa-score.csv");
    var costs = Tables.read("hotpotqa-cost_usd.csv");
    Map<Integer, Integer> rows = new HashMap<>();
    List<String> complete = Tables.lines("hotpotqa-complete_rows.txt");
    int[] kept =
        IntStream.range(0, scores.arms().size())
            .filter(arm -> complete.contains(scores.arms().label(arm)))
            .toArray();
    IntStream.range(0, kept.length).forEach(arm -> rows.put(arm, kept[arm]));
    Arms arms =
        Arms.listed(
            scores.arms().nodes(), Arrays.stream(kept).mapToObj(scores.arms()::models).toList());
    var selection =
        Selection.begin(
            SelectionPlan.of(arms, 200, Selectors.AUTO, 4)
                .objective(new Objective.Within(0.1, Objective.Measure.COST)));
    var next = selection.next();
    while (next.isPresent()) {
      int row = rows.getOrDefault(next.get().arm(), -1);
      int column = next.get().datapoint();
      selection.tell(
          next.get(), Outcome.scored(scores.cells()[row][column], costs.cells()[row][column], 1));
      next = selection.next();
    }
    SelectionResult result = selection.result();
    int cheap =
        IntStream.range(0, arms.size())
            .filter(
                arm -> arms.label(arm).equals("planner=Qwen3 Next 80B A3B + solver=gpt-oss-120b"))
            .findFirst()
            .orElseThrow();
    // No cheaper one is surely within ten points, so the best is offered, and what is open is told.
    assertThat(arms.label(result.winner().orElseThrow()))
        .isEqualTo("planner=Ministral 3 8B + solver=Claude Opus 4.6");
    assertThat(result.notDecided()).contains(cheap);
    assertThat(result.confidence()).isEmpty();
    assertThat(result.standings())
        .filteredOn(standing -> standing.arm() == cheap)
        .allSatisfy(
            standing -> {
              assertThat(standing.cost().orElseThrow()).isLessThan(0.001);
              assertThat(standing.behindWinner().orElseThrow().interval().contains(0.024)).isTrue();
            });
  }
}
