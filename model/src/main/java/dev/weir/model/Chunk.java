package dev.weir.model;

/** A piece of an answer that is still being made. */
public sealed interface Chunk {

  record Text(String text) implements Chunk {}

  record Reasoning(String text) implements Chunk {}

  /**
   * A piece of a tool call.
   *
   * @param index which call of the message, from 0
   * @param name of the tool; empty after the first piece
   * @param arguments the next piece of the JSON text
   */
  record ToolCallPart(int index, String id, String name, String arguments) implements Chunk {}

  /** All pieces so far are void: the attempt they came from failed, and another begins. */
  record Restart() implements Chunk {}
}
