package dev.weir.eval.sandbox;

/**
 * A sandbox failed: it cannot be opened, its setup went wrong, or the machinery behind it broke. A
 * command that fails is none of these; it has an exit code.
 */
public final class SandboxException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  public SandboxException(String message) {
    super(message);
  }

  public SandboxException(String message, Throwable cause) {
    super(message, cause);
  }
}
