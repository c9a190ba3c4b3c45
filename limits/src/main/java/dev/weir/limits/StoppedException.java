package dev.weir.limits;

/**
 * Nothing of a scope is attempted until {@link Regulator#resume}: the provider has rejected it
 * permanently (a wrong credential, an account without credit, a model that does not exist), or has
 * not answered for longer than {@link OutageBounds} allow.
 */
public final class StoppedException extends RuntimeException implements CutOff {

  private static final long serialVersionUID = 1L;

  private final String scope;
  private final String reason;
  private final boolean isOutage;
  private final int attempts;
  private final transient Call.Times times;

  StoppedException(String scope, String reason, boolean isOutage) {
    this(scope, reason, isOutage, 0, Call.Times.NONE);
  }

  StoppedException(String scope, String reason, boolean isOutage, int attempts, Call.Times times) {
    super("%s is %s: %s".formatted(scope, isOutage ? "unreachable" : "stopped", reason));
    this.scope = scope;
    this.reason = reason;
    this.isOutage = isOutage;
    this.attempts = attempts;
    this.times = times;
  }

  /** What is stopped: an account or a model. */
  public String scope() {
    return scope;
  }

  /** What the provider said; after an outage, how long it did not answer. */
  public String reason() {
    return reason;
  }

  /** Whether the provider does not answer; otherwise it has rejected the request permanently. */
  public boolean isOutage() {
    return isOutage;
  }

  /** The same with another name of the scope and another reason, for people. */
  public StoppedException saying(String otherScope, String otherReason) {
    var said = new StoppedException(otherScope, otherReason, isOutage, attempts, times);
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
