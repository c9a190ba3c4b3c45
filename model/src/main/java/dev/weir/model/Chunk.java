package dev.weir.model;

import java.util.ArrayList;
import java.util.List;

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

  /** An answer that came at once, as the pieces it would have come in. */
  static List<Chunk> piecesOf(Message.Assistant message) {
    List<Chunk> pieces = new ArrayList<>();
    if (!message.reasoning().isEmpty()) {
      pieces.add(new Reasoning(message.reasoning()));
    }
    if (!message.text().isEmpty()) {
      pieces.add(new Text(message.text()));
    }
    for (int i = 0; i < message.toolCalls().size(); i++) {
      ToolCall call = message.toolCalls().get(i);
      pieces.add(new ToolCallPart(i, call.id(), call.name(), call.arguments()));
    }
    return pieces;
  }
}
