package dev.weir.limits;

/** A request was taken back by whoever made it, and what had become of it by then. */
public final class CallInterruptedException extends InterruptedException {

  private static final long serialVersionUID = 1;

  private final int attempts;
  private final transient Call.Times times;

  CallInterruptedException(InterruptedException by, int attempts, Call.Times times) {
    super("the request was taken back");
    initCause(by);
    this.attempts = attempts;
    this.times = times;
  }

  /** Those that were begun, perhaps none. */
  public int attempts() {
    return attempts;
  }

  public Call.Times times() {
    return times;
  }
}
