package dev.weir.eval.sample;

import dev.weir.model.Request;
import dev.weir.model.Response;

/**
 * A model of the run, as a sample sees it: behind its limits, and every answer is accounted for.
 */
@FunctionalInterface
public interface Generator {

  /**
   * Asks the model, waiting and retrying as its limits say. What the request leaves open of
   * settings is filled in with those of the task; target and epoch are the runner's.
   *
   * @throws GenerationFailedException if there is no answer, and no retry would bring one
   * @throws SampleLimitExceededException if the sample has used up what it may
   */
  Response.Reply generate(Request request) throws InterruptedException;

  /**
   * Ends the sample if its last answer was one too many for its limits. {@link
   * SampleState#generate} does so when the answer is safe in the conversation.
   *
   * @throws SampleLimitExceededException if it was
   */
  default void check() {}

  /** Asks one question. */
  default String ask(String question) throws InterruptedException {
    return generate(Request.of(question)).message().text();
  }
}
