package dev.weir.web;

/** A request cannot be answered as it is; the client is told why. */
public final class WebException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final int status;
  private final String type;

  /**
   * @param type what kind of error it is, for programs: {@code not_found_error}
   * @param message what is wrong and what to do, for people; never a credential or a body
   */
  public WebException(int status, String type, String message) {
    super(message);
    this.status = status;
    this.type = type;
  }

  public int status() {
    return status;
  }

  /** The error as an answer. */
  Answer answer() {
    return Answer.error(status, type, String.valueOf(getMessage()));
  }
}
