package dev.weir.eval.select;

import dev.weir.eval.select.SelectionJournal.Ended;
import dev.weir.selection.Evaluation;
import java.math.BigDecimal;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Keeps money for evaluations before they begin, so that those under way cannot spend more together
 * than there is. Nobody knows what one will cost: it is taken to be a little dearer than the
 * dearest of its combination so far. Of a combination of which no cost is known it is taken to be
 * twice the dearest of any, which says little where prices differ: so but one of all such
 * evaluations is under way at a time, and what is spent too much is no more than that one costs.
 * The first of all runs alone. Not thread-safe.
 */
final class Purse {

  private static final double SAME_COMBINATION = 1.25;
  private static final double ANOTHER = 2;
  private static final double ROUNDING = 1e-9;

  private final double most;
  private final Map<Evaluation, Double> reserved = new HashMap<>();
  // By combination.
  private final Map<Integer, Double> dearest = new HashMap<>();
  private double dearestOfAll = Double.NaN;
  private double spent;

  Purse(Optional<BigDecimal> most, double spent) {
    this.most = most.map(BigDecimal::doubleValue).orElse(Double.POSITIVE_INFINITY);
    this.spent = spent;
  }

  /** Whether there is money for an evaluation of a combination beside all that are under way. */
  boolean fits(int arm) {
    if (Double.isInfinite(most)) {
      return true;
    }
    if (Double.isNaN(dearestOfAll)) {
      return reserved.isEmpty() && spent < most;
    }
    if (!dearest.containsKey(arm)
        && reserved.keySet().stream().anyMatch(one -> !dearest.containsKey(one.arm()))) {
      return false;
    }
    double kept = reserved.values().stream().mapToDouble(Double::doubleValue).sum();
    return spent + kept + estimate(arm) <= most * (1 + ROUNDING) && spent < most;
  }

  private double estimate(int arm) {
    Double own = dearest.get(arm);
    return own == null ? ANOTHER * dearestOfAll : SAME_COMBINATION * own;
  }

  void begin(Evaluation evaluation) {
    reserved.put(evaluation, Double.isNaN(dearestOfAll) ? 0 : estimate(evaluation.arm()));
  }

  /** It has ended without an outcome. */
  void end(Evaluation evaluation, double paid) {
    reserved.remove(evaluation);
    spent += paid;
  }

  void end(Ended ended) {
    end(ended.evaluation(), ended.more());
    learn(ended);
  }

  /** What evaluations cost; that it was spent is known. */
  void learn(Ended ended) {
    // What failed before it was answered says nothing of prices.
    if (ended.paid() > 0 || !ended.outcome().failed()) {
      dearest.merge(ended.evaluation().arm(), ended.paid(), Math::max);
      dearestOfAll =
          Double.isNaN(dearestOfAll) ? ended.paid() : Math.max(dearestOfAll, ended.paid());
    }
  }
}
