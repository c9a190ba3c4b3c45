package dev.weir.providers.google;

import dev.weir.model.Chunk;
import dev.weir.model.ExchangeListener;
import dev.weir.model.Message;
import dev.weir.model.Response;
import dev.weir.model.StopReason;
import dev.weir.model.ToolCall;
import dev.weir.model.Usage;
import dev.weir.providers.http.ErrorReply;
import dev.weir.providers.http.Json;
import dev.weir.providers.http.UnreadableException;
import dev.weir.providers.http.Wire;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * An answer, put together from one document or from several that each hold the next parts. Not
 * thread-safe.
 */
final class Parts {

  /** Marks a message in Google's own form. */
  private static final String WIRE = "google-generate-content";

  private final StringBuilder text = new StringBuilder();
  private final StringBuilder reasoning = new StringBuilder();
  private final List<ToolCall> calls = new ArrayList<>();
  private final List<Map<String, Object>> whole = new ArrayList<>();
  private boolean hasMore;
  private Optional<String> finishReason = Optional.empty();
  private Json usage = Json.ABSENT;
  private Optional<String> id = Optional.empty();

  /** The parts of a message in Google's own form; absent if it is in that of another. */
  static Json own(Message.Assistant message) {
    return message
        .nativeForm()
        .filter(form -> form.wire().equals(WIRE))
        .map(form -> Json.parseOrAbsent(form.json()).at("parts"))
        .orElse(Json.ABSENT);
  }

  /**
   * @param document the whole answer, or the next piece of it
   * @throws UnreadableException if it is neither
   */
  void add(Json document, ExchangeListener listener)
      throws UnreadableException, InterruptedException {
    Json blocked = document.at("promptFeedback", "blockReason");
    List<Json> candidates = document.list("candidates");
    boolean hasUsage = document.at("usageMetadata").isObject();
    if (candidates.isEmpty() && !blocked.isPresent() && !hasUsage) {
      throw new UnreadableException("it is no answer: `candidates` is missing");
    }
    id = document.text("responseId").or(() -> id);
    if (hasUsage) {
      usage = document.at("usageMetadata");
    }
    if (blocked.isPresent()) {
      // The question was filtered; that is an answer, too, and it is paid for.
      finishReason = Optional.of("SAFETY");
    }
    if (!candidates.isEmpty()) {
      Json candidate = candidates.getFirst();
      finishReason = candidate.text("finishReason").or(() -> finishReason);
      for (Json part : candidate.list("content", "parts")) {
        addPart(part, listener);
      }
    }
  }

  /** Whether the answer said why it ended. */
  boolean isEnded() {
    return finishReason.isPresent();
  }

  Response.Reply reply(ErrorReply reply) {
    Optional<Message.NativeForm> own =
        hasMore
            ? Optional.of(new Message.NativeForm(WIRE, Json.text(Map.of("parts", whole))))
            : Optional.empty();
    return new Response.Reply(
        new Message.Assistant(text.toString(), reasoning.toString(), calls, own),
        stop(),
        usage(),
        // No header tells it.
        id.map(reply.origin()::identified).orElse(reply.origin()));
  }

  private void addPart(Json part, ExchangeListener listener) throws InterruptedException {
    keep(part);
    Optional<String> words = part.text("text");
    if (words.isPresent()) {
      boolean isThought = part.flag("thought").orElse(false);
      (isThought ? reasoning : text).append(words.get());
      if (!words.get().isEmpty()) {
        Wire.tell(
            listener, isThought ? new Chunk.Reasoning(words.get()) : new Chunk.Text(words.get()));
      }
    }
    Json function = part.at("functionCall");
    if (function.isObject()) {
      int index = calls.size();
      var call =
          new ToolCall(
              function.text("id").orElse(CallIds.make(index)),
              function.text("name").orElse(""),
              function.at("args").isObject() ? function.at("args").toString() : "{}");
      calls.add(call);
      Wire.tell(listener, new Chunk.ToolCallPart(index, call.id(), call.name(), call.arguments()));
    }
  }

  /** Signatures belong to the part that they came with, so only bare texts are joined. */
  private void keep(Json part) {
    boolean bareText = part.names().equals(List.of("text"));
    if (bareText && !whole.isEmpty()) {
      Map<String, Object> last = whole.getLast();
      if (last.size() == 1 && last.get("text") instanceof String before) {
        last.put("text", before + part.text("text").orElse(""));
        return;
      }
    }
    Map<String, Object> kept = new LinkedHashMap<>();
    if (bareText) {
      kept.put("text", part.text("text").orElse(""));
    } else {
      part.names().forEach(name -> kept.put(name, part.at(name).embedded()));
      hasMore |= !part.names().equals(List.of("functionCall"));
    }
    whole.add(kept);
  }

  private Usage usage() {
    long thoughts = usage.count("thoughtsTokenCount");
    return new Usage(
        usage.count("promptTokenCount") + usage.count("toolUsePromptTokenCount"),
        usage.count("candidatesTokenCount") + thoughts,
        usage.count("cachedContentTokenCount"),
        0,
        thoughts);
  }

  private StopReason stop() {
    return switch (finishReason.orElse("")) {
      case "STOP" -> calls.isEmpty() ? StopReason.STOP : StopReason.TOOL_CALLS;
      case "MAX_TOKENS" -> StopReason.MAX_TOKENS;
      case "SAFETY",
          "RECITATION",
          "BLOCKLIST",
          "PROHIBITED_CONTENT",
          "SPII",
          "MODEL_ARMOR",
          "IMAGE_SAFETY",
          "IMAGE_PROHIBITED_CONTENT",
          "IMAGE_RECITATION" ->
          StopReason.CONTENT_FILTER;
      // Among them MALFORMED_FUNCTION_CALL: a call that the API could not read.
      default -> StopReason.UNKNOWN;
    };
  }
}
