package dev.weir.limits;

/**
 * The provider has refused for good: a wrong credential, an account without credit, a model that
 * does not exist. Nothing of that scope is attempted until {@link Regulator#resume}.
 */
public final class StoppedException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final String scope;
  private final String reason;

  StoppedException(String scope, String reason) {
    super("%s is stopped: %s".formatted(scope, reason));
    this.scope = scope;
    this.reason = reason;
  }

  /** What is stopped: an account or a model. */
  public String scope() {
    return scope;
  }

  /** What the provider said. */
  public String reason() {
    return reason;
  }
}
