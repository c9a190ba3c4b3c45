package dev.weir.eval.promptfoo;

import dev.weir.eval.sample.SampleContext;

/** What an assertion looks at. Thread-safe. */
@FunctionalInterface
interface Check {

  /**
   * @throws dev.weir.eval.scorer.NoScoreException if nothing can be said of the answer, with why
   */
  Verdict check(Answer answer, SampleContext context) throws Exception;
}
