package dev.weir.providers.http;

/** What a server sent is not what its API promises; says what is wrong with it. */
public final class UnreadableException extends Exception {

  private static final long serialVersionUID = 1L;

  public UnreadableException(String message) {
    super(message);
  }
}
