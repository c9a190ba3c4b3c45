package dev.weir.selection;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.stream.IntStream;

/**
 * What is known of the arms. Datapoints are meant by their position in the order that is common to
 * all arms, so the first n of two arms are the same datapoints.
 */
final class Field {

  private enum State {
    UNKNOWN,
    SCORED,
    FAILED
  }

  private static final int FEWEST = 10;

  private final SelectionPlan plan;
  private final Row[] rows;
  private final int[] known;
  // Of each arm: how many datapoints were known after each round that brought some.
  private final List<List<Looked>> looks = new ArrayList<>();
  private final List<Elimination> eliminations = new ArrayList<>();
  private final List<Optional<Elimination>> eliminationOf;
  private int round;

  /** That so many datapoints of the common order were known of an arm after a round. */
  record Looked(int round, int known) {}

  /** The outcomes of an arm, by position. */
  private static final class Row {
    final State[] states;
    final double[] values;
    final double[] scores;
    final double[] costs;
    final double[] latencies;

    Row(int datapoints) {
      states = new State[datapoints];
      Arrays.fill(states, State.UNKNOWN);
      values = new double[datapoints];
      scores = new double[datapoints];
      costs = new double[datapoints];
      latencies = new double[datapoints];
    }
  }

  Field(SelectionPlan plan) {
    this.plan = plan;
    this.rows = new Row[plan.arms().size()];
    this.known = new int[plan.arms().size()];
    this.eliminationOf = new ArrayList<>();
    for (int arm = 0; arm < rows.length; arm++) {
      rows[arm] = new Row(plan.datapoints());
      eliminationOf.add(Optional.empty());
      looks.add(new ArrayList<>());
    }
  }

  int arms() {
    return rows.length;
  }

  int datapoints() {
    return plan.datapoints();
  }

  /** With fewer, no rule of thumb gives an arm up, and none wins while others have as many. */
  int fewest() {
    return Math.min(datapoints(), FEWEST);
  }

  SelectionPlan plan() {
    return plan;
  }

  int round() {
    return round;
  }

  /** How many datapoints of the common order are known of an arm, without a gap. */
  int known(int arm) {
    return known[arm];
  }

  boolean isActive(int arm) {
    return eliminationOf.get(arm).isEmpty();
  }

  /** Arms that were not given up, in their order. */
  int[] active() {
    return IntStream.range(0, rows.length).filter(this::isActive).toArray();
  }

  List<Elimination> eliminations() {
    return List.copyOf(eliminations);
  }

  Optional<Elimination> elimination(int arm) {
    return eliminationOf.get(arm);
  }

  void eliminate(int arm, OptionalInt by, String reason, boolean isShown) {
    if (isActive(arm)) {
      var elimination = new Elimination(arm, round, by, reason, isShown);
      eliminations.add(elimination);
      eliminationOf.set(arm, Optional.of(elimination));
    }
  }

  /** In the middle of a round, where the order of arms counts and not that of outcomes. */
  void eliminateEarly(int arm, String reason) {
    if (!isActive(arm)) {
      return;
    }
    eliminate(arm, OptionalInt.empty(), reason, false);
    int place = eliminations.size() - 1;
    while (place > 0
        && eliminations.get(place - 1).round() == round
        && eliminations.get(place - 1).arm() > arm) {
      place--;
    }
    eliminations.add(place, eliminations.removeLast());
  }

  /** Whether there is a final outcome. */
  boolean isKnown(int arm, int position) {
    return rows[arm].states[position] != State.UNKNOWN;
  }

  boolean isFailed(int arm, int position) {
    return rows[arm].states[position] == State.FAILED;
  }

  /** Whether there is a final outcome that counts. */
  boolean counts(int arm, int position) {
    return switch (rows[arm].states[position]) {
      case UNKNOWN -> false;
      case SCORED -> true;
      case FAILED -> plan.failures().meaning() == Failures.Meaning.ZERO;
    };
  }

  /** From 0 to 1; only where it {@link #counts}. */
  double value(int arm, int position) {
    return rows[arm].values[position];
  }

  double score(int arm, int position) {
    return rows[arm].scores[position];
  }

  /** The values of an arm that count. */
  double[] values(int arm) {
    return values(arm, datapoints());
  }

  /** Those of the first datapoints. */
  double[] values(int arm, int first) {
    return IntStream.range(0, first)
        .filter(position -> counts(arm, position))
        .mapToDouble(position -> value(arm, position))
        .toArray();
  }

  /** The first's value minus the second's, on each datapoint that counts for both. */
  double[] differences(int first, int second) {
    return IntStream.range(0, datapoints())
        .filter(position -> counts(first, position) && counts(second, position))
        .mapToDouble(position -> value(first, position) - value(second, position))
        .toArray();
  }

  /** Empty without values. */
  OptionalDouble mean(int arm) {
    return Arrays.stream(values(arm)).average();
  }

  /**
   * How much higher the mean of an arm is than that of another. Where failures are left out, what
   * one failed on is left out for both, or failing on what is hard would raise a mean.
   */
  double ahead(int arm, int other) {
    double mean = meanWhereNotFailed(arm, other);
    double otherMean = meanWhereNotFailed(other, arm);
    if (Double.isNaN(mean) || Double.isNaN(otherMean)) {
      return Double.compare(values(arm).length, values(other).length);
    }
    return mean - otherMean;
  }

  /**
   * The means of arms, in their order, to be compared with each other; 0 without values. Where
   * failures are left out, each is measured against the arm with the most values, without what
   * either failed on: failing on what is hard must raise no mean.
   */
  double[] comparable(int[] arms) {
    double[] means = IntStream.of(arms).mapToDouble(arm -> mean(arm).orElse(0)).toArray();
    if (IntStream.of(arms).allMatch(arm -> leftOut(arm) == 0)) {
      return means;
    }
    int most = arms[0];
    for (int arm : arms) {
      most = values(arm).length > values(most).length ? arm : most;
    }
    for (int i = 0; i < arms.length; i++) {
      if (mean(arms[i]).isPresent()) {
        means[i] = mean(most).orElse(0) + ahead(arms[i], most);
      }
    }
    return means;
  }

  private double meanWhereNotFailed(int arm, int other) {
    double sum = 0;
    int count = 0;
    for (int position = 0; position < datapoints(); position++) {
      if (counts(arm, position) && (counts(other, position) || !isFailed(other, position))) {
        sum += value(arm, position);
        count++;
      }
    }
    return sum / count;
  }

  /** Failures that are left out for both sides of a comparison; otherwise none. */
  int leftOut(int arm) {
    return plan.failures().meaning() == Failures.Meaning.EXCLUDED ? failures(arm) : 0;
  }

  OptionalDouble meanScore(int arm) {
    return IntStream.range(0, datapoints())
        .filter(position -> counts(arm, position))
        .mapToDouble(position -> score(arm, position))
        .average();
  }

  /**
   * Of a datapoint, with all attempts and failures; empty when that of a scored one is unknown, or
   * nothing is known. A failure of which nobody knows a cost has none if others have one: most are
   * not billed.
   */
  OptionalDouble meanCost(int arm) {
    Row row = rows[arm];
    boolean isKnown =
        hasSucceeded(arm)
            ? meanOfScored(arm, row.costs).isPresent()
            : IntStream.range(0, datapoints())
                .anyMatch(position -> isKnown(arm, position) && !Double.isNaN(row.costs[position]));
    if (!isKnown) {
      return OptionalDouble.empty();
    }
    return IntStream.range(0, datapoints())
        .filter(position -> isKnown(arm, position))
        .mapToDouble(position -> Double.isNaN(row.costs[position]) ? 0 : row.costs[position])
        .average();
  }

  /** Of scored outcomes; empty when any is unknown or there is none. */
  OptionalDouble meanLatency(int arm) {
    return meanOfScored(arm, rows[arm].latencies);
  }

  private OptionalDouble meanOfScored(int arm, double[] amounts) {
    OptionalDouble mean =
        IntStream.range(0, datapoints())
            .filter(position -> rows[arm].states[position] == State.SCORED)
            .mapToDouble(position -> amounts[position])
            .average();
    return mean.isPresent() && Double.isNaN(mean.getAsDouble()) ? OptionalDouble.empty() : mean;
  }

  int samples(int arm) {
    return (int) Arrays.stream(rows[arm].states).filter(state -> state != State.UNKNOWN).count();
  }

  /** Whether it was scored at least once. */
  boolean hasSucceeded(int arm) {
    return Arrays.stream(rows[arm].states).anyMatch(state -> state == State.SCORED);
  }

  int failures(int arm) {
    return (int) Arrays.stream(rows[arm].states).filter(state -> state == State.FAILED).count();
  }

  void put(int arm, int position, Outcome outcome) {
    Row row = rows[arm];
    row.states[position] = outcome.failed() ? State.FAILED : State.SCORED;
    row.values[position] = outcome.failed() ? 0 : plan.objective().value(outcome);
    row.scores[position] = outcome.score().orElse(0);
    row.costs[position] = outcome.cost().orElse(Double.NaN);
    row.latencies[position] = outcome.latency().orElse(Double.NaN);
  }

  /** All that was asked for is known. */
  void closeRound() {
    round++;
    for (int arm = 0; arm < rows.length; arm++) {
      int before = known[arm];
      while (known[arm] < datapoints() && isKnown(arm, known[arm])) {
        known[arm]++;
      }
      if (known[arm] > before) {
        looks.get(arm).add(new Looked(round, known[arm]));
      }
    }
  }

  /** What was known of an arm after each round that brought something, the first first. */
  List<Looked> looks(int arm) {
    return List.copyOf(looks.get(arm));
  }
}
