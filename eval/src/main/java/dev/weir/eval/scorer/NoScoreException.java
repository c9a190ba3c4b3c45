package dev.weir.eval.scorer;

/** An answer could not be judged; says why. */
public final class NoScoreException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  public NoScoreException(String message) {
    super(message);
  }
}
