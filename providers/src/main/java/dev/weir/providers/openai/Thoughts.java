package dev.weir.providers.openai;

import dev.weir.model.Message;
import dev.weir.providers.http.Json;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a model thought before it answered, in the fields that servers add to chat completions:
 * {@code reasoning_content} of DeepSeek and SGLang, {@code reasoning} of OpenRouter, Groq and newer
 * vLLM, the signed {@code reasoning_details} of OpenRouter, and parts of type {@code thinking}
 * among Mistral's content.
 */
final class Thoughts {

  /** Of the native form of a message. */
  static final String WIRE = "openai-chat";

  private static final List<String> TEXTS = List.of("reasoning_content", "reasoning");
  private static final String DETAILS = "reasoning_details";

  private Thoughts() {}

  /** The words of a message, or of a piece of one. */
  static String text(Json message) {
    for (String name : TEXTS) {
      String text = message.textOrEmpty(name);
      if (!text.isEmpty()) {
        return text;
      }
    }
    return thinkingParts(message);
  }

  /** What has to come back beside tool calls; nothing if nothing was thought. */
  static Optional<Message.NativeForm> form(Map<String, Object> fields) {
    return fields.isEmpty()
        ? Optional.empty()
        : Optional.of(new Message.NativeForm(WIRE, Json.text(fields)));
  }

  /** The fields of a message that hold thoughts. */
  static Map<String, Object> kept(Json message) {
    Map<String, Object> fields = new LinkedHashMap<>();
    for (String name : TEXTS) {
      String text = message.textOrEmpty(name);
      if (!text.isEmpty()) {
        fields.put(name, text);
      }
    }
    Json details = message.at(DETAILS);
    if (details.isList()) {
      fields.put(DETAILS, details.embedded());
    }
    return fields;
  }

  /** The fields to send back. */
  static Map<String, Object> fields(Message.NativeForm form) {
    return form.wire().equals(WIRE) ? kept(Json.parseOrAbsent(form.json())) : Map.of();
  }

  private static String thinkingParts(Json message) {
    List<Json> parts = message.list("content");
    if (parts.isEmpty()) {
      return "";
    }
    var words = new StringBuilder();
    for (Json part : parts) {
      for (Json thought : part.list("thinking")) {
        words.append(thought.textOrEmpty("text"));
      }
    }
    return words.toString();
  }
}
