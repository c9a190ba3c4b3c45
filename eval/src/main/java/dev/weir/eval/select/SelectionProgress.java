package dev.weir.eval.select;

import java.util.Optional;

/**
 * A selection at one moment.
 *
 * @param round decision points so far
 * @param evaluations attempts that have ended
 * @param mostEvaluations that are allowed or that there are
 * @param survivors combinations that were not given up
 * @param combinations all
 * @param leader the one that would win now
 * @param knownCost dollars so far, of what has a price
 */
public record SelectionProgress(
    int round,
    long evaluations,
    long mostEvaluations,
    int survivors,
    int combinations,
    Optional<String> leader,
    double knownCost) {}
