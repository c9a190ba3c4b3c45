package dev.weir.selection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.PriorityQueue;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class DispatcherTest {

  private static final int SLOTS = 20;

  private final Tables.Table latencies = Tables.read("hotpotqa-server_latency_s.csv");
  private final Tables.Table scores = Tables.read("hotpotqa-score.csv");

  /** As published: limit, batch, combinations at once, datapoints of each at once. */
  @ParameterizedTest
  @CsvSource({
    "20,5,4,5",
    "20,100,1,20",
    "20,1,20,1",
    "10,10,1,10",
    "20,7,2,7",
    "20,11,1,11",
    "0,5,1,1"
  })
  void splitsSlotsAsDocumented(int limit, int batch, int combinations, int datapoints) {
    assertThat(Slots.of(limit, batch)).isEqualTo(new Slots(combinations, datapoints));
  }

  /** In the first round and in the second, of 200 datapoints and 20 slots. */
  @ParameterizedTest
  @CsvSource({
    "brute_force,1,20,,",
    "random,1,20,,",
    "hill_climbing,1,20,1,20",
    "arm_elimination,1,20,1,20",
    "threshold,1,20,20,1",
    "epsilon_lucb,20,1,20,1",
    "bayesian,1,20,1,20",
  })
  void splitsSlotsAnewWhereDocumented(
      String name, int combinations, int datapoints, Integer laterCombinations, Integer later) {
    var selection =
        Selection.begin(SelectionPlan.of(scores.arms(), 200, Selectors.named(name, Map.of()), 1));
    assertThat(selection.slots(SLOTS)).isEqualTo(new Slots(combinations, datapoints));
    while (selection.round() == 1 && !selection.isEnded()) {
      Evaluation next = selection.next().orElseThrow();
      selection.tell(next, scores.outcome(next));
    }
    if (later != null) {
      assertThat(selection.slots(SLOTS)).isEqualTo(new Slots(laterCombinations, later));
    }
  }

  /** So does AgentOpt with the random ones of Bayesian optimisation. */
  @Test
  void theFirstCombinationsOfBayesianOptimisationAreDocumentedToRunOneAfterAnother() {
    var arms = scores.arms();
    var plan = SelectionPlan.of(arms, 5, Selectors.named("bayesian", Map.of("batch_size", 4.0)), 1);
    var selection = Selection.begin(plan);
    var dispatcher = new Dispatcher(selection, Schedule.DOCUMENTED, SLOTS);
    Map<Integer, Set<Integer>> atOnce = new HashMap<>();
    while (!selection.isEnded()) {
      Set<Evaluation> started = new HashSet<>();
      Optional<Evaluation> next = dispatcher.start();
      while (next.isPresent()) {
        started.add(next.get());
        next = dispatcher.start();
      }
      atOnce
          .computeIfAbsent(selection.round(), _ -> new HashSet<>())
          .add((int) started.stream().mapToInt(Evaluation::arm).distinct().count());
      started.forEach(one -> dispatcher.finish(one, Outcome.scored(one.arm() % 2)));
    }
    assertThat(atOnce.remove(1)).containsExactly(1);
    assertThat(atOnce.get(2)).containsExactly(4);
  }

  @Test
  void theSharedQueueNeedsLittleMoreThanTheWorkTakes() {
    double total =
        Arrays.stream(latencies.cells())
            .flatMapToDouble(Arrays::stream)
            .filter(l -> !Double.isNaN(l))
            .sum();
    double longest =
        Arrays.stream(latencies.cells())
            .flatMapToDouble(Arrays::stream)
            .filter(l -> !Double.isNaN(l))
            .max()
            .orElse(0);
    double bound = Math.max(total / SLOTS, longest);
    double shared = run(new Selector.BruteForce(), Schedule.SHARED, 3, false).makespan();
    double documented = run(new Selector.BruteForce(), Schedule.DOCUMENTED, 3, false).makespan();
    assertThat(shared).isBetween(bound, 1.1 * bound);
    assertThat(documented).isGreaterThan(1.5 * shared);
  }

  @ParameterizedTest
  @EnumSource(Schedule.class)
  void eitherScheduleFinishesEverySelector(Schedule schedule) {
    for (String name : Selectors.names()) {
      assertThat(run(Selectors.named(name, Map.of()), schedule, 3, false).makespan())
          .as(name)
          .isPositive();
    }
  }

  @Test
  void anOutcomeOfWhatWasNotStartedIsRefused() {
    var dispatcher =
        new Dispatcher(
            Selection.begin(SelectionPlan.of(scores.arms(), 200, new Selector.BruteForce(), 1)),
            Schedule.SHARED,
            1);
    assertThatThrownBy(() -> dispatcher.finish(new Evaluation(0, 0, 1), Outcome.scored(1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("not under way");
  }

  /**
   * Rounds cost time, since each waits for its last outcome; docs/selection.md has the figures.
   * What is evaluated ahead wins much of it back and changes no decision.
   */
  @ParameterizedTest
  @ValueSource(strings = {"auto", "arm_elimination"})
  void roundsCostTimeThatSpeculationWinsBack(String name, TestReporter told) {
    double ideal = 0;
    double plain = 0;
    double ahead = 0;
    long evaluations = 0;
    long inVain = 0;
    for (int seed = 1; seed <= 3; seed++) {
      Selector selector = Selectors.named(name, Map.of());
      Made without = run(selector, Schedule.SHARED, seed, false);
      Made with = run(selector, Schedule.SHARED, seed, true);
      assertThat(with.leader()).isEqualTo(without.leader());
      assertThat(with.eliminations()).isEqualTo(without.eliminations());
      assertThat(with.evaluations()).isEqualTo(without.evaluations());
      ideal += Math.max(without.work() / SLOTS, without.longest());
      plain += without.makespan();
      ahead += with.makespan();
      evaluations += without.evaluations();
      inVain += with.inVain();
    }
    told.publishEntry(
        name,
        String.format(
            Locale.ROOT,
            "%.2f times the bound, ahead %.2f times with %.1f %% more evaluations",
            plain / ideal,
            ahead / ideal,
            100.0 * inVain / evaluations));
    assertThat(plain).isGreaterThanOrEqualTo(ideal);
    assertThat(ahead).isLessThan(plain);
  }

  private record Running(Evaluation evaluation, double end) {}

  /** What came of a run, its work without what was in vain. */
  private record Made(
      OptionalInt leader,
      List<Elimination> eliminations,
      long evaluations,
      double makespan,
      double work,
      double longest,
      long inVain) {}

  /** Runs all evaluations with their published latencies, on slots that are filled when free. */
  private Made run(Selector selector, Schedule schedule, long seed, boolean speculates) {
    var selection = Selection.begin(SelectionPlan.of(scores.arms(), 200, selector, seed));
    var dispatcher = new Dispatcher(selection, schedule, SLOTS);
    var running = new PriorityQueue<Running>(Comparator.comparingDouble(Running::end));
    Set<Evaluation> ahead = new HashSet<>();
    Set<Evaluation> known = new HashSet<>();
    Map<Integer, Integer> perArm = new HashMap<>();
    double now = 0;
    double work = 0;
    double longest = 0;
    while (true) {
      for (Evaluation decided : known.isEmpty() ? List.<Evaluation>of() : selection.waiting()) {
        if (known.remove(decided)) {
          selection.tell(decided, scores.outcome(decided));
        }
      }
      Optional<Evaluation> next = running.size() < SLOTS ? dispatcher.start() : Optional.empty();
      while (next.isPresent()) {
        Evaluation started = next.get();
        work += latency(started);
        longest = Math.max(longest, latency(started));
        if (known.remove(started)) {
          dispatcher.finish(started, scores.outcome(started));
        } else if (ahead.remove(started)) {
          // It runs already.
          perArm.merge(started.arm(), 1, Integer::sum);
        } else {
          running.add(new Running(started, now + latency(started)));
          perArm.merge(started.arm(), 1, Integer::sum);
        }
        next = running.size() < SLOTS ? dispatcher.start() : Optional.empty();
      }
      assertThat(running).hasSizeLessThanOrEqualTo(SLOTS);
      if (schedule == Schedule.SHARED && running.size() < SLOTS) {
        assertThat(selection.waiting()).isEmpty();
        assertThat(selection.isNothingHeldBack()).isTrue();
      }
      if (schedule == Schedule.DOCUMENTED) {
        Slots slots = selection.slots(SLOTS);
        assertThat(perArm.values()).hasSizeLessThanOrEqualTo(slots.combinations());
        assertThat(perArm.values()).allMatch(count -> count <= slots.datapoints());
      }
      if (selection.isEnded()) {
        return new Made(
            selection.leader(),
            selection.eliminations(),
            selection.told(),
            now,
            work,
            longest,
            known.size() + ahead.size());
      }
      for (Evaluation likely :
          speculates && running.size() < SLOTS
              ? selection.likely(SLOTS + known.size() + ahead.size())
              : List.<Evaluation>of()) {
        if (running.size() < SLOTS && !known.contains(likely) && ahead.add(likely)) {
          running.add(new Running(likely, now + latency(likely)));
        }
      }
      Running first = running.remove();
      now = first.end();
      if (ahead.remove(first.evaluation())) {
        known.add(first.evaluation());
      } else {
        perArm.merge(
            first.evaluation().arm(), -1, (count, one) -> count + one == 0 ? null : count + one);
        dispatcher.finish(first.evaluation(), scores.outcome(first.evaluation()));
      }
    }
  }

  private double latency(Evaluation evaluation) {
    double latency = latencies.cells()[evaluation.arm()][evaluation.datapoint()];
    return Double.isNaN(latency) ? 0 : latency;
  }
}
