package dev.weir.model;

/** Which tools a model may, or must, call. */
public sealed interface ToolChoice {

  /** As the model likes. */
  record Auto() implements ToolChoice {}

  /** None. */
  record None() implements ToolChoice {}

  /** At least one. */
  record Required() implements ToolChoice {}

  /** This one. */
  record Named(String tool) implements ToolChoice {}
}
