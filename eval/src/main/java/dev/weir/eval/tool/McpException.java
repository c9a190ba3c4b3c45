package dev.weir.eval.tool;

/** An MCP server failed: it cannot be started, has ended, or does not speak the protocol. */
final class McpException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  McpException(String message) {
    super(message);
  }

  McpException(String message, Throwable cause) {
    super(message, cause);
  }
}
