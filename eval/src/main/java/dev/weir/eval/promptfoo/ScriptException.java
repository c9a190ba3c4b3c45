package dev.weir.eval.promptfoo;

/** A script cannot be read, failed, or took too much. */
public final class ScriptException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final boolean overBounds;

  private ScriptException(String message, boolean overBounds) {
    super(message);
    this.overBounds = overBounds;
  }

  /** It is wrong, or says itself that something is. */
  public static ScriptException failed(String message) {
    return new ScriptException(message, false);
  }

  /** It was ended because it took more than it may, or would wait without end. */
  public static ScriptException overBounds(String message) {
    return new ScriptException(message, true);
  }

  /** Whether it was ended from outside, and so says nothing of what it judged. */
  public boolean isOverBounds() {
    return overBounds;
  }
}
