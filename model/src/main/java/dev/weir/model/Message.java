package dev.weir.model;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** One message of a conversation. */
public sealed interface Message {

  /** What it says in words; images and tool calls say nothing. */
  String text();

  /** What the model is told before anybody speaks: the role {@code system}. */
  record Instructions(String text) implements Message {}

  /** What a user says. */
  record User(List<Content> content) implements Message {

    public User {
      content = List.copyOf(content);
    }

    @Override
    public String text() {
      if (content.size() == 1 && content.getFirst() instanceof Content.Text(String only)) {
        return only;
      }
      return content.stream()
          .filter(Content.Text.class::isInstance)
          .map(part -> ((Content.Text) part).text())
          .collect(Collectors.joining("\n"));
    }
  }

  /**
   * What a model says.
   *
   * @param reasoning what it thought before, as far as the provider shows that; empty if nothing
   * @param nativeForm the provider's own form of the message, where something would be lost without
   *     it
   */
  record Assistant(
      String text, String reasoning, List<ToolCall> toolCalls, Optional<NativeForm> nativeForm)
      implements Message {

    public Assistant {
      toolCalls = List.copyOf(toolCalls);
    }
  }

  /**
   * What a tool gave back.
   *
   * @param callId which call it answers
   * @param tool the name of the tool
   * @param failed whether {@code text} says what went wrong
   * @param timedOut whether it failed because it took too long; for logs
   */
  record ToolResult(String callId, String tool, String text, boolean failed, boolean timedOut)
      implements Message {

    /** One of a tool that did not take too long. */
    public ToolResult(String callId, String tool, String text, boolean failed) {
      this(callId, tool, text, failed, false);
    }
  }

  /**
   * A message as its provider wrote it, to be sent back to the same one untouched: signed thoughts,
   * for example, which a provider demands to see again beside the tool calls they led to.
   *
   * @param wire which adapter understands it
   * @param json its content
   */
  record NativeForm(String wire, String json) {}

  static Message.Instructions instructions(String text) {
    return new Instructions(text);
  }

  static Message.User user(String text) {
    return new User(List.of(new Content.Text(text)));
  }

  static Message.Assistant assistant(String text) {
    return new Assistant(text, "", List.of(), Optional.empty());
  }
}
