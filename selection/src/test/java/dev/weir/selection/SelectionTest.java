package dev.weir.selection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class SelectionTest {

  private static final int DATAPOINTS = 40;

  static List<String> names() {
    return Selectors.names();
  }

  private static Arms arms(int planners, int solvers) {
    return Arms.of(
        List.of(
            new Node("planner", IntStream.range(0, planners).mapToObj(i -> "p" + i).toList()),
            new Node("solver", IntStream.range(0, solvers).mapToObj(i -> "s" + i).toList())));
  }

  /** Each attempt fails now and then, and scores otherwise; the later arms are better. */
  private static Outcome drawn(Evaluation e) {
    var random = new SplittableRandom((e.arm() * 1009L + e.datapoint()) * 31 + e.attempt());
    random.nextLong();
    if (random.nextDouble() < 0.1) {
      return Outcome.failure();
    }
    return Outcome.scored(random.nextDouble() < 0.3 + 0.05 * e.arm() ? 1 : 0, 0.01, 1);
  }

  /** Keeps so many under way, and ends one of them at random. */
  private static Selection run(
      SelectionPlan plan, int concurrent, long chance, List<Evaluation> ran) {
    var selection = Selection.begin(plan);
    var dispatcher = new Dispatcher(selection, Schedule.SHARED, concurrent);
    var random = new SplittableRandom(chance);
    List<Evaluation> underWay = new ArrayList<>();
    while (true) {
      dispatcher.start().ifPresent(underWay::add);
      while (underWay.size() < concurrent && !selection.waiting().isEmpty()) {
        underWay.add(dispatcher.start().orElseThrow());
      }
      if (underWay.isEmpty()) {
        return selection;
      }
      Evaluation ended = underWay.remove(random.nextInt(underWay.size()));
      ran.add(ended);
      dispatcher.finish(ended, drawn(ended));
    }
  }

  @Test
  void remembersWhatWasKnownAfterEachRound() {
    Selection selection =
        run(SelectionPlan.of(arms(2, 3), DATAPOINTS, Selectors.AUTO, 1), 7, 1, new ArrayList<>());
    for (Standing arm : selection.result().standings()) {
      List<Look> looks = selection.looks(arm.arm(), DATAPOINTS);
      assertThat(looks).extracting(Look::samples).isSorted().doesNotHaveDuplicates();
      assertThat(looks).extracting(Look::round).isSorted().doesNotHaveDuplicates();
      assertThat(looks.getLast().samples()).isEqualTo(arm.samples());
      assertThat(looks.getLast().value()).isEqualTo(arm.value().orElseThrow());
      assertThat(looks.getLast().interval()).isEqualTo(arm.interval().orElseThrow());
      arm.elimination()
          .ifPresent(gone -> assertThat(looks.getLast().round()).isEqualTo(gone.round()));
      assertThat(selection.looks(arm.arm(), 2))
          .hasSize(Math.min(2, looks.size()))
          .endsWith(looks.getLast());
      assertThat(selection.standing(arm.arm()).interval()).isEqualTo(arm.interval());
    }
  }

  @ParameterizedTest
  @MethodSource("names")
  void decidesTheSameWhateverRunsAtOnceAndInWhateverOrder(String name) {
    for (Failures failures :
        List.of(
            Failures.DEFAULT,
            new Failures(Failures.Meaning.ZERO, 3, 5),
            new Failures(Failures.Meaning.EXCLUDED, 2, 5))) {
      for (long budget : new long[] {Long.MAX_VALUE, 130}) {
        SelectionPlan plan =
            SelectionPlan.of(arms(3, 3), DATAPOINTS, Selectors.named(name, Map.of()), 7)
                .failures(failures)
                .budget(budget);
        List<Evaluation> first = new ArrayList<>();
        Selection one = run(plan, 1, 1, first);
        for (int concurrent : new int[] {7, 20, 100}) {
          List<Evaluation> others = new ArrayList<>();
          Selection other = run(plan, concurrent, concurrent, others);
          assertThat(Set.copyOf(others)).isEqualTo(Set.copyOf(first));
          assertThat(other.result()).isEqualTo(one.result());
          assertThat(other.eliminations()).isEqualTo(one.eliminations());
        }
        assertThat(one.isEnded()).isTrue();
        assertThat(one.told()).isLessThanOrEqualTo(budget).isEqualTo(one.decided());
        assertThat(new HashSet<>(first)).hasSameSizeAs(first);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("names")
  void comesBackFromItsOutcomes(String name) {
    SelectionPlan plan =
        SelectionPlan.of(arms(3, 3), DATAPOINTS, Selectors.named(name, Map.of()), 5);
    List<Evaluation> ran = new ArrayList<>();
    Selection whole = run(plan, 10, 3, ran);
    int known = ran.size() / 2;
    var again = Selection.begin(plan);
    ran.subList(0, known).forEach(evaluation -> again.tell(evaluation, drawn(evaluation)));
    assertThat(again.waiting()).doesNotContainAnyElementsOf(ran.subList(0, known));
    var next = again.next();
    while (next.isPresent()) {
      again.tell(next.get(), drawn(next.get()));
      next = again.next();
    }
    assertThat(again.result()).isEqualTo(whole.result());
  }

  @ParameterizedTest
  @MethodSource("names")
  void neverExceedsABudget(String name) {
    for (long budget = 9; budget < 380; budget += 13) {
      SelectionPlan plan =
          SelectionPlan.of(arms(3, 3), DATAPOINTS, Selectors.named(name, Map.of()), budget)
              .failures(new Failures(Failures.Meaning.ZERO, 3, 2))
              .budget(budget);
      Selection selection = run(plan, 20, budget, new ArrayList<>());
      assertThat(selection.decided()).isLessThanOrEqualTo(budget);
      assertThat(selection.result().winner()).isPresent();
    }
  }

  @ParameterizedTest
  @MethodSource("names")
  void anArmThatAlwaysFailsEndsSoonAndNeverWins(String name) {
    SelectionPlan plan =
        SelectionPlan.of(arms(1, 2), DATAPOINTS, Selectors.named(name, Map.of()), 1)
            .failures(new Failures(Failures.Meaning.EXCLUDED, 2, 5));
    var selection = Selection.begin(plan);
    int failed = 0;
    var next = selection.next();
    while (next.isPresent()) {
      boolean fails = next.get().arm() == 0;
      failed += fails ? 1 : 0;
      selection.tell(next.get(), fails ? Outcome.failure() : Outcome.scored(0.1));
      next = selection.next();
    }
    SelectionResult result = selection.result();
    assertThat(failed).isLessThanOrEqualTo(10);
    assertThat(result.winner()).isNotEqualTo(OptionalInt.of(0));
    if (failed == 10) {
      assertThat(selection.eliminations())
          .anySatisfy(
              elimination -> {
                assertThat(elimination.arm()).isZero();
                assertThat(elimination.reason())
                    .isEqualTo("failed on all of its first 5 datapoints");
              });
    }
  }

  @Test
  void withoutAnySuccessThereIsNoWinner() {
    var selection = Selection.begin(SelectionPlan.of(arms(2, 2), DATAPOINTS, Selectors.AUTO, 1));
    var next = selection.next();
    while (next.isPresent()) {
      selection.tell(next.get(), Outcome.failure());
      next = selection.next();
    }
    assertThat(selection.told()).isEqualTo(20);
    assertThat(selection.result().winner()).isEmpty();
    assertThat(selection.survivors()).isEmpty();
  }

  /** AgentOpt drops failures, and the arm that fails on all that is hard wins there. */
  @Test
  void failingOnWhatIsHardDoesNotWin() {
    var selection =
        Selection.begin(SelectionPlan.of(arms(1, 2), 100, new Selector.BruteForce(), 1));
    var next = selection.next();
    while (next.isPresent()) {
      boolean hard = next.get().datapoint() % 5 == 0;
      Outcome outcome =
          next.get().arm() == 0
              ? hard ? Outcome.failure() : Outcome.scored(1)
              : Outcome.scored(next.get().datapoint() % 20 == 0 ? 0 : 1);
      selection.tell(next.get(), outcome);
      next = selection.next();
    }
    SelectionResult result = selection.result();
    assertThat(result.winner()).hasValue(1);
    assertThat(result.standings().getLast().failures()).isEqualTo(20);
    assertThat(result.notDecided()).isEmpty();
  }

  /** The same where failures are left out: one is compared only where it answered, too. */
  @ParameterizedTest
  @ValueSource(strings = {"auto", "paired_elimination", "brute_force"})
  void failingOnWhatIsHardDoesNotWinEitherWhereFailuresAreLeftOut(String name) {
    SelectionPlan plan =
        SelectionPlan.of(arms(1, 2), 200, Selectors.named(name, Map.of()), 1)
            .failures(new Failures(Failures.Meaning.EXCLUDED, 1, 5));
    var selection = Selection.begin(plan);
    var next = selection.next();
    while (next.isPresent()) {
      int datapoint = next.get().datapoint();
      boolean hard = datapoint % 2 == 0;
      boolean fails = hard && next.get().arm() == 0;
      double score = hard ? (datapoint % 5 < 2 ? 0 : 1) : datapoint % 19 == 0 ? 0 : 1;
      selection.tell(next.get(), fails ? Outcome.failure() : Outcome.scored(score));
      next = selection.next();
    }
    assertThat(selection.result().winner()).hasValue(1);
    assertThat(selection.result().standings().getLast().failures()).isPositive();
  }

  /**
   * Nor does it lead there: of four arms the first two answer only what is easy, and the last is
   * the best on all that it shares with any other.
   */
  @ParameterizedTest
  @ValueSource(
      strings = {"hill_climbing", "sequential_halving", "arm_elimination", "top_two", "bayesian"})
  void failingOnWhatIsHardDoesNotLeadWhereFailuresAreLeftOut(String name) {
    int found = 0;
    for (long seed = 1; seed <= 20; seed++) {
      Map<String, Double> all =
          Selectors.parameters(name).containsKey("sample_fraction")
              ? Map.of("sample_fraction", name.equals("bayesian") ? 1.0 : 0.5)
              : Map.of();
      SelectionPlan plan =
          SelectionPlan.of(arms(1, 4), 200, Selectors.named(name, all), seed)
              .failures(new Failures(Failures.Meaning.EXCLUDED, 1, 5));
      var selection = Selection.begin(plan);
      var next = selection.next();
      while (next.isPresent()) {
        int datapoint = next.get().datapoint();
        int arm = next.get().arm();
        boolean hard = datapoint % 2 == 0;
        // Easy: 0.8, 0.8, 0.7, 0.95; hard: the last two only, 0.3 and 0.4.
        int percent = hard ? (arm == 3 ? 40 : 30) : new int[] {80, 80, 70, 95}[arm];
        boolean isRight = (datapoint * 37 + 11) % 100 < percent;
        selection.tell(
            next.get(), hard && arm < 2 ? Outcome.failure() : Outcome.scored(isRight ? 1 : 0));
        next = selection.next();
      }
      found += selection.result().winner().equals(OptionalInt.of(3)) ? 1 : 0;
    }
    assertThat(found).isGreaterThanOrEqualTo(16);
  }

  @Test
  void equalArmsAreNotDecided() {
    var table = new Tables.Table(arms(1, 2), new double[2][50]);
    for (int i = 0; i < 50; i++) {
      table.cells()[0][i] = i % 2;
      table.cells()[1][i] = i % 4 < 2 ? 1 : 0;
    }
    SelectionResult result =
        Tables.run(SelectionPlan.of(table.arms(), 50, Selectors.AUTO, 1), table).result();
    assertThat(result.winner()).isPresent();
    assertThat(result.notDecided()).hasSize(1);
    assertThat(result.confidence()).isEmpty();
    assertThat(result.standings())
        .allSatisfy(
            standing ->
                assertThat(standing.interval().orElseThrow())
                    .satisfies(i -> assertThat(i.high()).isGreaterThan(i.low())));
  }

  /** Money was used up before the second arm was looked at. */
  @Test
  void nobodyWinsWhileAnArmWasNotLookedAt() {
    var selection = Selection.begin(SelectionPlan.of(arms(1, 3), 40, new Selector.BruteForce(), 1));
    for (int i = 0; i < 40; i++) {
      selection.tell(selection.next().orElseThrow(), Outcome.scored(1));
    }
    for (int i = 0; i < 3; i++) {
      selection.tell(selection.next().orElseThrow(), Outcome.scored(1));
    }
    selection.stop();
    SelectionResult result = selection.result();
    assertThat(result.winner()).isEmpty();
    assertThat(result.notDecided()).containsExactly(0, 1, 2);
    assertThat(result.notLookedAt()).containsExactly(2);
    assertThat(result.confidence()).isEmpty();
  }

  /** Three samples do not show that an arm is behind, though they are too few to win. */
  @Test
  void anArmWithFewSamplesIsNotDecided() {
    var selection = Selection.begin(SelectionPlan.of(arms(1, 2), 40, new Selector.BruteForce(), 1));
    for (int i = 0; i < 43; i++) {
      selection.tell(selection.next().orElseThrow(), Outcome.scored(1));
    }
    selection.stop();
    assertThat(selection.result().winner()).hasValue(0);
    assertThat(selection.result().notDecided()).containsExactly(1);
    assertThat(selection.result().notLookedAt()).isEmpty();
  }

  @Test
  void whatARuleLeavesOutIsToldAndKeepsNobodyFromWinning() {
    var table = new Tables.Table(arms(1, 4), new double[4][20]);
    SelectionResult result =
        Tables.run(
                SelectionPlan.of(table.arms(), 20, Selectors.named("random", Map.of()), 1), table)
            .result();
    assertThat(result.winner()).isPresent();
    assertThat(result.notLookedAt()).hasSize(3);
    assertThat(result.notDecided()).doesNotContainAnyElementsOf(result.notLookedAt());
  }

  @Test
  void whatAnArmHasCostThatAlwaysFailsIsTold() {
    var selection = Selection.begin(SelectionPlan.of(arms(1, 2), 10, new Selector.BruteForce(), 1));
    for (var next = selection.next(); next.isPresent(); next = selection.next()) {
      var none = OptionalDouble.empty();
      selection.tell(
          next.get(),
          next.get().arm() == 0
              ? Outcome.scored(1)
              : new Outcome(none, OptionalDouble.of(0.5), none));
    }
    assertThat(selection.result().standings().getFirst().cost()).isEmpty();
    Standing failed = selection.result().standings().getLast();
    assertThat(failed.failures()).isEqualTo(5);
    assertThat(failed.cost()).hasValue(0.5);
  }

  /** Of equal arms a rule of thumb gives some up; that is not to pass for a finding. */
  @Test
  void whatWasGivenUpByRuleIsToldUnlessItIsShownToBeWorse() {
    int told = 0;
    for (long seed = 0; seed < 40; seed++) {
      var random = new SplittableRandom(seed);
      var table = new Tables.Table(arms(1, 5), new double[5][30]);
      for (double[] row : table.cells()) {
        Arrays.setAll(row, _ -> random.nextDouble() < 0.6 ? 1 : 0);
      }
      Selection selection =
          Tables.run(SelectionPlan.of(table.arms(), 30, Selectors.AUTO, seed), table);
      SelectionResult result = selection.result();
      for (Standing standing : result.standings()) {
        boolean isOpen =
            standing.elimination().isPresent()
                && standing.behindWinner().orElseThrow().interval().low() <= 0;
        assertThat(result.notShownWorse().contains(standing.arm())).isEqualTo(isOpen);
        told += isOpen ? 1 : 0;
        assertThat(standing.samples()).isGreaterThanOrEqualTo(10);
      }
      Selector sure = new Selector.PairedElimination(0, 1, 0.05);
      assertThat(
              Tables.run(SelectionPlan.of(table.arms(), 30, sure, seed), table)
                  .result()
                  .notShownWorse())
          .isEmpty();
    }
    assertThat(told).isPositive();
  }

  @Test
  void withAnArmGivenUpForFailuresConfidenceNeedsThatItIsShownToBeWorse() {
    var table = new Tables.Table(arms(1, 2), new double[2][100]);
    Arrays.fill(table.cells()[0], Double.NaN);
    Arrays.fill(table.cells()[1], 1);
    for (Selector unsure :
        List.of(
            new Selector.PairedElimination(0, 1, 0.01), new Selector.EpsilonLucb(0.01, 1, 0.01))) {
      SelectionResult result =
          Tables.run(SelectionPlan.of(table.arms(), 100, unsure, 1), table).result();
      assertThat(result.winner()).hasValue(1);
      assertThat(result.confidence()).isEmpty();
      assertThat(result.notShownWorse()).containsExactly(0);
    }
    Selector sure = new Selector.PairedElimination(0, 1, 0.5);
    SelectionResult result =
        Tables.run(SelectionPlan.of(table.arms(), 100, sure, 1), table).result();
    assertThat(result.confidence()).hasValue(0.5);
    assertThat(result.notShownWorse()).isEmpty();
  }

  @Test
  void aClearWinnerIsDecidedWithTheConfidenceThatWasAsked() {
    var table = new Tables.Table(arms(1, 3), new double[3][200]);
    for (int i = 0; i < 200; i++) {
      table.cells()[1][i] = i % 10 == 0 ? 0 : 1;
      table.cells()[2][i] = i % 3 == 0 ? 1 : 0;
    }
    Selector selector = new Selector.PairedElimination(0, 1, 0.01);
    SelectionResult result =
        Tables.run(SelectionPlan.of(table.arms(), 200, selector, 1), table).result();
    assertThat(result.winner()).hasValue(1);
    assertThat(result.notDecided()).isEmpty();
    assertThat(result.confidence()).hasValue(0.99);
    assertThat(result.evaluations()).isLessThan(400);
    assertThat(result.standings().getLast().behindWinner().orElseThrow().interval().low())
        .isPositive();
  }

  @Test
  void stoppingKeepsWhatIsKnown() {
    var selection =
        Selection.begin(SelectionPlan.of(arms(1, 2), DATAPOINTS, new Selector.BruteForce(), 1));
    Evaluation one = selection.next().orElseThrow();
    Evaluation two = selection.next().orElseThrow();
    selection.tell(one, Outcome.scored(1, 0.5, 2));
    selection.stop();
    assertThat(selection.next()).isEmpty();
    selection.tell(two, Outcome.scored(0, 0.25, 2));
    SelectionResult result = selection.result();
    assertThat(result.ending()).isEqualTo(SelectionResult.Ending.STOPPED);
    assertThat(result.evaluations()).isEqualTo(2);
    assertThat(result.cost()).isEqualTo(OptionalDouble.of(0.75));
    assertThat(result.standings().getFirst().samples()).isEqualTo(2);
  }

  @Test
  void whatWasNotDecidedIsRefused() {
    var selection =
        Selection.begin(SelectionPlan.of(arms(1, 2), DATAPOINTS, new Selector.BruteForce(), 1));
    Evaluation one = selection.next().orElseThrow();
    selection.tell(one, Outcome.scored(1));
    assertThatThrownBy(() -> selection.tell(one, Outcome.scored(1)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> selection.tell(new Evaluation(0, 99, 1), Outcome.scored(1)))
        .hasMessage("`datapoint` must be from 0 to 39, was 99");
    assertThatThrownBy(() -> selection.tell(new Evaluation(9, 1, 1), Outcome.scored(1)))
        .hasMessageStartingWith("there is no outcome to come");
  }

  @Test
  void badPlansAreRefused() {
    assertThatThrownBy(() -> new Node("planner", List.of()))
        .hasMessage("node 'planner' has no candidates");
    assertThatThrownBy(() -> new Node("planner", List.of("a", "a")))
        .hasMessage("node 'planner' names the model 'a' twice");
    assertThatThrownBy(() -> SelectionPlan.of(arms(3, 3), 5, Selectors.AUTO, 1).budget(8))
        .hasMessage("`budget` must allow one look at each of the 9 combinations, was 8");
    assertThatThrownBy(() -> SelectionPlan.of(arms(90, 90), 1_000, Selectors.AUTO, 1))
        .hasMessage(
            "8100 combinations on 1000 datapoints are more than 5000000 evaluations;"
                + " take fewer of either");
    assertThatThrownBy(() -> Outcome.scored(Double.NaN))
        .hasMessage("`score` must be from 0 to 1, was NaN");
    assertThatThrownBy(() -> Selectors.named("best", Map.of()))
        .hasMessageStartingWith("there is no selector 'best'; there are auto, brute_force");
    assertThatThrownBy(() -> Selectors.named("random", Map.of("fraction", 1.0)))
        .hasMessage("selector 'random' has no parameter 'fraction'; it has sample_fraction");
    assertThatThrownBy(() -> Selectors.named("hill_climbing", Map.of("patience", 1.5)))
        .hasMessage("`patience` must be a whole number, was 1.5");
    assertThatThrownBy(
            () ->
                SelectionPlan.of(arms(3, 3), 5, Selectors.named("top_two", Map.of()), 1)
                    .objective(new Objective.Pareto()))
        .hasMessageStartingWith("`top_two` looks for the highest value only");
  }
}
