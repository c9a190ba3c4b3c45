package dev.weir.model;

/** A model needs a credential, and nobody has given one; the message says which variable to set. */
public final class MissingCredentialException extends ConfigurationException {

  private static final long serialVersionUID = 1L;

  public MissingCredentialException(String message) {
    super(message);
  }
}
