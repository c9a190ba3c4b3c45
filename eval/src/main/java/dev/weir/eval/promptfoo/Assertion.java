package dev.weir.eval.promptfoo;

import dev.weir.eval.sample.SampleContext;
import java.util.Optional;

/**
 * An assertion of a test.
 *
 * @param type as it is written, {@code not-} included
 * @param metric a template of what its score is also counted as
 * @param expected a template of what a right answer has, if that is a text; simulated models go by
 *     it
 * @param transform changes the answer before it is looked at
 */
record Assertion(
    String type,
    boolean negated,
    Check check,
    double weight,
    Optional<String> metric,
    Optional<String> expected,
    Optional<Transform> transform,
    Place place) {

  Graded grade(Answer answer, SampleContext context) throws Exception {
    Answer seen =
        transform
            .map(
                change ->
                    answer.withOutput(change.apply(answer.output(), answer.scriptContext(null))))
            .orElse(answer);
    Verdict verdict = check.check(seen, context);
    if (negated) {
      verdict = verdict.negated(type.substring(AssertionReader.NOT.length()));
    }
    if (weight == 0 && !verdict.pass()) {
      verdict = new Verdict(true, verdict.score(), verdict.reason(), verdict.parts());
    }
    return new Graded(type, weight, metric.map(answer::fill), verdict);
  }
}
