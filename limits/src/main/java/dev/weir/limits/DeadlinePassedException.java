package dev.weir.limits;

/** A request was not finished when its caller no longer wanted it. */
public final class DeadlinePassedException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  DeadlinePassedException(String message) {
    super(message);
  }
}
