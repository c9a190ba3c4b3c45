package dev.weir.eval.tool;

/**
 * A tool cannot do what the model asked for. The model is told the message, and may try something
 * else; every other exception of a tool fails the sample.
 */
public final class ToolException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  public ToolException(String message) {
    super(message);
  }

  public ToolException(String message, Throwable cause) {
    super(message, cause);
  }
}
