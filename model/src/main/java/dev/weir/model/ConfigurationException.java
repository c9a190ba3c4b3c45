package dev.weir.model;

/**
 * What the user gave cannot be used. The message says what is wrong, where, and what to do, and is
 * shown as it is.
 */
public class ConfigurationException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  public ConfigurationException(String message) {
    super(message);
  }

  public ConfigurationException(String message, Throwable cause) {
    super(message, cause);
  }
}
