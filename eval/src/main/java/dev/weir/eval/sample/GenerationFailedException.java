package dev.weir.eval.sample;

import dev.weir.model.Response;
import java.util.Optional;

/** The model gave no answer, and asking again would not help. */
public final class GenerationFailedException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final transient Response.Failure failure;
  private final boolean isPoisoned;

  /**
   * @param gaveUp why it was not asked again, although that might have helped
   */
  public GenerationFailedException(
      String model, Response.Failure failure, Optional<String> gaveUp) {
    this(model, failure, gaveUp, false);
  }

  /**
   * @param gaveUp why it was not asked again, although that might have helped
   * @param isPoisoned whether it kept failing while other requests succeeded
   */
  public GenerationFailedException(
      String model, Response.Failure failure, Optional<String> gaveUp, boolean isPoisoned) {
    super(
        model
            + ": "
            + failure.message()
            + failure.origin().requestId().map(id -> " (request %s)".formatted(id)).orElse("")
            + gaveUp.map(why -> "; " + why).orElse(""));
    this.failure = failure;
    this.isPoisoned = isPoisoned;
  }

  /** Whether the request kept failing while other requests succeeded. */
  public boolean isPoisoned() {
    return isPoisoned;
  }

  public Response.Failure failure() {
    return failure;
  }
}
