package dev.weir.eval.dataset;

/**
 * One question.
 *
 * @param id unique in its dataset
 * @param input what the model is asked
 * @param target what a right answer is measured by
 */
public record Sample(String id, String input, String target) {}
