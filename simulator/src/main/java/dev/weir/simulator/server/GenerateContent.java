package dev.weir.simulator.server;

import dev.weir.simulator.provider.HeaderStyle;
import dev.weir.web.Answer;
import dev.weir.web.Request;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Gemini's {@code generateContent} and {@code streamGenerateContent}, as Google's developer API and
 * Vertex serve it.
 *
 * @param model the path names it, not the body
 * @param vertex whether an error about the credential is that of Vertex
 */
record GenerateContent(String model, boolean stream, boolean vertex) implements Dialect {

  static final String DEVELOPER = "/v1beta/models";
  static final String VERTEX = "/v1/projects";

  private static final Pattern PATH =
      Pattern.compile(
          "(?:/v1beta/models|/v1/projects/[^/]+/locations/[^/]+/publishers/google/models)"
              + "/([^/]+)(?::|%3[Aa])(generateContent|streamGenerateContent)");

  /** The API at a path; empty if there is none. */
  static Optional<GenerateContent> at(Request request) {
    Matcher parts = PATH.matcher(request.path());
    if (!parts.matches()) {
      return Optional.empty();
    }
    try {
      return Optional.of(
          new GenerateContent(
              URLDecoder.decode(parts.group(1), StandardCharsets.UTF_8),
              parts.group(2).startsWith("stream"),
              request.path().startsWith(VERTEX)));
    } catch (IllegalArgumentException notEncoded) {
      return Optional.empty();
    }
  }

  @Override
  public HeaderStyle style() {
    return HeaderStyle.GEMINI;
  }

  @Override
  public String idHeader() {
    return "";
  }

  @Override
  public Call read(JsonNode body) {
    return GenerateContentRequest.read(Fields.of(body), model, stream);
  }

  @Override
  public Map<String, Object> answer(Reply reply) {
    List<Map<String, Object>> parts = new ArrayList<>();
    Call.Output output = reply.output();
    if (isShown(reply)) {
      parts.add(thought(output.reasoning()));
    }
    if (!output.text().isEmpty()) {
      parts.add(Json.object("text", output.text()));
    }
    parts.addAll(calls(reply));
    return response(reply, parts, finishReason(output.ending()));
  }

  @Override
  public Events events(Reply reply) {
    List<Map<String, Object>> parts = new ArrayList<>();
    if (isShown(reply)) {
      Slices.words(reply.output().reasoning()).forEach(words -> parts.add(thought(words)));
    }
    for (String words : Slices.words(reply.output().text())) {
      parts.add(Json.object("text", words));
    }
    parts.addAll(calls(reply));
    // The last part comes together with the reason why nothing follows.
    List<Map<String, Object>> last =
        parts.isEmpty() ? List.of(Json.object("text", "")) : List.of(parts.removeLast());
    return new Events(
        parts.stream().map(part -> event(response(reply, List.of(part), null))).toList(),
        List.of(event(response(reply, last, finishReason(reply.output().ending())))));
  }

  @Override
  public List<Event> streamError(Reply reply, String type, int position) {
    String status = type.toUpperCase(Locale.ROOT);
    int code =
        switch (status) {
          case "RESOURCE_EXHAUSTED" -> 429;
          case "UNAVAILABLE" -> 503;
          default -> 500;
        };
    return List.of(event(error(code, status, "The prompt asked for this error.", List.of())));
  }

  @Override
  public Answer error(Fault fault, int status, String type, String message) {
    if (fault == Fault.UNAUTHORIZED && status == 401 && !vertex) {
      // A key that is not known is a bad argument to the developer API.
      return Answer.json(
          400,
          error(
              400,
              "INVALID_ARGUMENT",
              message,
              List.of(
                  Json.object(
                      "@type",
                      "type.googleapis.com/google.rpc.ErrorInfo",
                      "reason",
                      "API_KEY_INVALID",
                      "domain",
                      "googleapis.com"))));
    }
    int told = status == 529 ? 503 : status;
    return Answer.json(told, error(told, status(told), message, List.of()));
  }

  private static String status(int code) {
    return switch (code) {
      case 401 -> "UNAUTHENTICATED";
      case 403 -> "PERMISSION_DENIED";
      case 404 -> "NOT_FOUND";
      case 409 -> "ABORTED";
      case 429 -> "RESOURCE_EXHAUSTED";
      case 499 -> "CANCELLED";
      case 503 -> "UNAVAILABLE";
      case 504 -> "DEADLINE_EXCEEDED";
      default -> code < 500 ? "INVALID_ARGUMENT" : "INTERNAL";
    };
  }

  private static Map<String, Object> error(
      int code, String status, String message, List<?> details) {
    Map<String, Object> error = Json.object("code", code, "message", message, "status", status);
    if (!details.isEmpty()) {
      error.put("details", details);
    }
    return Json.object("error", error);
  }

  private static boolean isShown(Reply reply) {
    return reply.call().reasoning() == Call.Reasoning.SHOWN
        && !reply.output().reasoning().isEmpty();
  }

  private static Map<String, Object> thought(String text) {
    return Json.object("text", text, "thought", true);
  }

  private static List<Map<String, Object>> calls(Reply reply) {
    List<Map<String, Object>> parts = new ArrayList<>();
    for (int i = 0; i < reply.output().calls().size(); i++) {
      ToolUse use = reply.output().calls().get(i);
      Map<String, Object> call =
          Json.object("id", reply.part("", i), "name", use.name(), "args", use.input());
      Map<String, Object> part = Json.object("functionCall", call);
      if (i == 0 && !reply.output().reasoning().isEmpty()) {
        part.put("thoughtSignature", "c2ltdWxhdGVk");
      }
      parts.add(part);
    }
    return parts;
  }

  private static Map<String, Object> response(
      Reply reply, List<?> parts, @Nullable String finishReason) {
    Map<String, Object> candidate =
        Json.object("content", Json.object("parts", parts, "role", "model"));
    if (finishReason != null) {
      candidate.put("finishReason", finishReason);
    }
    candidate.put("index", 0);
    return Json.object(
        "candidates",
        List.of(candidate),
        "usageMetadata",
        usage(reply),
        "modelVersion",
        reply.call().model(),
        "responseId",
        reply.id());
  }

  private static Map<String, Object> usage(Reply reply) {
    int thoughts = reply.output().reasoningTokens();
    Map<String, Object> usage =
        Json.object(
            "promptTokenCount",
            reply.promptTokens(),
            "candidatesTokenCount",
            reply.output().tokens() - thoughts,
            "totalTokenCount",
            reply.promptTokens() + reply.output().tokens());
    // Counts of nothing are not told.
    if (reply.output().cached().read() > 0) {
      usage.put("cachedContentTokenCount", reply.output().cached().read());
    }
    if (thoughts > 0) {
      usage.put("thoughtsTokenCount", thoughts);
    }
    return usage;
  }

  private static String finishReason(Call.Ending ending) {
    return switch (ending) {
      case COMPLETE, STOP_SEQUENCE, CALLS -> "STOP";
      case LENGTH -> "MAX_TOKENS";
    };
  }

  private static Event event(Map<String, Object> document) {
    return new Event("", Json.text(document));
  }
}
