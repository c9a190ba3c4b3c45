package dev.weir.selection;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntPredicate;
import java.util.stream.Stream;

/**
 * Datapoints that wait until one of the first of their arm is scored, and are begun all the same
 * because a slot would be idle. What comes of them is known early, and counts when they are decided
 * or never: so it changes nothing but when outcomes are known.
 */
final class HeldBack {

  private final Cells cells;
  private final Field field;
  private final int hopeless;
  private final int datapoints;

  /** How many datapoints of an arm were begun, those that are decided included. */
  private final int[] begunUpTo;

  /** Known failures of each arm, and arms with a score, among what was begun early. */
  private final int[] failures;

  private final boolean[] hasScore;

  /** Under way, not decided; by arm and position. */
  private final Set<Long> underWay = new HashSet<>();

  /** Known, not decided. */
  private final Map<Long, Outcome> known = new HashMap<>();

  private long inVain;
  private double costInVain;

  HeldBack(SelectionPlan plan, Cells cells, Field field) {
    this.cells = cells;
    this.field = field;
    this.hopeless = plan.failures().hopeless();
    this.datapoints = plan.datapoints();
    this.begunUpTo = new int[plan.arms().size()];
    this.failures = new int[plan.arms().size()];
    this.hasScore = new boolean[plan.arms().size()];
  }

  /** A datapoint by its arm and position. */
  record Cell(int arm, int position) {}

  /** The next to begin, the first datapoints first; it is under way then. */
  Optional<Cell> next(IntPredicate arms) {
    int best = -1;
    for (int arm = 0; arm < begunUpTo.length; arm++) {
      if (isWaiting(arm) && (best < 0 || position(arm) < position(best)) && arms.test(arm)) {
        best = arm;
      }
    }
    if (best < 0) {
      return Optional.empty();
    }
    var cell = new Cell(best, position(best));
    begunUpTo[best] = cell.position + 1;
    underWay.add(key(best, cell.position));
    return Optional.of(cell);
  }

  /** Whether nothing of it may begin. */
  boolean isEmpty() {
    for (int arm = 0; arm < begunUpTo.length; arm++) {
      if (isWaiting(arm)) {
        return false;
      }
    }
    return true;
  }

  /** One that has failed as often as it may, and never had a score, waits for its first ones. */
  private boolean isWaiting(int arm) {
    return position(arm) < cells.asked(arm)
        && (hasScore[arm] || failures[arm] + field.failures(arm) < hopeless);
  }

  private int position(int arm) {
    int position = Math.max(begunUpTo[arm], cells.opened(arm));
    while (known.containsKey(key(arm, position))) {
      position++;
    }
    return position;
  }

  private long key(int arm, int position) {
    return (long) arm * datapoints + position;
  }

  /** Whether there is an outcome to come of it, or could be, although it is not decided. */
  boolean takes(int arm, int position) {
    boolean isHeldBack =
        arm >= 0
            && arm < begunUpTo.length
            && position >= cells.opened(arm)
            && position < cells.asked(arm);
    return isUnderWay(arm, position) || (isHeldBack && !known.containsKey(key(arm, position)));
  }

  /** Takes what came of it. */
  void tell(int arm, int position, Outcome outcome) {
    underWay.remove(key(arm, position));
    if (field.isActive(arm)) {
      known.put(key(arm, position), outcome);
      hasScore[arm] |= !outcome.failed();
      failures[arm] += outcome.failed() ? 1 : 0;
    } else {
      inVain++;
      costInVain += outcome.cost().orElse(0);
    }
  }

  /** Whether it was begun and not decided. */
  boolean isUnderWay(int arm, int position) {
    return underWay.contains(key(arm, position));
  }

  /** It is decided now. True if it is under way already. */
  boolean decideUnderWay(int arm, int position) {
    return underWay.remove(key(arm, position));
  }

  /** It is decided now. What came of it, if that is known already. */
  Optional<Outcome> decideKnown(int arm, int position) {
    return Optional.ofNullable(known.remove(key(arm, position)));
  }

  /** How many were begun of arms that were given up, ended or not; they count for nothing. */
  long inVain() {
    return inVain + dropped().count() + underWay.stream().filter(this::isGivenUp).count();
  }

  /** What these have cost, as far as it is known. */
  double costInVain() {
    return costInVain + dropped().mapToDouble(outcome -> outcome.cost().orElse(0)).sum();
  }

  private Stream<Outcome> dropped() {
    return known.entrySet().stream()
        .filter(cell -> isGivenUp(cell.getKey()))
        .map(Map.Entry::getValue);
  }

  private boolean isGivenUp(long cell) {
    return !field.isActive((int) (cell / datapoints));
  }
}
