package dev.weir.selection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

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
    double shared = makespan(new Selector.BruteForce(), Schedule.SHARED);
    double documented = makespan(new Selector.BruteForce(), Schedule.DOCUMENTED);
    assertThat(shared).isBetween(bound, 1.1 * bound);
    assertThat(documented).isGreaterThan(1.5 * shared);
  }

  @ParameterizedTest
  @EnumSource(Schedule.class)
  void eitherScheduleFinishesEverySelector(Schedule schedule) {
    for (String name : Selectors.names()) {
      assertThat(makespan(Selectors.named(name, Map.of()), schedule)).as(name).isPositive();
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

  private record Running(Evaluation evaluation, double end) {}

  /** Runs all evaluations with their published latencies, on slots that are filled when free. */
  private double makespan(Selector selector, Schedule schedule) {
    var selection = Selection.begin(SelectionPlan.of(scores.arms(), 200, selector, 3));
    var dispatcher = new Dispatcher(selection, schedule, SLOTS);
    var running = new PriorityQueue<Running>(Comparator.comparingDouble(Running::end));
    Map<Integer, Integer> perArm = new HashMap<>();
    double now = 0;
    while (true) {
      Optional<Evaluation> next = dispatcher.start();
      while (next.isPresent()) {
        double latency = latencies.cells()[next.get().arm()][next.get().datapoint()];
        running.add(new Running(next.get(), now + (Double.isNaN(latency) ? 0 : latency)));
        perArm.merge(next.get().arm(), 1, Integer::sum);
        next = dispatcher.start();
      }
      assertThat(running).hasSizeLessThanOrEqualTo(SLOTS).hasSize(dispatcher.inFlight());
      if (schedule == Schedule.SHARED && running.size() < SLOTS) {
        assertThat(selection.waiting()).isEmpty();
      }
      if (schedule == Schedule.DOCUMENTED) {
        Slots slots = Slots.of(SLOTS, selection.batch());
        assertThat(perArm.values()).hasSizeLessThanOrEqualTo(slots.combinations());
        assertThat(perArm.values()).allMatch(count -> count <= slots.datapoints());
      }
      Running first = running.poll();
      if (first == null) {
        assertThat(selection.isEnded()).isTrue();
        return now;
      }
      now = first.end();
      perArm.merge(
          first.evaluation().arm(), -1, (count, one) -> count + one == 0 ? null : count + one);
      dispatcher.finish(first.evaluation(), scores.outcome(first.evaluation()));
    }
  }
}
