package dev.weir.model.batch;

import dev.weir.model.Response;

/** Something about a batch as a whole was refused, or went wrong on the way. */
public final class BatchException extends Exception {

  private static final long serialVersionUID = 1L;

  private final transient Response.Failure failure;

  public BatchException(Response.Failure failure) {
    super(failure.message());
    this.failure = failure;
  }

  public Response.Failure failure() {
    return failure;
  }
}
