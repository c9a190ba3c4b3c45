package dev.weir.limits;

/** A request was not finished when its caller no longer wanted it. */
public final class DeadlinePassedException extends RuntimeException implements CutOff {

  private static final long serialVersionUID = 1L;

  private final int attempts;
  private final transient Call.Times times;

  DeadlinePassedException(String message) {
    this(message, 0, Call.Times.NONE);
  }

  DeadlinePassedException(String message, int attempts, Call.Times times) {
    super(message);
    this.attempts = attempts;
    this.times = times;
  }

  /** The same in other words, by someone who knows more. */
  public DeadlinePassedException saying(String message) {
    var said = new DeadlinePassedException(message, attempts, times);
    said.initCause(this);
    return said;
  }

  @Override
  public int attempts() {
    return attempts;
  }

  @Override
  public Call.Times times() {
    return times;
  }
}
