package dev.weir.model;

import dev.weir.time.Time;
import java.util.List;
import java.util.Optional;

/**
 * What a model is asked.
 *
 * @param messages the conversation so far, at least one message
 * @param tools what the model may call; empty if nothing
 * @param toolChoice without meaning if there are no tools
 * @param target what a right answer contains, where that is known. Only simulated models look at
 *     it, to be right as often as they were told to; it is never sent anywhere.
 * @param mistake what a simulated model says when it is wrong, where that must be understood, as
 *     the grade of a judge; it is never sent either
 * @param epoch which repetition of the same question this is, from 0: an answer to one is not an
 *     answer to another. Only the cache looks at it.
 * @param deadlineNanos when nobody wants the answer any more, on the clock of {@link Time#nanos()}
 */
public record Request(
    List<Message> messages,
    List<Tool> tools,
    ToolChoice toolChoice,
    GenerationSettings settings,
    Optional<String> target,
    Optional<String> mistake,
    int epoch,
    long deadlineNanos) {

  public Request {
    messages = List.copyOf(messages);
    tools = List.copyOf(tools);
    if (messages.isEmpty()) {
      throw new IllegalArgumentException("`messages` must not be empty");
    }
    if (epoch < 0) {
      throw new IllegalArgumentException("`epoch` must be >= 0, was " + epoch);
    }
  }

  /** A conversation, and everything else left open. */
  public static Request of(List<Message> messages) {
    return new Request(
        messages,
        List.of(),
        new ToolChoice.Auto(),
        GenerationSettings.NONE,
        Optional.empty(),
        Optional.empty(),
        0,
        Time.NEVER);
  }

  /** One question. */
  public static Request of(String question) {
    return of(List.of(Message.user(question)));
  }

  public Request with(GenerationSettings newSettings) {
    return new Request(
        messages, tools, toolChoice, newSettings, target, mistake, epoch, deadlineNanos);
  }

  public Request withTools(List<Tool> newTools, ToolChoice choice) {
    return new Request(messages, newTools, choice, settings, target, mistake, epoch, deadlineNanos);
  }

  public Request withTarget(String newTarget) {
    return new Request(
        messages,
        tools,
        toolChoice,
        settings,
        Optional.of(newTarget),
        Optional.empty(),
        epoch,
        deadlineNanos);
  }

  /** The same, for an answer that must be understood also when it is wrong. */
  public Request withTarget(String newTarget, String newMistake) {
    return new Request(
        messages,
        tools,
        toolChoice,
        settings,
        Optional.of(newTarget),
        Optional.of(newMistake),
        epoch,
        deadlineNanos);
  }

  public Request withEpoch(int newEpoch) {
    return new Request(
        messages, tools, toolChoice, settings, target, mistake, newEpoch, deadlineNanos);
  }

  public Request until(long newDeadlineNanos) {
    return new Request(
        messages, tools, toolChoice, settings, target, mistake, epoch, newDeadlineNanos);
  }
}
