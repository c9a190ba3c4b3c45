package dev.weir.eval.sandbox;

import dev.weir.model.Printable;

/** A file in a sandbox cannot be read or written. An agent may be told, and try another. */
public final class SandboxFileException extends Exception {

  private static final long serialVersionUID = 1L;

  /** What is the matter. */
  public enum Reason {
    NOT_FOUND("there is no such file"),
    IS_DIRECTORY("it is a directory"),
    TOO_LARGE("it is too large"),
    PERMISSION("permission denied"),
    /** The path leads out of the sandbox. */
    OUTSIDE("the path leads out of the sandbox"),
    /** Anything else: no space left, a name that is too long. */
    FAILED("it failed");

    private final String words;

    Reason(String words) {
      this.words = words;
    }
  }

  private final Reason reason;
  private final String path;

  /**
   * @param attempt what was tried, for people: {@code "cannot read"}
   */
  public SandboxFileException(Reason reason, String attempt, String path) {
    this(reason, attempt, path, "");
  }

  /**
   * @param detail more than the reason says, or nothing
   */
  public SandboxFileException(Reason reason, String attempt, String path, String detail) {
    super(
        "%s '%s' in the sandbox: %s%s"
            .formatted(
                attempt,
                Printable.line(path),
                reason.words,
                detail.isEmpty() ? "" : " (" + Printable.line(detail) + ")"));
    this.reason = reason;
    this.path = path;
  }

  public Reason reason() {
    return reason;
  }

  /** As it was given. */
  public String path() {
    return path;
  }
}
