package dev.weir.selection;

import dev.weir.statistics.Interval;

/**
 * What was known of an arm after a round.
 *
 * @param round the decision point, from 1
 * @param samples datapoints with a final outcome, failures included
 * @param value mean of what the objective values
 * @param interval of that mean, valid whenever one looks
 */
public record Look(int round, int samples, double value, Interval interval) {}
