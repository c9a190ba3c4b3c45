package dev.weir.eval.run;

import dev.weir.eval.scorer.Score;
import dev.weir.log.Cost;
import dev.weir.log.SampleResult.LogMessage;
import dev.weir.log.SampleResult.LogToolCall;
import dev.weir.log.SampleResult.ScoreResult;
import dev.weir.log.Tokens;
import dev.weir.model.Message;
import dev.weir.model.Usage;
import dev.weir.model.price.Spend;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What the log knows, made of what the run knows. */
final class Records {

  private Records() {}

  static Tokens tokens(Usage usage) {
    return new Tokens(
        usage.inputTokens(),
        usage.outputTokens(),
        usage.cacheReadTokens(),
        usage.cacheWriteTokens(),
        usage.reasoningTokens());
  }

  static Cost cost(Spend spend) {
    return new Cost(spend.total(), spend.known(), spend.pricedCalls(), spend.unknownCalls());
  }

  /** What is there of it: nothing is not told. */
  static Map<String, Object> known(Map<String, ? extends @Nullable Object> metadata) {
    if (metadata.isEmpty()) {
      return Map.of();
    }
    Map<String, Object> known = new LinkedHashMap<>();
    metadata.forEach(
        (key, value) -> {
          if (value != null) {
            known.put(key, value);
          }
        });
    return known;
  }

  static Map<String, ScoreResult> scores(Map<String, Score> scores) {
    Map<String, ScoreResult> results = new LinkedHashMap<>();
    scores.forEach(
        (name, score) ->
            results.put(
                name,
                new ScoreResult(
                    score.value(), score.answer(), score.explanation(), score.metadata())));
    return results;
  }

  static List<LogMessage> messages(List<Message> messages) {
    List<LogMessage> logged = new ArrayList<>(messages.size());
    messages.forEach(message -> logged.add(message(message)));
    return logged;
  }

  static LogMessage message(Message message) {
    return switch (message) {
      case Message.Instructions(String text) -> plain("system", text);
      case Message.User user -> plain("user", user.text());
      case Message.Assistant assistant ->
          new LogMessage(
              "assistant",
              assistant.text(),
              assistant.toolCalls().stream()
                  .map(call -> new LogToolCall(call.id(), call.name(), call.arguments()))
                  .toList(),
              Optional.empty(),
              Optional.empty(),
              false);
      case Message.ToolResult result ->
          new LogMessage(
              "tool",
              result.text(),
              List.of(),
              Optional.of(result.callId()),
              Optional.of(result.tool()),
              result.failed(),
              result.timedOut());
    };
  }

  private static LogMessage plain(String role, String text) {
    return new LogMessage(role, text, List.of(), Optional.empty(), Optional.empty(), false);
  }
}
