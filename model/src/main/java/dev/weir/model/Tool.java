package dev.weir.model;

/**
 * A tool that a model may call.
 *
 * @param description what it does, for the model
 * @param parameters the JSON schema of its arguments, an object
 */
public record Tool(String name, String description, String parameters) {

  public Tool {
    if (name.isBlank()) {
      throw new IllegalArgumentException("`name` must not be blank");
    }
  }
}
