package dev.weir.model;

/** One message of a conversation. */
public record Message(Role role, String text) {

  /** Who speaks. */
  public enum Role {
    SYSTEM,
    USER,
    ASSISTANT
  }

  public static Message user(String text) {
    return new Message(Role.USER, text);
  }

  public static Message assistant(String text) {
    return new Message(Role.ASSISTANT, text);
  }
}
