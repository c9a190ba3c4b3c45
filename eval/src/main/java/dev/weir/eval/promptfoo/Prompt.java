package dev.weir.eval.promptfoo;

import dev.weir.model.ConfigurationException;
import dev.weir.model.Content;
import dev.weir.model.Message;
import dev.weir.model.ToolCall;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A prompt of a configuration: a template of a text, or of a conversation in JSON or YAML.
 *
 * @param label what people call it
 * @param raw the template
 * @param conversation the same as a list of messages, if it is one
 */
record Prompt(
    String label, String raw, Optional<List<?>> conversation, List<String> aliases, Place place) {

  static Prompt of(String label, String raw, List<String> aliases, Place place) {
    return new Prompt(label, raw, conversation(raw, place), aliases, place);
  }

  /** Whether a filter of a provider or a test means it; a star at the end stands for anything. */
  boolean isMeantBy(String filter) {
    List<String> names = new ArrayList<>(aliases);
    names.add(label);
    names.add(raw);
    return names.stream()
        .anyMatch(
            name ->
                name.equals(filter)
                    || (filter.endsWith("*")
                        && name.startsWith(filter.substring(0, filter.length() - 1))));
  }

  /**
   * A prompt that is filled.
   *
   * @param text what was asked, as one text
   * @param messages what the model is sent
   */
  record Filled(String text, List<Message> messages) {}

  /**
   * @param prefix what stands before it, filled already, as it may come from data
   * @param suffix what stands after it, filled as well
   * @throws ConfigurationException if it cannot be filled, or is no conversation then
   */
  Filled fill(
      Templates templates, Map<String, @Nullable Object> variables, String prefix, String suffix) {
    if (conversation.isPresent() && prefix.isEmpty() && suffix.isEmpty()) {
      List<@Nullable Object> filled = new ArrayList<>();
      conversation.get().forEach(message -> filled.add(templates.renderAll(message, variables)));
      return new Filled(Json.write(filled), messages(filled));
    }
    String text = prefix + templates.render(raw, variables) + suffix;
    return conversation(text, place)
        .map(list -> new Filled(text, messages(list)))
        .orElseGet(() -> new Filled(text, List.of(Message.user(text))));
  }

  /** Messages in JSON, or in YAML; anything else is a text. */
  private static Optional<List<?>> conversation(String text, Place place) {
    String start = text.stripLeading();
    if (start.startsWith("[")) {
      return Json.parse(text).flatMap(parsed -> asConversation(parsed.data()));
    }
    if (start.startsWith("- role:")) {
      try {
        return asConversation(YamlReader.parse(place.file(), text).plain());
      } catch (ConfigurationException notYaml) {
        return Optional.empty();
      }
    }
    return Optional.empty();
  }

  private static Optional<List<?>> asConversation(@Nullable Object data) {
    return data instanceof List<?> list
            && !list.isEmpty()
            && list.stream().allMatch(m -> m instanceof Map<?, ?> map && map.containsKey("role"))
        ? Optional.of(list)
        : Optional.empty();
  }

  private static List<Message> messages(List<?> conversation) {
    List<Message> messages = new ArrayList<>();
    for (Object member : conversation) {
      if (member instanceof Map<?, ?> message) {
        messages.add(message(message));
      }
    }
    return messages;
  }

  private static Message message(Map<?, ?> message) {
    String role = String.valueOf(message.get("role"));
    List<Content> content = content(message.get("content"));
    String text = new Message.User(content).text();
    return switch (role) {
      case "system", "developer" -> Message.instructions(text);
      case "user" -> new Message.User(content);
      case "assistant", "model" ->
          new Message.Assistant(text, "", calls(message), Optional.empty());
      case "tool" ->
          new Message.ToolResult(
              String.valueOf(message.get("tool_call_id")),
              message.get("name") instanceof String name ? name : "",
              text,
              false);
      default ->
          throw new ConfigurationException("a message cannot have the role '%s'".formatted(role));
    };
  }

  private static List<ToolCall> calls(Map<?, ?> message) {
    List<ToolCall> calls = new ArrayList<>();
    if (message.get("tool_calls") instanceof List<?> list) {
      for (Object call : list) {
        if (call instanceof Map<?, ?> map && map.get("function") instanceof Map<?, ?> function) {
          calls.add(
              new ToolCall(
                  String.valueOf(map.get("id")),
                  String.valueOf(function.get("name")),
                  Json.text(function.get("arguments"))));
        }
      }
    }
    return calls;
  }

  private static List<Content> content(@Nullable Object content) {
    if (!(content instanceof List<?> parts)) {
      return List.of(new Content.Text(content == null ? "" : Json.text(content)));
    }
    List<Content> read = new ArrayList<>();
    for (Object part : parts) {
      read.add(part instanceof Map<?, ?> map ? part(map) : new Content.Text(Json.text(part)));
    }
    return read;
  }

  private static Content part(Map<?, ?> part) {
    String type = String.valueOf(part.get("type"));
    switch (type) {
      case "text", "input_text" -> {
        return new Content.Text(String.valueOf(part.get("text")));
      }
      case "image_url", "input_image" -> {
        Object url =
            part.get("image_url") instanceof Map<?, ?> map ? map.get("url") : part.get("image_url");
        return image(String.valueOf(url));
      }
      case "image" -> {
        if (part.get("source") instanceof Map<?, ?> source) {
          return source.get("data") == null
              ? image(String.valueOf(source.get("url")))
              : Content.Image.data(
                  String.valueOf(source.get("media_type")), String.valueOf(source.get("data")));
        }
      }
      default -> {}
    }
    throw new ConfigurationException(
        "a part of a message cannot be of the type '%s'; text and images can be sent"
            .formatted(type));
  }

  private static Content image(String url) {
    try {
      return new Content.Image(url);
    } catch (IllegalArgumentException malformed) {
      throw new ConfigurationException("an image: " + malformed.getMessage(), malformed);
    }
  }
}
