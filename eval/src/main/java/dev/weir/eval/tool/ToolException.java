package dev.weir.eval.tool;

import dev.weir.eval.sample.EvalTool;

/**
 * A tool cannot do what the model asked for. The model is told the message, and may try something
 * else; every other exception of a tool fails the sample.
 */
public final class ToolException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final boolean timedOut;

  public ToolException(String message) {
    super(message);
    this.timedOut = false;
  }

  public ToolException(String message, Throwable cause) {
    super(message, cause);
    this.timedOut = false;
  }

  private ToolException(String message, boolean timedOut) {
    super(message);
    this.timedOut = timedOut;
  }

  /** It took too long. */
  public static ToolException timeout(String message) {
    return new ToolException(message, true);
  }

  /** What the model is shown. */
  EvalTool.Result result() {
    String text = String.valueOf(getMessage());
    return timedOut ? EvalTool.Result.timeout(text) : EvalTool.Result.failure(text);
  }
}
