package dev.weir.selection;

import dev.weir.selection.SelectionResult.Ending;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.TreeSet;
import java.util.function.IntPredicate;

/**
 * A selection in progress.
 *
 * <pre>
 *   next() ──> evaluation ──> (somebody runs it) ──> tell(evaluation, outcome)
 *     ^                                                     │
 *     └── more are decided when all of a round are known <──┘
 * </pre>
 *
 * Decisions fall in rounds: the selector is asked only when every outcome of the round before is
 * known, and sees them as a table. So they are the same in whatever order outcomes are told and
 * however many evaluations run at once, and telling the outcomes of a journal again brings back the
 * same state. Two things are decided sooner, arm by arm, and depend on no order either: the
 * datapoints after the first few of an arm, once one of these was scored; and further attempts. The
 * former may be run before, where a slot would be idle, and count only if they are decided.
 *
 * <p>Never decides more evaluations than the budget. Not thread-safe.
 */
public final class Selection {

  private final SelectionPlan plan;
  private final DatapointOrder order;
  private final Field field;
  private final Policy policy;
  private final Cells cells;
  private final HeldBack heldBack;
  private final TreeSet<Evaluation> waiting;
  private Optional<Ending> ending = Optional.empty();
  private long decided;
  private long told;
  private double cost;
  private boolean costKnown = true;

  private Selection(SelectionPlan plan) {
    this.plan = plan;
    this.order = DatapointOrder.of(plan);
    this.field = new Field(plan);
    this.policy = Policies.of(plan);
    this.cells = new Cells(plan, field);
    this.heldBack = new HeldBack(plan, cells, field);
    // Combinations that were begun are finished before others begin.
    this.waiting =
        new TreeSet<>(
            Comparator.comparingInt(Evaluation::arm)
                .thenComparingInt(evaluation -> order.position(evaluation.datapoint())));
  }

  /** Begins; the first evaluations are decided at once. */
  public static Selection begin(SelectionPlan plan) {
    var selection = new Selection(plan);
    selection.settle();
    return selection;
  }

  public SelectionPlan plan() {
    return plan;
  }

  /**
   * The next evaluation to run, which is then no longer waiting; empty when none is decided that
   * was not handed out. Those of combinations nearest to their end come first.
   */
  public Optional<Evaluation> next() {
    return Optional.ofNullable(waiting.pollFirst());
  }

  /** The next to be handed out whose arm is among those that may begin or go on. */
  Optional<Evaluation> next(IntPredicate arms) {
    Evaluation first = waiting.isEmpty() ? null : waiting.first();
    while (first != null && !arms.test(first.arm())) {
      int last = order.datapoint(plan.datapoints() - 1);
      first = waiting.higher(new Evaluation(first.arm(), last, 1));
    }
    if (first != null) {
      waiting.remove(first);
    }
    return Optional.ofNullable(first);
  }

  /**
   * One that is held back until its arm has a score, for a slot that would be idle. Its outcome
   * counts once it is decided; if its arm is given up before, it was in vain.
   */
  Optional<Evaluation> nextHeldBack(IntPredicate arms) {
    return ending.isPresent()
        ? Optional.empty()
        : heldBack
            .next(arms)
            .map(cell -> new Evaluation(cell.arm(), order.datapoint(cell.position()), 1));
  }

  /** Whether an idle slot could begin nothing. */
  boolean isNothingHeldBack() {
    return ending.isPresent() || heldBack.isEmpty();
  }

  /** Whether it was handed out before it was decided, and is not decided yet. */
  public boolean isEarly(Evaluation evaluation) {
    return heldBack.isUnderWay(evaluation.arm(), order.position(evaluation.datapoint()));
  }

  /** Whether it counts, or will when its outcome is told. */
  public boolean isDecided(Evaluation evaluation) {
    return order.position(evaluation.datapoint()) < cells.opened(evaluation.arm());
  }

  /** Outcomes that were told and count for nothing, since their arm was given up before. */
  public long inVain() {
    return heldBack.inVain();
  }

  /** What these have cost, as far as it is known. */
  public double costInVain() {
    return heldBack.costInVain();
  }

  boolean isWaiting(int arm) {
    Evaluation next = waiting.ceiling(new Evaluation(arm, order.datapoint(0), 1));
    return next != null && next.arm() == arm;
  }

  /** How AgentOpt splits the allowed concurrency in this round. */
  Slots slots(int maxConcurrent) {
    Slots slots = Slots.of(maxConcurrent, cells.batch());
    return cells.isOneByOne() ? new Slots(1, slots.datapoints()) : slots;
  }

  /** Decided evaluations that were not handed out, in the order in which they will be. */
  public List<Evaluation> waiting() {
    return List.copyOf(waiting);
  }

  /**
   * Evaluations that are not decided but likely to be next, the likeliest first: further datapoints
   * of the arms that were tried, as many as in this round, beginning with the best. Only a guess,
   * for who has nothing else to do.
   */
  public List<Evaluation> likely(int most) {
    if (ending.isPresent()) {
      return List.of();
    }
    double[] means = new double[plan.arms().size()];
    List<Integer> best = new ArrayList<>();
    for (int arm : field.active()) {
      if (cells.asked(arm) < plan.datapoints()) {
        means[arm] = field.mean(arm).orElse(-1);
        if (means[arm] >= 0) {
          best.add(arm);
        }
      }
    }
    best.sort(Comparator.comparingDouble(arm -> -means[arm]));
    List<Evaluation> likely = new ArrayList<>();
    for (int arm : best) {
      int from = cells.asked(arm);
      addLikely(arm, from, Math.min(plan.datapoints(), from + cells.batch()), likely, most);
    }
    return likely;
  }

  private void addLikely(int arm, int from, int upTo, List<Evaluation> likely, int most) {
    for (int position = from; position < upTo && likely.size() < most; position++) {
      likely.add(new Evaluation(arm, order.datapoint(position), 1));
    }
  }

  /**
   * Takes what came of a decided evaluation, whether it was handed out or not, or of one that is
   * held back.
   *
   * <p>After {@link #stop} outcomes of evaluations that were under way still count in the result.
   *
   * @throws IllegalArgumentException if the evaluation was not decided or its outcome is known, or
   *     if the objective needs a cost or latency that the outcome lacks
   */
  public void tell(Evaluation evaluation, Outcome outcome) {
    int position = order.position(evaluation.datapoint());
    boolean isOpen = cells.isOpen(evaluation.arm(), position, evaluation.attempt());
    boolean isEarly = evaluation.attempt() == 1 && heldBack.takes(evaluation.arm(), position);
    if (!isOpen && !isEarly) {
      throw new IllegalArgumentException("there is no outcome to come of " + evaluation);
    }
    requireAmounts(evaluation, outcome);
    if (isOpen) {
      waiting.remove(evaluation);
      close(evaluation.arm(), position, outcome);
      settle();
    } else {
      heldBack.tell(evaluation.arm(), position, outcome);
    }
  }

  private void close(int arm, int position, Outcome outcome) {
    told++;
    cost += outcome.cost().orElse(0);
    costKnown &= outcome.cost().isPresent();
    cells.close(arm, position, outcome).forEach(this::decide);
  }

  private void requireAmounts(Evaluation evaluation, Outcome outcome) {
    if (outcome.failed()) {
      return;
    }
    if (plan.objective().needsCost() && outcome.cost().isEmpty()) {
      throw new IllegalArgumentException(
          "the objective needs costs, and a price is unknown for "
              + plan.arms().label(evaluation.arm()));
    }
    if (plan.objective().needsLatency() && outcome.latency().isEmpty()) {
      throw new IllegalArgumentException(
          "the objective needs latencies, and none was measured for "
              + plan.arms().label(evaluation.arm()));
    }
  }

  /** Ends the selection with what is known, as when money or time are used up. */
  public void stop() {
    if (ending.isEmpty()) {
      end(Ending.STOPPED);
    }
  }

  /** Whether nothing more will be decided. */
  public boolean isEnded() {
    return ending.isPresent();
  }

  /** The number of decision points so far. */
  public int round() {
    return field.round();
  }

  /** Arms that were given up, in the order of these decisions. */
  public List<Elimination> eliminations() {
    return field.eliminations();
  }

  /** Arms that were not given up. */
  public List<Integer> survivors() {
    return Arrays.stream(field.active()).boxed().toList();
  }

  /** Evaluations that were decided so far, further attempts and what is held back included. */
  public long decided() {
    return decided;
  }

  /** Outcomes that were told so far. */
  public long told() {
    return told;
  }

  /** The arm that would win if it ended now; cheaper to ask than {@link #result}. */
  public OptionalInt leader() {
    return new Ranking(field, policy).leader();
  }

  /** What is known of an arm now, not compared to any other; cheaper to ask than all of it. */
  public Standing standing(int arm) {
    return Ranking.standing(field, arm, Optional.empty());
  }

  /**
   * What was known of an arm as rounds went by, the first look first.
   *
   * @param most how many looks; of more, the first, the last and some between
   */
  public List<Look> looks(int arm, int most) {
    return new Ranking(field, policy).looks(arm, most);
  }

  /** What is known now; final when the selection is ended. */
  public SelectionResult result() {
    return new Ranking(field, policy)
        .result(
            ending.orElse(Ending.STOPPED),
            told,
            costKnown ? OptionalDouble.of(cost) : OptionalDouble.empty());
  }

  private void end(Ending how) {
    ending = Optional.of(how);
    waiting.clear();
  }

  private void decide(Cells.Opened cell) {
    if (cell.attempt() > 1) {
      decided++;
    } else if (heldBack.decideUnderWay(cell.arm(), cell.position())) {
      return;
    }
    Optional<Outcome> early =
        cell.attempt() > 1 ? Optional.empty() : heldBack.decideKnown(cell.arm(), cell.position());
    if (early.isPresent()) {
      close(cell.arm(), cell.position(), early.get());
    } else {
      waiting.add(new Evaluation(cell.arm(), order.datapoint(cell.position()), cell.attempt()));
    }
  }

  /** Goes on deciding until there is something to wait for. */
  private void settle() {
    while (ending.isEmpty() && cells.open() == 0) {
      List<Cells.Opened> again = cells.postponed(plan.budget() - decided);
      if (!again.isEmpty()) {
        again.forEach(this::decide);
      } else if (cells.open() == 0) {
        beginRound();
      }
    }
  }

  private void beginRound() {
    field.closeRound();
    long remaining = plan.budget() - decided;
    Round round = policy.next(field, remaining);
    if (round.isFinished()) {
      end(Ending.FINISHED);
      return;
    }
    long size = round.size(field);
    if (size == 0) {
      throw new IllegalStateException("cannot go on: " + plan.selector() + " asks for nothing");
    }
    if (size > remaining) {
      end(Ending.BUDGET_USED);
    } else {
      // What is held back is kept for its arm, even if that is given up: it may be begun by then.
      decided += size;
      cells.begin(round, size, remaining).forEach(this::decide);
    }
  }
}
