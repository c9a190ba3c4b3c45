package dev.weir.providers.mock;

import dev.weir.model.StopReason;
import dev.weir.model.ToolCall;
import dev.weir.model.Usage;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * What a mock model replies once.
 *
 * @param stopReason found from the rest if absent
 * @param usage estimated if absent
 * @param error instead of all that
 * @param latency that of the model if absent
 */
record ScriptedReply(
    String text,
    List<ToolCall> toolCalls,
    Optional<StopReason> stopReason,
    Optional<Usage> usage,
    Optional<ScriptedError> error,
    Optional<Duration> latency) {

  static ScriptedReply text(String text) {
    return new ScriptedReply(
        text, List.of(), Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());
  }

  static ScriptedReply error(ScriptedError error) {
    return new ScriptedReply(
        "", List.of(), Optional.empty(), Optional.empty(), Optional.of(error), Optional.empty());
  }
}
