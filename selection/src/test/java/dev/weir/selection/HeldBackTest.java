package dev.weir.selection;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Datapoints after the first few of an arm, which wait for a score unless slots are idle. */
class HeldBackTest {

  private static final int DATAPOINTS = 60;

  /** The last two always fail, and the one before fails on every third datapoint. */
  private static final int ARMS = 6;

  private static Arms arms(int count) {
    return Arms.of(
        List.of(new Node("agent", IntStream.range(0, count).mapToObj(i -> "m" + i).toList())));
  }

  private static Outcome outcome(Evaluation evaluation, long seed) {
    var random =
        new SplittableRandom(seed * 7_919 + evaluation.arm() * 1_000L + evaluation.datapoint());
    boolean fails =
        evaluation.arm() >= ARMS - 2 || (evaluation.arm() == ARMS - 3 && random.nextInt(3) == 0);
    return fails
        ? Outcome.failure()
        : Outcome.scored(random.nextDouble() < 0.4 + 0.1 * evaluation.arm() ? 1 : 0);
  }

  private record Running(Evaluation evaluation, double end) {}

  /** All that a selection has decided. */
  private record Decided(SelectionResult result, List<Elimination> eliminations, int round) {}

  private static Decided run(SelectionPlan plan, Schedule schedule, int slots, long timing) {
    var selection = Selection.begin(plan);
    var dispatcher = new Dispatcher(selection, schedule, slots);
    var latencies = new SplittableRandom(timing);
    var running = new PriorityQueue<Running>(Comparator.comparingDouble(Running::end));
    double now = 0;
    List<Evaluation> told = new ArrayList<>();
    while (true) {
      Optional<Evaluation> next = dispatcher.start();
      while (next.isPresent()) {
        running.add(new Running(next.get(), now + 0.1 + latencies.nextDouble()));
        next = dispatcher.start();
      }
      assertThat(running).hasSizeLessThanOrEqualTo(slots);
      if (schedule == Schedule.SHARED && running.size() < slots) {
        assertThat(selection.waiting()).isEmpty();
        assertThat(selection.isNothingHeldBack()).isTrue();
      }
      if (running.isEmpty()) {
        break;
      }
      Running first = running.remove();
      now = first.end();
      told.add(first.evaluation());
      dispatcher.finish(first.evaluation(), outcome(first.evaluation(), plan.seed()));
    }
    assertThat(selection.isEnded()).isTrue();
    assertThat((long) told.size())
        .isEqualTo(selection.told() + selection.inVain())
        .isLessThanOrEqualTo(plan.budget());
    assertThat(told).filteredOn(selection::isDecided).hasSize((int) selection.told());
    return new Decided(selection.result(), selection.eliminations(), selection.round());
  }

  static List<String> selectors() {
    return List.copyOf(Selectors.names());
  }

  @ParameterizedTest
  @MethodSource("selectors")
  void decisionsAreTheSameForAnyConcurrencyAlsoWithArmsThatAlwaysFail(String name) {
    for (Failures failures :
        List.of(
            Failures.DEFAULT,
            new Failures(Failures.Meaning.EXCLUDED, 1, 5),
            new Failures(Failures.Meaning.ZERO, 2, 5))) {
      for (long budget : new long[] {(long) ARMS * DATAPOINTS, ARMS * DATAPOINTS / 2}) {
        var plan =
            new SelectionPlan(
                arms(ARMS),
                DATAPOINTS,
                Selectors.named(name, Map.of()),
                new Objective.Score(),
                failures,
                budget,
                0.05,
                3);
        Decided alone = run(plan, Schedule.SHARED, 1, 1);
        for (int slots : new int[] {7, 20, 100}) {
          for (long timing = 1; timing <= 5; timing++) {
            assertThat(run(plan, Schedule.SHARED, slots, timing))
                .as("%s, %d slots, timing %d", failures, slots, timing)
                .isEqualTo(alone);
          }
          assertThat(run(plan, Schedule.DOCUMENTED, slots, 9)).isEqualTo(alone);
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource(Schedule.class)
  void idleSlotsBeginWhatIsHeldBack(Schedule schedule) {
    var selection = Selection.begin(SelectionPlan.of(arms(2), 100, new Selector.BruteForce(), 1));
    var dispatcher = new Dispatcher(selection, schedule, 20);
    List<Evaluation> started = new ArrayList<>();
    dispatcher.start().ifPresent(started::add);
    for (int i = 1; i < 30; i++) {
      dispatcher.start().ifPresent(started::add);
    }
    assertThat(started).hasSize(20).doesNotHaveDuplicates();
    // As documented, one combination has all slots.
    assertThat(started.stream().mapToInt(Evaluation::arm).distinct().count())
        .isEqualTo(schedule == Schedule.SHARED ? 2 : 1);
  }

  /** Failures that come before the first ones are known do not run through all datapoints. */
  @ParameterizedTest
  @ValueSource(ints = {7, 20})
  void whatFailsAtOnceIsNotBegunForEver(int slots) {
    var selection = Selection.begin(SelectionPlan.of(arms(1), 200, new Selector.BruteForce(), 1));
    var dispatcher = new Dispatcher(selection, Schedule.SHARED, slots);
    Evaluation hangs = dispatcher.start().orElseThrow();
    int begun = 1;
    Set<Evaluation> running = new HashSet<>();
    for (boolean isOver = false; !isOver; ) {
      Optional<Evaluation> next = dispatcher.start();
      next.ifPresent(running::add);
      begun += next.isPresent() ? 1 : 0;
      if (next.isEmpty()) {
        isOver = running.isEmpty();
        running.forEach(one -> dispatcher.finish(one, Outcome.failure()));
        running.clear();
      }
    }
    assertThat(begun).isLessThanOrEqualTo(slots + 5);
    dispatcher.finish(hangs, Outcome.failure());
    assertThat(selection.isEnded()).isTrue();
    assertThat(selection.result().winner()).isEqualTo(OptionalInt.empty());
    assertThat(selection.told()).isEqualTo(5);
    assertThat(selection.inVain()).isEqualTo(begun - 5);
  }

  @Test
  void aScoreBeyondTheFirstDatapointsDoesNotSaveAnArmThatFailedOnThem() {
    var selection = Selection.begin(SelectionPlan.of(arms(1), 50, new Selector.BruteForce(), 1));
    var dispatcher = new Dispatcher(selection, Schedule.SHARED, 10);
    List<Evaluation> started = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      started.add(dispatcher.start().orElseThrow());
    }
    started.subList(5, 10).forEach(one -> dispatcher.finish(one, Outcome.scored(1)));
    started.subList(0, 5).forEach(one -> dispatcher.finish(one, Outcome.failure()));
    assertThat(selection.isEnded()).isTrue();
    assertThat(selection.survivors()).isEmpty();
    assertThat(selection.told()).isEqualTo(5);
    assertThat(selection.inVain()).isEqualTo(5);
  }
}
