package dev.weir.selection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.weir.selection.GaussianProcess.Belief;
import dev.weir.selection.GaussianProcess.Point;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PoliciesTest {

  private static final int MODELS = 6;
  private static final int DATAPOINTS = 200;

  private static final Arms ARMS =
      Arms.of(List.of(new Node("planner", models("p")), new Node("solver", models("s"))));

  private static List<String> models(String name) {
    return IntStream.range(0, MODELS).mapToObj(i -> name + i).toList();
  }

  /** Each node adds its part; the best of both is the last arm, six points ahead. */
  private static double planted(int arm) {
    int planner = arm / MODELS;
    int solver = arm % MODELS;
    return 0.3 + 0.06 * (planner + solver);
  }

  private static Tables.Table table(long seed) {
    double[][] cells = new double[ARMS.size()][DATAPOINTS];
    var random = new SplittableRandom(seed);
    for (int datapoint = 0; datapoint < DATAPOINTS; datapoint++) {
      double easy = random.nextDouble();
      for (int arm = 0; arm < cells.length; arm++) {
        double luck = random.nextDouble() < 0.6 ? easy : random.nextDouble();
        cells[arm][datapoint] = luck < planted(arm) ? 1 : 0;
      }
    }
    return new Tables.Table(ARMS, cells);
  }

  /** Mean distance to the best over 20 seeds in points, and the share of evaluations, at most. */
  @ParameterizedTest
  @CsvSource({
    "auto, 0.5, 0.35",
    "brute_force, 0.5, 1",
    "random, 15, 0.25",
    "hill_climbing, 8, 0.7",
    "arm_elimination, 1, 0.35",
    "epsilon_lucb, 1, 0.6",
    "bayesian, 3, 0.25",
    "sequential_halving, 1, 0.25",
    "paired_elimination, 0.5, 0.75",
    "top_two, 2, 0.25"
  })
  void findsWhatIsPlanted(String name, double points, double share) {
    double behind = 0;
    double evaluations = 0;
    int seeds = 20;
    for (int seed = 0; seed < seeds; seed++) {
      Tables.Table table = table(seed);
      SelectionPlan plan =
          SelectionPlan.of(ARMS, DATAPOINTS, Selectors.named(name, Map.of()), seed);
      Selection selection = Tables.run(plan, table);
      behind += table.best() - table.mean(selection.leader().orElseThrow());
      evaluations += (double) selection.told() / plan.allEvaluations();
    }
    assertThat(100 * behind / seeds).isLessThanOrEqualTo(points);
    assertThat(evaluations / seeds).isLessThanOrEqualTo(share + 0.001);
  }

  @Test
  void armEliminationLooksWhenAgentOptDoes() {
    Tables.Table same = new Tables.Table(ARMS, new double[ARMS.size()][DATAPOINTS]);
    var selection =
        Selection.begin(
            SelectionPlan.of(ARMS, DATAPOINTS, Selectors.documentedArmElimination(), 1));
    List<Integer> firstOfRounds = new ArrayList<>();
    var next = selection.next();
    while (next.isPresent()) {
      if (selection.round() > firstOfRounds.size()) {
        firstOfRounds.add(next.get().datapoint());
      }
      selection.tell(next.get(), same.outcome(next.get()));
      next = selection.next();
    }
    assertThat(firstOfRounds).containsExactly(0, 20, 60, 140);
    assertThat(selection.told()).isEqualTo(ARMS.size() * 200L);
  }

  @Test
  void thresholdTellsTheArmsAbove() {
    Selector selector = new Selector.ThresholdElimination(0.6, 0, 0.05);
    SelectionResult result =
        Tables.run(SelectionPlan.of(ARMS, DATAPOINTS, selector, 3), table(3)).result();
    assertThat(result.front())
        .contains(ARMS.size() - 1)
        .allSatisfy(arm -> assertThat(planted(arm)).isGreaterThan(0.6));
    assertThat(result.standings())
        .filteredOn(standing -> standing.elimination().isPresent())
        .isNotEmpty()
        .allSatisfy(standing -> assertThat(planted(standing.arm())).isLessThan(0.6));
  }

  @Test
  void datapointsAreShuffledBySeed() {
    Set<List<Integer>> orders = new HashSet<>();
    for (int seed = 0; seed < 5; seed++) {
      orders.add(
          Selection.begin(SelectionPlan.of(ARMS, DATAPOINTS, Selectors.AUTO, seed))
              .waiting()
              .stream()
              .limit(5)
              .map(Evaluation::datapoint)
              .toList());
    }
    assertThat(orders).hasSize(5);
  }

  @Test
  void whatIsMeasuredInformsArmsThatShareModels() {
    // Arms with the planner p0 are good, with p1 bad; nothing is known of solver s5.
    List<Point> points = new ArrayList<>();
    for (int solver = 0; solver < 4; solver++) {
      points.add(new Point(solver, 0.8, 1e-4));
      points.add(new Point(MODELS + solver, 0.2, 1e-4));
    }
    var process = new GaussianProcess(ARMS, points);
    Belief good = process.belief(5);
    Belief bad = process.belief(MODELS + 5);
    Belief unknown = process.belief(3 * MODELS + 5);
    assertThat(good.mean()).isGreaterThan(0.6);
    assertThat(bad.mean()).isLessThan(0.4);
    assertThat(unknown.mean()).isCloseTo(0.5, within(0.05));
    assertThat(unknown.deviation()).isGreaterThan(good.deviation());
    assertThat(process.belief(0).mean()).isCloseTo(0.8, within(0.02));
    assertThat(process.belief(0).deviation()).isLessThan(0.02);
  }

  @Test
  void improvementIsExpectedOfWhatIsGoodOrUnknown() {
    assertThat(BayesianPolicy.improvement(new Belief(0.5, 0), 0.4)).isCloseTo(0.1, within(1e-9));
    // At the best itself: deviation / sqrt(2 pi).
    assertThat(BayesianPolicy.improvement(new Belief(0.5, 0.1), 0.5))
        .isCloseTo(0.0398942, within(1e-6));
    assertThat(BayesianPolicy.improvement(new Belief(0.2, 0.3), 0.5))
        .isGreaterThan(BayesianPolicy.improvement(new Belief(0.4, 0.01), 0.5));
  }

  @Test
  void aBatchOfBayesianOptimisationIsNotTheSameGuessManyTimes() {
    Selector selector = new Selector.BayesianOptimisation(0.5, 4);
    Selection selection = Tables.run(SelectionPlan.of(ARMS, DATAPOINTS, selector, 2), table(2));
    assertThat(selection.told()).isEqualTo(18L * DATAPOINTS);
    // 6 at random, then three batches of 4.
    assertThat(selection.round()).isEqualTo(5);
  }

  /**
   * Two middling arms that are asked often, and one that begins badly and is right from then on: it
   * wins, with fewer samples than winners of other selectors must have.
   */
  @Test
  void theWinnerOfLucbIsTheArmThatItIsSureOf() {
    Arms arms = Arms.of(List.of(new Node("agent", List.of("a", "b", "late"))));
    Selection selection =
        Selection.begin(SelectionPlan.of(arms, 500, new Selector.EpsilonLucb(0.5, 1, 0.05), 1));
    int[] asked = new int[3];
    var next = selection.next();
    while (next.isPresent()) {
      int arm = next.get().arm();
      int before = asked[arm]++;
      boolean isRight = arm == 2 ? before >= 8 : before % 2 == 0;
      selection.tell(next.get(), Outcome.scored(isRight ? 1 : 0));
      next = selection.next();
    }
    SelectionResult result = selection.result();
    assertThat(asked[0]).isGreaterThan(50);
    assertThat(asked[2]).isLessThan(50);
    assertThat(result.confidence()).hasValue(0.95);
    assertThat(result.winner()).hasValue(2);
  }

  /** An arm of which four in five datapoints are left out is not known as well as one of all. */
  @Test
  void lucbIsNoSurerForDatapointsThatAreLeftOut() {
    Arms two = Arms.of(List.of(new Node("agent", List.of("good", "bad"))));
    SelectionPlan plan =
        SelectionPlan.of(two, 200, new Selector.EpsilonLucb(0.01, 1, 0.05), 1)
            .failures(new Failures(Failures.Meaning.EXCLUDED, 1, 5));
    Selection selection = Selection.begin(plan);
    int asked = 0;
    var next = selection.next();
    while (next.isPresent()) {
      boolean isGood = next.get().arm() == 0;
      boolean isLeftOut = isGood && asked++ % 5 != 0;
      selection.tell(next.get(), isLeftOut ? Outcome.failure() : Outcome.scored(isGood ? 1 : 0));
      next = selection.next();
    }
    SelectionResult result = selection.result();
    assertThat(result.winner()).hasValue(0);
    assertThat(result.confidence()).isPresent();
    Standing good = result.standings().getFirst();
    assertThat(good.samples() - good.failures()).isGreaterThanOrEqualTo(5);
  }
}
