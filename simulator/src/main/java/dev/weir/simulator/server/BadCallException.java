package dev.weir.simulator.server;

/** A request that is not as the API demands; the message is told to the client. */
final class BadCallException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  BadCallException(String message) {
    super(message);
  }
}
