package dev.weir.eval.promptfoo;

import dev.weir.model.GenerationSettings;

/**
 * The model that judges.
 *
 * @param role which model of the run it is
 * @param settings how it is asked
 */
record Grader(String role, GenerationSettings settings) {

  /** The role that people may give a model with {@code --model-role grader=…}. */
  static final String ROLE = "grader";

  static final Grader DEFAULT = new Grader(ROLE, GenerationSettings.NONE);
}
