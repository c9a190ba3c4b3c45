package dev.weir.limits;

/** A request was taken back by whoever made it. */
public final class CallInterruptedException extends InterruptedException implements CutOff {

  private static final long serialVersionUID = 1L;

  private final int attempts;
  private final transient Call.Times times;

  CallInterruptedException(InterruptedException by, int attempts, Call.Times times) {
    super("the request was taken back");
    initCause(by);
    this.attempts = attempts;
    this.times = times;
  }

  /** That of the cause says where it was; thousands may be taken back at once. */
  @Override
  public Throwable fillInStackTrace() {
    return this;
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
