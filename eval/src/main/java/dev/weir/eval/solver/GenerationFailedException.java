package dev.weir.eval.solver;

import dev.weir.model.Response;

/** The model gave no answer, and asking again would not help. */
public final class GenerationFailedException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final transient Response.Failure failure;

  public GenerationFailedException(String model, Response.Failure failure) {
    super(model + ": " + failure.message());
    this.failure = failure;
  }

  public Response.Failure failure() {
    return failure;
  }
}
