package dev.weir.simulator.server;

import dev.weir.web.Answer;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** What OpenAI's APIs have in common. */
final class OpenAi {

  private OpenAi() {}

  /**
   * @param name finds the tool that an object as {@code tool_choice} names
   */
  static Offer offer(Fields fields, List<String> tools, Function<Fields, String> name) {
    if (!fields.has("tool_choice")) {
      return Offer.free(tools);
    }
    if (fields.object().get("tool_choice").isObject()) {
      return Offer.forced(tools, name.apply(fields.object("tool_choice")));
    }
    return switch (fields.text("tool_choice")) {
      case "none" -> Offer.NONE;
      case "auto" -> Offer.free(tools);
      case "required" -> Offer.forced(tools);
      default -> throw fields.wrong("tool_choice", "none, auto, required or an object");
    };
  }

  /**
   * @param within the key of the object that has the schema; empty if it is in the format itself
   */
  static Optional<JsonNode> schema(Fields format, String within) {
    if (!format.has("type")) {
      return Optional.empty();
    }
    return switch (format.text("type")) {
      case "text" -> Optional.empty();
      case "json_object" -> Optional.of(SchemaSample.ANY);
      case "json_schema" -> {
        Fields named = within.isEmpty() ? format : format.object(within);
        named.text("name");
        yield Optional.of(named.object("schema").object());
      }
      default -> throw format.wrong("type", "text, json_object or json_schema");
    };
  }

  static Answer error(Fault fault, int status, String type, String message) {
    // OpenAI has no 529; its overload is a 503 with a code of its own.
    return Answer.json(
        status == 529 ? 503 : status,
        Json.object(
            "error",
            Json.object(
                "message",
                message,
                "type",
                type.isEmpty() ? type(fault) : type,
                "param",
                null,
                "code",
                code(fault))));
  }

  private static String type(Fault fault) {
    return switch (fault) {
      case BAD_REQUEST, UNAUTHORIZED -> "invalid_request_error";
      case RATE_LIMITED -> "rate_limit_error";
      case ERROR, OUTAGE, OVERLOAD -> "server_error";
    };
  }

  private static @Nullable String code(Fault fault) {
    return switch (fault) {
      case BAD_REQUEST -> null;
      case UNAUTHORIZED -> "invalid_api_key";
      case RATE_LIMITED -> "rate_limit_exceeded";
      case ERROR -> "internal_error";
      case OUTAGE -> "service_unavailable";
      case OVERLOAD -> "server_is_overloaded";
    };
  }
}
