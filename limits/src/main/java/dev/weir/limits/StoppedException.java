package dev.weir.limits;

/**
 * The provider has refused for good: a wrong credential, an account without credit, a model that
 * does not exist. Nothing of that scope is attempted until {@link Regulator#resume}.
 */
public final class StoppedException extends RuntimeException implements CutOff {

  private static final long serialVersionUID = 1L;

  private final String scope;
  private final String reason;
  private final int attempts;
  private final transient Call.Times times;

  StoppedException(String scope, String reason) {
    this(scope, reason, 0, Call.Times.NONE);
  }

  StoppedException(String scope, String reason, int attempts, Call.Times times) {
    super("%s is stopped: %s".formatted(scope, reason));
    this.scope = scope;
    this.reason = reason;
    this.attempts = attempts;
    this.times = times;
  }

  /** What is stopped: an account or a model. */
  public String scope() {
    return scope;
  }

  /** What the provider said. */
  public String reason() {
    return reason;
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
