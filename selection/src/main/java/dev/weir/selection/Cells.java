package dev.weir.selection;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.TreeMap;

/**
 * The evaluations of a round, from decided to known.
 *
 * <p>An arm that never succeeds must not cost much: its datapoints after the first {@link
 * Failures#hopeless} are held back until one of the first was scored, and dropped when none was.
 *
 * <p>Further attempts are decided at once when the budget has room for all that the round could
 * need. When it has not, they wait until the rest of the round is known and are then decided in the
 * order of arms and datapoints, so that the budget never makes timing matter.
 */
final class Cells {

  /** A datapoint of an arm that is decided, by position. */
  record Opened(int arm, int position, int attempt) {}

  private final Failures failures;
  private final Field field;

  /** The attempt under way, or 0. */
  private final int[][] attempts;

  private final int[] targets;
  private final int[] openedUpTo;

  /** Failed, with attempts left; by arm and position. */
  private final TreeMap<Long, Opened> postponed = new TreeMap<>();

  /** What failed attempts have cost, as far as it is known; by arm and position. */
  private final Map<Long, Double> paidBefore = new HashMap<>();

  private final int datapoints;
  private long open;
  private boolean roomForAll;
  private int batch;
  private boolean isOneByOne;

  Cells(SelectionPlan plan, Field field) {
    this.failures = plan.failures();
    this.field = field;
    this.datapoints = plan.datapoints();
    this.attempts = new int[plan.arms().size()][plan.datapoints()];
    this.targets = new int[plan.arms().size()];
    this.openedUpTo = new int[plan.arms().size()];
  }

  /** How many outcomes are to come. */
  long open() {
    return open;
  }

  /** The most datapoints that an arm is asked for in this round. */
  int batch() {
    return batch;
  }

  /** Whether AgentOpt's schedule tries the arms of this round one after another. */
  boolean isOneByOne() {
    return isOneByOne;
  }

  /** How many datapoints of an arm were decided. */
  int opened(int arm) {
    return openedUpTo[arm];
  }

  /** How many datapoints of an arm were asked for, those held back included. */
  int asked(int arm) {
    return targets[arm];
  }

  boolean isOpen(int arm, int position, int attempt) {
    return arm >= 0 && arm < attempts.length && attempt > 0 && attempts[arm][position] == attempt;
  }

  List<Opened> begin(Round round, long size, long remaining) {
    roomForAll = size <= remaining / failures.attempts();
    isOneByOne = round.isOneByOne();
    batch = 0;
    List<Opened> opened = new ArrayList<>();
    for (int arm = 0; arm < targets.length; arm++) {
      targets[arm] = Math.max(targets[arm], round.target(arm));
      batch = Math.max(batch, targets[arm] - openedUpTo[arm]);
      openAllowed(arm, opened);
    }
    return opened;
  }

  /** Takes the outcome of an open cell; returns what is open because of it. */
  List<Opened> close(int arm, int position, Outcome outcome) {
    int attempt = attempts[arm][position];
    attempts[arm][position] = 0;
    open--;
    List<Opened> opened = new ArrayList<>();
    long cell = (long) arm * datapoints + position;
    if (outcome.failed() && attempt < failures.attempts()) {
      paidBefore.merge(cell, outcome.cost().orElse(0), Double::sum);
      var again = new Opened(arm, position, attempt + 1);
      if (roomForAll) {
        open(again, opened);
      } else {
        postponed.put(cell, again);
      }
      return opened;
    }
    put(arm, position, outcome);
    openAllowed(arm, opened);
    return opened;
  }

  /**
   * Further attempts that waited for the rest of the round, as many as may be decided; the others
   * have failed.
   */
  List<Opened> postponed(long remaining) {
    List<Opened> opened = new ArrayList<>();
    OptionalDouble none = OptionalDouble.empty();
    List<Opened> all = List.copyOf(postponed.values());
    postponed.clear();
    for (Opened again : all) {
      if (opened.size() < remaining) {
        open(again, opened);
      } else {
        put(again.arm, again.position, new Outcome(none, OptionalDouble.of(0), none));
      }
    }
    all.stream().mapToInt(Opened::arm).distinct().forEach(arm -> openAllowed(arm, opened));
    return opened;
  }

  /** A datapoint costs what all its attempts have cost. */
  private void put(int arm, int position, Outcome last) {
    Double before = paidBefore.remove((long) arm * datapoints + position);
    OptionalDouble cost =
        before == null || last.cost().isEmpty()
            ? last.cost()
            : OptionalDouble.of(before + last.cost().getAsDouble());
    field.put(arm, position, new Outcome(last.score(), cost, last.latency()));
  }

  private void open(Opened cell, List<Opened> opened) {
    attempts[cell.arm][cell.position] = cell.attempt;
    open++;
    opened.add(cell);
  }

  private void openAllowed(int arm, List<Opened> opened) {
    int allowed = Math.min(targets[arm], allowed(arm));
    while (openedUpTo[arm] < allowed) {
      open(new Opened(arm, openedUpTo[arm]++, 1), opened);
    }
  }

  private int allowed(int arm) {
    int first = Math.min(failures.hopeless(), datapoints);
    if (openedUpTo[arm] > first) {
      return datapoints;
    }
    int failed = 0;
    for (int position = 0; position < first; position++) {
      if (field.isKnown(arm, position)) {
        if (!field.isFailed(arm, position)) {
          return datapoints;
        }
        failed++;
      }
    }
    if (failed == first) {
      field.eliminateEarly(arm, "failed on all of its first %d datapoints".formatted(first));
      targets[arm] = openedUpTo[arm];
    }
    return first;
  }
}
