package dev.weir.log;

import dev.weir.log.SampleResult.LogMessage;
import dev.weir.log.SampleResult.LogToolCall;
import dev.weir.log.SampleResult.ScoreResult;
import dev.weir.log.json.JsonText;
import java.util.List;
import java.util.Set;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.node.ObjectNode;

/**
 * What samples of Inspect's logs are made of, as Weir writes it. Numbers of Weir's own that are 0
 * are left out: there are many, and each sample would carry them.
 */
final class InspectParts {

  /** The type of the error of a tool that took too long. */
  static final String TIMEOUT = "timeout";

  /** Begins what a model wrote that is not what a tool can be called with. */
  static final String NOT_AN_OBJECT = "not a JSON object: ";

  private static final Set<String> STOP_REASONS =
      Set.of("stop", "max_tokens", "model_length", "tool_calls", "content_filter");

  private final JsonText out;

  InspectParts(JsonText out) {
    this.out = out;
  }

  static String stopReason(String reason) {
    return STOP_REASONS.contains(reason) ? reason : "unknown";
  }

  /** One text, or all of them. */
  void target(String name, List<String> targets) {
    if (targets.size() > 1) {
      out.texts(name, targets);
    } else {
      out.text(name, targets.isEmpty() ? "" : targets.getFirst());
    }
  }

  /** Nothing if there are none. */
  void choices(List<String> choices) {
    if (!choices.isEmpty()) {
      out.texts(",\"choices\":", choices);
    }
  }

  void message(LogMessage message) {
    out.text("{\"role\":", message.role()).text(",\"content\":", message.content());
    switch (message.role()) {
      case "assistant" -> {
        out.add(",\"source\":\"generate\"");
        if (!message.toolCalls().isEmpty()) {
          out.list(",\"tool_calls\":", message.toolCalls(), this::toolCall);
        }
      }
      case "tool" -> {
        out.text(",\"tool_call_id\":", message.toolCallId());
        out.text(",\"function\":", message.tool());
        if (message.failed()) {
          toolError(message.content(), message.timedOut());
        }
      }
      case "user" -> out.add(",\"source\":\"input\"");
      default -> {
        // Nothing more is known of it.
      }
    }
    out.add("}");
  }

  /** What a model said, as a choice of its output. */
  void choice(String content, String stopReason) {
    out.text("{\"message\":{\"role\":\"assistant\",\"content\":", content);
    out.text(",\"source\":\"generate\"},\"stop_reason\":", stopReason(stopReason)).add("}");
  }

  private void toolCall(LogToolCall call) {
    out.text("{\"id\":", call.id());
    out.text(",\"function\":", call.name());
    String arguments = arguments(call.arguments());
    out.add(",\"type\":\"function\",\"arguments\":").add(arguments);
    if (arguments.equals("{}") && !call.arguments().isBlank() && !call.arguments().equals("{}")) {
      out.text(",\"parse_error\":", NOT_AN_OBJECT + call.arguments());
    }
    out.add("}");
  }

  /** What the model wrote, if it is an object. */
  static String arguments(String text) {
    try {
      return !text.isBlank() && LogJson.LINES.readTree(text) instanceof ObjectNode arguments
          ? arguments.toString()
          : "{}";
    } catch (JacksonException malformed) {
      return "{}";
    }
  }

  /**
   * @param timedOut whether the tool took too long: Inspect has a type of its own for that
   */
  void toolError(String message, boolean timedOut) {
    out.text(",\"error\":{\"type\":", timedOut ? TIMEOUT : "unknown");
    out.text(",\"message\":", message).add("}");
  }

  void failure(SampleFailure failure) {
    error(failure.message(), failure.traceback().orElse(failure.message()));
  }

  /**
   * @param traceback the message, where no stack trace is known
   */
  void error(String message, String traceback) {
    out.text("{\"message\":", message);
    out.text(",\"traceback\":", traceback);
    out.text(",\"traceback_ansi\":", traceback).add("}");
  }

  void score(ScoreResult score) {
    out.number("{\"value\":", score.value());
    out.text(",\"answer\":", score.answer());
    out.text(",\"explanation\":", score.explanation());
    if (!score.metadata().isEmpty()) {
      out.any(",\"metadata\":", score.metadata());
    }
    out.add(",\"history\":[]}");
  }

  /** Inspect counts what came from a cache, or went there, apart from the other input. */
  void usage(Tokens tokens, Cost cost) {
    long input = tokens.input() - tokens.cacheRead() - tokens.cacheWrite();
    out.number("{\"input_tokens\":", Math.max(0, input));
    out.number(",\"output_tokens\":", tokens.output());
    out.number(",\"total_tokens\":", tokens.input() + tokens.output());
    counted(",\"input_tokens_cache_read\":", tokens.cacheRead());
    counted(",\"input_tokens_cache_write\":", tokens.cacheWrite());
    counted(",\"reasoning_tokens\":", tokens.reasoning());
    if (cost.usd().isPresent() && cost.pricedCalls() > 0) {
      out.number(",\"total_cost\":", cost.usd().get());
    }
    out.add("}");
  }

  private void counted(String name, long value) {
    if (value != 0) {
      out.number(name, value);
    }
  }

  // What Inspect has no field for.

  void own(Tokens tokens) {
    out.number("{\"input\":", tokens.input());
    counted(",\"output\":", tokens.output());
    counted(",\"cache_read\":", tokens.cacheRead());
    counted(",\"cache_write\":", tokens.cacheWrite());
    counted(",\"reasoning\":", tokens.reasoning());
    out.add("}");
  }

  void own(Cost cost) {
    out.number("{\"priced_calls\":", cost.pricedCalls());
    counted(",\"unknown_calls\":", cost.unknownCalls());
    cost.usd().ifPresent(usd -> out.number(",\"usd\":", usd));
    if (!cost.usd().filter(cost.knownUsd()::equals).isPresent()) {
      out.number(",\"known_usd\":", cost.knownUsd());
    }
    out.add("}");
  }

  void own(Times times) {
    out.seconds("{\"total\":", times.total());
    spent(",\"working\":", times.working());
    spent(",\"queued\":", times.queued());
    spent(",\"paced\":", times.paced());
    spent(",\"backed_off\":", times.backedOff());
    spent(",\"failed\":", times.failed());
    spent(",\"called\":", times.called());
    spent(",\"shared\":", times.shared());
    out.add("}");
  }

  private void spent(String name, double seconds) {
    if (seconds != 0) {
      out.seconds(name, seconds);
    }
  }
}
