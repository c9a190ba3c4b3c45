package dev.weir.providers.openai;

import dev.weir.providers.http.Json;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Collectors;

/**
 * What a server says went wrong. Each has its own idea of where to put that.
 *
 * @param type its kind; empty if there is none
 * @param code its kind again, in other words or as a number; empty if there is none
 * @param message for people; the whole body if nothing else is found
 * @param json the object that holds it
 */
record ApiError(String type, String code, String message, Json json) {

  /** Reads the body of an error. */
  static ApiError of(Json body, String text) {
    Json whole = body.isList() ? body.list().stream().findFirst().orElse(Json.ABSENT) : body;
    Json error = whole.at("error");
    if (error.isObject()) {
      return new ApiError(
          word(error, "type"), word(error, "code"), message(error).orElse(text), error);
    }
    // Text Generation Inference and Ollama's own API: {"error": "…", "error_type": "overloaded"};
    // xAI: {"code": "…", "error": "…"}.
    if (error.text().isPresent()) {
      return new ApiError(
          word(whole, "error_type"), word(whole, "code"), error.text().get(), whole);
    }
    String type = word(whole, "type");
    String code = word(whole, "code").isEmpty() ? word(whole, "statusCode") : word(whole, "code");
    // An error event of the Responses API says that it is one where others say of what kind.
    return new ApiError(type.equals("error") ? "" : type, code, message(whole).orElse(text), whole);
  }

  /** Whether an answer is an error after all. */
  static boolean isIn(Json body) {
    Json error = body.at("error");
    return error.isPresent() && (error.isObject() || error.text().isPresent());
  }

  boolean is(List<String> words) {
    return words.contains(type) || words.contains(code);
  }

  boolean says(String words) {
    return message.toLowerCase(Locale.ROOT).contains(words);
  }

  /**
   * The status that an error would have come with, had it not been found inside an answer. One that
   * says nothing about itself is taken for a fault of the server.
   */
  int status() {
    OptionalInt told = statusTold();
    if (told.isPresent()) {
      return told.getAsInt();
    }
    String words = type + " " + code;
    if (words.contains("rate_limit")
        || words.contains("insufficient_quota")
        || words.contains("resource_exhausted")) {
      return 429;
    }
    if (words.contains("overloaded") || words.contains("unavailable")) {
      return 503;
    }
    if (words.contains("authentication") || words.contains("invalid_api_key")) {
      return 401;
    }
    boolean isOurFault =
        words.contains("invalid")
            || words.contains("not_found")
            || words.contains("context_length")
            || words.contains("content_")
            || words.contains("image_")
            || words.contains("_image");
    return isOurFault ? 400 : 500;
  }

  private OptionalInt statusTold() {
    for (String word : List.of(code, json.scalar("status").orElse(""), type)) {
      if (word.length() == 3 && word.matches("[45]\\d\\d")) {
        return OptionalInt.of(Integer.parseInt(word));
      }
    }
    return OptionalInt.empty();
  }

  private static String word(Json json, String name) {
    return json.scalar(name).orElse("").toLowerCase(Locale.ROOT);
  }

  private static Optional<String> message(Json error) {
    // OpenRouter passes on what the provider behind it said.
    Optional<String> upstream = error.text("metadata", "raw").filter(raw -> !raw.isBlank());
    return error
        .text("message")
        .or(() -> complaints(error.list("message", "detail")))
        .or(() -> error.text("detail"))
        .or(() -> complaints(error.list("detail")))
        .filter(message -> !message.isBlank())
        .map(message -> upstream.map(raw -> message + ": " + raw).orElse(message));
  }

  /** Only where and why: what was found there instead may be part of a prompt. */
  private static Optional<String> complaints(List<Json> details) {
    String joined =
        details.stream()
            .filter(detail -> detail.text("msg").isPresent())
            .map(
                detail ->
                    detail.list("loc").stream()
                            .map(place -> place.scalar().orElse(""))
                            .collect(Collectors.joining("."))
                        + ": "
                        + detail.text("msg").orElse(""))
            .collect(Collectors.joining("; "));
    return joined.isEmpty() ? Optional.empty() : Optional.of(joined);
  }
}
