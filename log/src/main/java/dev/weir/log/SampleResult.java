package dev.weir.log;

import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * One sample that has ended, in whatever way.
 *
 * @param epoch which repetition it was, from 1
 * @param contentHash of what the dataset says of it: another one is another question
 * @param started when it began
 * @param targets what a right answer is measured by
 * @param choices the answers to choose from
 * @param metadata what the dataset says of it
 * @param messages the conversation
 * @param otherMessages those that models were shown or said, but that are not part of it
 * @param calls of models, in the order in which they began
 * @param toolRuns in the order in which they began
 * @param states what solvers made of its state
 * @param output what was scored, if there was anything
 * @param stopReason why the last answer ended, if there was one
 * @param store what solvers and scorers left for each other
 * @param scores by scorer; empty if it was not scored
 * @param error why it failed, if it did
 * @param traceback the stack trace of that failure, if there is one
 * @param cancelled whether it was ended by somebody before it had finished
 * @param errorRetries what it failed with before, when it was run again
 * @param limit which limit ended it early, if one did
 * @param retries attempts beyond the first of each request
 * @param requestIds the provider's ids of its exchanges, to complain with
 * @param cachedAnswers how many of its answers came from a cache
 * @param notes what solvers and scorers had to tell
 * @param times where its time went
 */
public record SampleResult(
    String id,
    int epoch,
    String contentHash,
    Instant started,
    String input,
    List<String> targets,
    List<String> choices,
    Map<String, Object> metadata,
    List<LogMessage> messages,
    List<LogMessage> otherMessages,
    List<ModelCall> calls,
    List<ToolRun> toolRuns,
    StateHistory states,
    Optional<String> output,
    Optional<String> stopReason,
    Map<String, Object> store,
    Map<String, ScoreResult> scores,
    Optional<String> error,
    Optional<String> traceback,
    boolean cancelled,
    List<SampleFailure> errorRetries,
    Optional<LimitHit> limit,
    long retries,
    List<String> requestIds,
    Tokens tokens,
    Cost cost,
    long cachedAnswers,
    List<Note> notes,
    Times times) {

  /** What is no reason for a record to be too large. */
  private static final int SHORT = 10_000;

  public SampleResult {
    targets = List.copyOf(targets);
    choices = List.copyOf(choices);
    metadata = Collections.unmodifiableMap(new LinkedHashMap<>(metadata));
    messages = List.copyOf(messages);
    otherMessages = List.copyOf(otherMessages);
    calls = List.copyOf(calls);
    toolRuns = List.copyOf(toolRuns);
    store = Collections.unmodifiableMap(new LinkedHashMap<>(store));
    scores = Collections.unmodifiableMap(new LinkedHashMap<>(scores));
    errorRetries = List.copyOf(errorRetries);
    requestIds = List.copyOf(requestIds);
    notes = List.copyOf(notes);
  }

  /** The score of the first scorer, if it was scored. */
  public Optional<Double> score() {
    return scores.values().stream().findFirst().map(ScoreResult::value);
  }

  /** The same, known to ask this. */
  public SampleResult withContentHash(String hash) {
    return new SampleResult(
        id,
        epoch,
        hash,
        started,
        input,
        targets,
        choices,
        metadata,
        messages,
        otherMessages,
        calls,
        toolRuns,
        states,
        output,
        stopReason,
        store,
        scores,
        error,
        traceback,
        cancelled,
        errorRetries,
        limit,
        retries,
        requestIds,
        tokens,
        cost,
        cachedAnswers,
        notes,
        times);
  }

  /** As it was before it was run: nothing is known of it but what it failed with before. */
  SampleResult notRun(List<SampleFailure> errors) {
    return new SampleResult(
        id,
        epoch,
        contentHash,
        started,
        input,
        targets,
        choices,
        metadata,
        List.of(),
        List.of(),
        List.of(),
        List.of(),
        StateHistory.NONE,
        Optional.empty(),
        Optional.empty(),
        Map.of(),
        Map.of(),
        Optional.empty(),
        Optional.empty(),
        true,
        errors,
        Optional.empty(),
        0,
        List.of(),
        Tokens.NONE,
        Cost.NONE,
        0,
        List.of(),
        Times.NONE);
  }

  /** The same but for what was said, in whose place stands a note. */
  SampleResult withoutConversation(String why) {
    return new SampleResult(
        id,
        epoch,
        contentHash,
        started,
        why,
        targets.size() == 1 && targets.getFirst().length() < SHORT ? targets : List.of(),
        List.of(),
        Map.of(),
        List.of(),
        List.of(),
        List.of(),
        List.of(),
        StateHistory.NONE,
        output.map(text -> text.length() < SHORT ? text : why),
        stopReason,
        Map.of(),
        scoresWithout(),
        error.map(message -> message.length() < SHORT ? message : why),
        traceback.filter(text -> text.length() < SHORT),
        cancelled,
        List.of(),
        limit,
        retries,
        requestIds,
        tokens,
        cost,
        cachedAnswers,
        List.of(new Note(started, 0, "log", why)),
        times);
  }

  private Map<String, ScoreResult> scoresWithout() {
    Map<String, ScoreResult> values = new LinkedHashMap<>();
    scores.forEach(
        (scorer, score) ->
            values.put(
                scorer,
                new ScoreResult(score.value(), Optional.empty(), Optional.empty(), Map.of())));
    return values;
  }

  /** Whether it need not be run again: it was not cancelled, and did not fail. */
  public boolean hasFinished() {
    return error.isEmpty() && !cancelled;
  }

  /** The message that calls count so: those of the conversation first. */
  public LogMessage message(int index) {
    return index < messages.size()
        ? messages.get(index)
        : otherMessages.get(index - messages.size());
  }

  /** What a scorer made of it. */
  public record ScoreResult(
      double value,
      Optional<String> answer,
      Optional<String> explanation,
      Map<String, Object> metadata) {

    public ScoreResult {
      metadata = Collections.unmodifiableMap(new LinkedHashMap<>(metadata));
    }
  }

  /**
   * A limit of the sample that was exceeded.
   *
   * @param type {@code time}, {@code working}, {@code message}, {@code token}, {@code turn}, {@code
   *     cost} or {@code custom}
   * @param value what was used
   * @param limit what may be
   */
  public record LimitHit(String type, double value, double limit, String message) {}

  /**
   * One message of the conversation.
   *
   * @param role {@code system}, {@code user}, {@code assistant} or {@code tool}
   * @param toolCalls what the model wanted to be run
   * @param toolCallId which call a tool's message answers
   * @param failed whether a tool's message says what went wrong
   */
  public record LogMessage(
      String role,
      String content,
      List<LogToolCall> toolCalls,
      Optional<String> toolCallId,
      Optional<String> tool,
      boolean failed,
      boolean timedOut) {

    public LogMessage {
      toolCalls = List.copyOf(toolCalls);
    }

    /** One that is not of a tool that took too long. */
    public LogMessage(
        String role,
        String content,
        List<LogToolCall> toolCalls,
        Optional<String> toolCallId,
        Optional<String> tool,
        boolean failed) {
      this(role, content, toolCalls, toolCallId, tool, failed, false);
    }
  }

  /**
   * @param arguments JSON as the model wrote it
   */
  public record LogToolCall(String id, String name, String arguments) {}

  /**
   * Something that a solver or a scorer had to tell.
   *
   * @param working how many seconds the sample had worked by then; waiting is not work
   */
  public record Note(Instant at, double working, String source, Object data) {}
}
