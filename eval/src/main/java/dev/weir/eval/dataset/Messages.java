package dev.weir.eval.dataset;

import dev.weir.model.Content;
import dev.weir.model.Message;
import dev.weir.model.Printable;
import dev.weir.model.Spelling;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads a conversation as chat interfaces have it: {@code [{role: user, content: Hello}]}. Content
 * is text or a list of parts: {@code {type: text, text: …}}, {@code {type: image, image: URL}}.
 */
final class Messages {

  private static final List<String> ROLES = List.of("system", "user", "assistant");
  private static final Pattern BEGINNING = Pattern.compile("^\\s*\\[\\s*\\{\\s*\"role\"");

  private Messages() {}

  /**
   * The messages that a value is; empty if it is anything else than a list of mappings, or a text
   * that is one in JSON.
   */
  static List<Message> read(String column, @Nullable Object value) throws RowException {
    Object given =
        value instanceof String text && BEGINNING.matcher(text).find()
            ? JsonText.parsed(text)
            : value;
    if (!(given instanceof List<?> list)
        || list.isEmpty()
        || !(list.getFirst() instanceof Map<?, ?>)) {
      return List.of();
    }
    List<Message> messages = new ArrayList<>();
    for (int i = 0; i < list.size(); i++) {
      String where = "`%s`, message %s".formatted(column, i + 1);
      if (!(list.get(i) instanceof Map<?, ?> map)) {
        throw new RowException(column, where + " must be a mapping {role, content}");
      }
      messages.add(message(column, where, map));
    }
    return messages;
  }

  /** What was asked last, in words. */
  static String question(List<Message> messages) {
    return messages.reversed().stream()
        .filter(Message.User.class::isInstance)
        .map(Message::text)
        .findFirst()
        .orElseGet(() -> messages.getLast().text());
  }

  private static Message message(String column, String where, Map<?, ?> map) throws RowException {
    for (Object key : map.keySet()) {
      if (!key.equals("role") && !key.equals("content")) {
        throw new RowException(
            column,
            "%s: unknown key '%s'%s"
                .formatted(
                    where,
                    Printable.line(String.valueOf(key)),
                    Spelling.hint(String.valueOf(key), List.of("role", "content"))));
      }
    }
    String role = String.valueOf(map.get("role"));
    Object content = map.get("content");
    if (content == null) {
      throw new RowException(column, where + " has no `content`");
    }
    return switch (role) {
      case "system" -> Message.instructions(text(column, where, content));
      case "user" -> new Message.User(parts(column, where, content));
      case "assistant" -> Message.assistant(text(column, where, content));
      default ->
          throw new RowException(
              column,
              "%s: there is no role '%s'%s"
                  .formatted(where, Printable.line(role), Spelling.hint(role, ROLES)));
    };
  }

  private static String text(String column, String where, Object content) throws RowException {
    StringBuilder text = new StringBuilder();
    for (Content part : parts(column, where, content)) {
      if (!(part instanceof Content.Text(String words))) {
        throw new RowException(column, where + ": only a user shows images");
      }
      text.append(text.isEmpty() ? "" : "\n").append(words);
    }
    return text.toString();
  }

  private static List<Content> parts(String column, String where, Object content)
      throws RowException {
    if (!(content instanceof List<?> list)) {
      if (content instanceof Map) {
        throw new RowException(column, where + ": `content` must be text or a list of parts");
      }
      return List.of(new Content.Text(content.toString()));
    }
    List<Content> parts = new ArrayList<>();
    for (Object item : list) {
      parts.add(part(column, where, item));
    }
    return parts;
  }

  private static Content part(String column, String where, @Nullable Object item)
      throws RowException {
    if (item instanceof String text) {
      return new Content.Text(text);
    }
    if (item instanceof Map<?, ?> part) {
      if (part.get("text") instanceof String text && "text".equals(part.get("type"))) {
        return new Content.Text(text);
      }
      if (part.get("image") instanceof String url && "image".equals(part.get("type"))) {
        try {
          return new Content.Image(url);
        } catch (IllegalArgumentException malformed) {
          throw new RowException(column, where + ": " + malformed.getMessage());
        }
      }
    }
    throw new RowException(
        column,
        where + ": a part of `content` must be {type: text, text: …} or {type: image, image: URL}");
  }
}
