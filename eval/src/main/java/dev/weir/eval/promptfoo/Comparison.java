package dev.weir.eval.promptfoo;

import java.util.Optional;

/**
 * The assertion {@code select-best}: a judge chooses among the answers to one test.
 *
 * @param criteria a template
 */
record Comparison(
    String criteria,
    Optional<Grader> grader,
    Optional<Value> rubricPrompt,
    double weight,
    Optional<String> metric,
    Place place) {}
