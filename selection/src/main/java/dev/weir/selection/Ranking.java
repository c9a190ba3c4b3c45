package dev.weir.selection;

import dev.weir.selection.SelectionResult.Ending;
import dev.weir.statistics.Betting;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.stream.IntStream;

/** What is known at one time, put in order. */
final class Ranking {

  /** Means that differ by less are the same. */
  private static final double ROUNDING = 1e-9;

  private final Field field;
  private final Policy policy;
  private final double confidence;
  private final Shown shown;
  private final List<Integer> candidates;

  Ranking(Field field, Policy policy) {
    this.field = field;
    this.policy = policy;
    SelectionPlan plan = field.plan();
    this.confidence = 1 - plan.delta();
    OptionalDouble claimed = policy.confidence();
    this.shown = new Shown(field, claimed.isPresent() ? 1 - claimed.getAsDouble() : plan.delta());
    this.candidates = candidates();
  }

  /**
   * Arms that may win: survivors with at least one score and enough samples, which is a tenth of
   * the dataset and at least ten or, while no arm has these, as many as the best known has.
   */
  private List<Integer> candidates() {
    List<Integer> able =
        IntStream.range(0, field.arms())
            .filter(arm -> field.isActive(arm) || policy.anyArmMayWin())
            .filter(arm -> field.samples(arm) > field.failures(arm))
            .boxed()
            .toList();
    int most = able.stream().mapToInt(field::samples).max().orElse(0);
    int least = policy.anyArmMayWin() ? 1 : field.fewest();
    int enough = Math.min(most, Math.max(least, field.datapoints() / 10));
    return able.stream().filter(arm -> field.samples(arm) >= enough).toList();
  }

  /** The arm to take, by the objective. */
  OptionalInt leader() {
    if (policy.decidedFor().isPresent()) {
      return policy.decidedFor();
    }
    if (field.plan().objective() instanceof Objective.Within within) {
      List<Integer> sure = surelyWithin(within);
      return sure.isEmpty()
          ? highest()
          : OptionalInt.of(
              Collections.min(sure, Comparator.comparingDouble(arm -> price(field, within, arm))));
    }
    return highest();
  }

  /** The highest mean; of equals the one with fewer failures, which takes less, the first. */
  private OptionalInt highest() {
    int best = -1;
    for (int arm : candidates) {
      if (best < 0 || isBetter(arm, best)) {
        best = arm;
      }
    }
    return best < 0 ? OptionalInt.empty() : OptionalInt.of(best);
  }

  private boolean isBetter(int arm, int best) {
    double ahead = field.ahead(arm, best);
    if (Math.abs(ahead) > ROUNDING) {
      return ahead > 0;
    }
    if (field.leftOut(arm) != field.leftOut(best)) {
      return field.leftOut(arm) < field.leftOut(best);
    }
    // Latencies depend on timing, which must decide nothing else.
    if (field.plan().objective().needsLatency()) {
      int faster = Double.compare(orMost(field.meanLatency(arm)), orMost(field.meanLatency(best)));
      if (faster != 0) {
        return faster < 0;
      }
    }
    return orMost(field.meanCost(arm)) < orMost(field.meanCost(best));
  }

  private static double orMost(OptionalDouble amount) {
    return amount.orElse(Double.POSITIVE_INFINITY);
  }

  /** Whether an arm has neither more cost nor more latency than another. */
  static boolean takesNoMore(Field field, int one, int another) {
    return orMost(field.meanCost(one)) <= orMost(field.meanCost(another))
        && orMost(field.meanLatency(one)) <= orMost(field.meanLatency(another));
  }

  private List<Integer> surelyWithin(Objective.Within within) {
    return candidates.stream().filter(arm -> shown.isWithin(within.points(), arm)).toList();
  }

  /** What is to be kept low; infinite when it is unknown. */
  static double price(Field field, Objective.Within within, int arm) {
    return orMost(
        switch (within.least()) {
          case COST -> field.meanCost(arm);
          case LATENCY -> field.meanLatency(arm);
        });
  }

  private List<Integer> notDecided(int winner) {
    if (policy.decidedFor().isPresent()) {
      return List.of();
    }
    return switch (field.plan().objective()) {
      case Objective.Score() -> notBehind(winner);
      case Objective.Weighted _ -> notBehind(winner);
      case Objective.Pareto() -> maybeOnFront();
      case Objective.Within within -> notDecidedWithin(within, winner);
    };
  }

  /**
   * Those that may be too far above the winner, and those that take less and may be near enough.
   */
  private List<Integer> notDecidedWithin(Objective.Within within, int winner) {
    double points = within.points();
    double price = price(field, within, winner);
    return shown
        .tried()
        .filter(arm -> arm != winner)
        .filter(
            arm ->
                !shown.isWithin(points, winner, arm)
                    || (price(field, within, arm) < price && !shown.isBehind(points, arm)))
        .boxed()
        .sorted(byMean())
        .toList();
  }

  /** Also those with few samples, or none where the selector is to look at all of them. */
  private List<Integer> notBehind(int winner) {
    return IntStream.range(0, field.arms())
        .filter(arm -> field.isActive(arm) || candidates.contains(arm))
        .filter(arm -> field.samples(arm) > 0)
        .filter(arm -> arm != winner && !shown.isAbove(0, winner, arm))
        .boxed()
        .sorted(byMean())
        .toList();
  }

  /** Arms that the selector was to look at, and has not when it was ended. */
  private List<Integer> missed() {
    return policy.looksAtAll()
        ? Arrays.stream(field.active()).filter(arm -> field.samples(arm) == 0).boxed().toList()
        : List.of();
  }

  private List<Integer> front() {
    return switch (field.plan().objective()) {
      case Objective.Score() -> policy.good();
      case Objective.Weighted _ -> policy.good();
      case Objective.Within within -> surelyWithin(within);
      case Objective.Pareto() ->
          candidates.stream().filter(arm -> !isDominated(arm)).sorted(byMean()).toList();
    };
  }

  /** Neither surely better than all that take no more, nor surely worse than one of them. */
  private List<Integer> maybeOnFront() {
    return candidates.stream()
        .filter(
            arm -> {
              List<Integer> rivals =
                  candidates.stream()
                      .filter(other -> !other.equals(arm) && takesNoMore(field, other, arm))
                      .toList();
              return !rivals.stream().allMatch(other -> shown.isAbove(0, arm, other))
                  && rivals.stream().noneMatch(other -> shown.isAbove(0, other, arm));
            })
        .sorted(byMean())
        .toList();
  }

  private boolean isDominated(int arm) {
    double mean = field.mean(arm).orElse(0);
    return candidates.stream()
        .filter(other -> !other.equals(arm) && takesNoMore(field, other, arm))
        .anyMatch(
            other -> {
              double ahead = field.mean(other).orElse(0) - mean;
              return ahead > ROUNDING || (ahead >= -ROUNDING && !takesNoMore(field, arm, other));
            });
  }

  SelectionResult result(Ending ending, long told, OptionalDouble cost) {
    OptionalInt leader = leader();
    List<Integer> missed = missed();
    OptionalInt winner = missed.isEmpty() ? leader : OptionalInt.empty();
    List<Integer> notDecided = new ArrayList<>();
    if (leader.isPresent()) {
      if (winner.isEmpty()) {
        notDecided.add(leader.getAsInt());
      }
      notDecided(leader.getAsInt()).stream()
          .filter(arm -> !notDecided.contains(arm))
          .forEach(notDecided::add);
      notDecided.addAll(missed);
    }
    List<Standing> standings = standings(winner);
    boolean claims =
        winner.isPresent()
            && notDecided.isEmpty()
            && ending == Ending.FINISHED
            && standings.stream().noneMatch(Standing::isGivenUpForFailures);
    return new SelectionResult(
        ending,
        winner,
        notDecided,
        front(),
        claims ? claimed() : OptionalDouble.empty(),
        standings,
        told,
        field.plan().allEvaluations(),
        cost);
  }

  /**
   * What is within the points is shown by bets, whatever the selector; but not of arms that were
   * not tried.
   */
  private OptionalDouble claimed() {
    return switch (field.plan().objective()) {
      case Objective.Score() -> policy.confidence();
      case Objective.Weighted _ -> policy.confidence();
      // What arms take is only what was measured, and with many arms some are always near another.
      case Objective.Pareto() -> OptionalDouble.empty();
      case Objective.Within _ ->
          IntStream.range(0, field.arms()).allMatch(arm -> field.samples(arm) > 0)
              ? OptionalDouble.of(policy.confidence().orElse(confidence))
              : OptionalDouble.empty();
    };
  }

  private Comparator<Integer> byMean() {
    return Comparator.comparingDouble((Integer arm) -> -field.mean(arm).orElse(-1))
        .thenComparing(Comparator.naturalOrder());
  }

  private List<Standing> standings(OptionalInt winner) {
    Comparator<Integer> winnerFirst =
        Comparator.comparing(arm -> winner.isEmpty() || arm != winner.getAsInt());
    return IntStream.range(0, field.arms())
        .boxed()
        .sorted(
            winnerFirst
                .thenComparing(arm -> field.samples(arm) == 0)
                .thenComparing(arm -> !field.isActive(arm))
                .thenComparing(byMean()))
        .map(arm -> standing(arm, winner))
        .toList();
  }

  private Standing standing(int arm, OptionalInt winner) {
    if (winner.isEmpty() || winner.getAsInt() == arm) {
      return standing(field, arm, Optional.empty());
    }
    Standing standing = standing(field, arm, difference(winner.getAsInt(), arm));
    return standing.isGivenUpForFailures() && isShownWorse(winner.getAsInt(), arm)
        ? standing.shownWorse()
        : standing;
  }

  /**
   * That an arm failed a few times is no bet, and it may be the best. What was seen of it may be
   * enough to show that it is not, with the chance of error that is allowed for everything else.
   */
  private boolean isShownWorse(int winner, int arm) {
    if (policy.decidedFor().isPresent()) {
      return policy.holdsBeside(arm);
    }
    double points =
        field.plan().objective() instanceof Objective.Within within ? within.points() : 0;
    return shown.isAbove(points, winner, arm);
  }

  /** What is known of an arm, with how it compares to the winner if that was asked. */
  static Standing standing(Field field, int arm, Optional<Standing.Difference> behindWinner) {
    double[] values = field.values(arm);
    double confidence = 1 - field.plan().delta();
    return new Standing(
        arm,
        field.samples(arm),
        field.failures(arm),
        field.mean(arm),
        values.length == 0 ? Optional.empty() : Optional.of(Betting.ofMean(values, confidence)),
        field.meanScore(arm),
        field.meanCost(arm),
        field.meanLatency(arm),
        behindWinner,
        field.elimination(arm));
  }

  /** What was known of an arm as rounds went by; of many looks, the first, the last and some. */
  List<Look> looks(int arm, int most) {
    List<Field.Looked> all =
        field.looks(arm).stream()
            .filter(look -> field.values(arm, look.known()).length > 0)
            .toList();
    int shown = Math.min(most, all.size());
    return IntStream.range(0, shown)
        .mapToObj(i -> all.get(shown == 1 ? all.size() - 1 : i * (all.size() - 1) / (shown - 1)))
        .map(look -> look(arm, look))
        .toList();
  }

  private Look look(int arm, Field.Looked look) {
    double[] values = field.values(arm, look.known());
    return new Look(
        look.round(), look.known(), Moments.mean(values), Betting.ofMean(values, confidence));
  }

  private Optional<Standing.Difference> difference(int winner, int arm) {
    double[] differences = field.differences(winner, arm);
    return differences.length == 0
        ? Optional.empty()
        : Optional.of(
            new Standing.Difference(
                Moments.mean(differences),
                Betting.ofDifference(differences, confidence),
                differences.length));
  }
}
