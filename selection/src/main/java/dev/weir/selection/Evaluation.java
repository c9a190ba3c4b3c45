package dev.weir.selection;

/**
 * An arm tried on a datapoint.
 *
 * @param arm its index in {@link Arms}
 * @param datapoint its index in the dataset, which stays the same whatever fails
 * @param attempt 1, and more after failures that the plan says to retry
 */
public record Evaluation(int arm, int datapoint, int attempt) {}
