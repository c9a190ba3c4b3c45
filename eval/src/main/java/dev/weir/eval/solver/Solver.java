package dev.weir.eval.solver;

import dev.weir.model.Message;

/** One step of a task's pipeline: takes a conversation further. Thread-safe. */
@FunctionalInterface
public interface Solver {

  Conversation solve(Conversation conversation, Generator generator) throws InterruptedException;

  /** The model of the run, as a solver sees it. */
  @FunctionalInterface
  interface Generator {

    /**
     * Asks the model to continue.
     *
     * @throws GenerationFailedException if there is no answer, and no retry would bring one
     */
    Message.Assistant generate(Conversation conversation) throws InterruptedException;
  }
}
