package dev.weir.selection;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntPredicate;

/**
 * Says which decided evaluations may run now, never more than the limit at once. It changes when
 * evaluations run, not which are decided. Not thread-safe.
 */
public final class Dispatcher {

  private final Selection selection;
  private final Schedule schedule;
  private final int maxConcurrent;

  /** How many evaluations of each arm are under way. */
  private final Map<Integer, Integer> running = new HashMap<>();

  /** Arms that were begun in this round and are not through with it. */
  private final Set<Integer> begun = new HashSet<>();

  private int inFlight;
  private int round;

  public Dispatcher(Selection selection, Schedule schedule, int maxConcurrent) {
    Checks.atLeast("max_concurrent", maxConcurrent, 1);
    this.selection = selection;
    this.schedule = schedule;
    this.maxConcurrent = maxConcurrent;
  }

  /** An evaluation to run now; empty when the slots are in use or nothing is decided. */
  public Optional<Evaluation> start() {
    return start(_ -> true);
  }

  /** As {@link #start()}, of a combination that its caller has room for. */
  public Optional<Evaluation> start(IntPredicate hasRoom) {
    if (inFlight >= maxConcurrent) {
      return Optional.empty();
    }
    Optional<Evaluation> next =
        switch (schedule) {
          case SHARED -> selection.next(hasRoom).or(() -> selection.nextHeldBack(hasRoom));
          case DOCUMENTED -> nextDocumented(hasRoom);
        };
    next.ifPresent(
        evaluation -> {
          inFlight++;
          begun.add(evaluation.arm());
          running.merge(evaluation.arm(), 1, Integer::sum);
        });
    return next;
  }

  private Optional<Evaluation> nextDocumented(IntPredicate hasRoom) {
    if (round != selection.round()) {
      round = selection.round();
      begun.clear();
    }
    Slots slots = selection.slots(maxConcurrent);
    IntPredicate isFree =
        arm ->
            running.getOrDefault(arm, 0) < slots.datapoints()
                && (begun.contains(arm) || begun.size() < slots.combinations())
                && hasRoom.test(arm);
    return selection.next(isFree).or(() -> selection.nextHeldBack(isFree));
  }

  /** Takes the outcome of an evaluation that {@link #start} gave, and tells the selection. */
  public void finish(Evaluation evaluation, Outcome outcome) {
    int arm = evaluation.arm();
    if (running.getOrDefault(arm, 0) == 0) {
      throw new IllegalArgumentException("not under way: " + evaluation);
    }
    selection.tell(evaluation, outcome);
    inFlight--;
    if (running.merge(arm, -1, Integer::sum) == 0 && !selection.isWaiting(arm)) {
      begun.remove(arm);
    }
  }

  public int inFlight() {
    return inFlight;
  }
}
