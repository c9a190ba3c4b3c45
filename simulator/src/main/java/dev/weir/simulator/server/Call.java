package dev.weir.simulator.server;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import tools.jackson.databind.JsonNode;

/**
 * What a client asks for, whichever API it speaks.
 *
 * @param maxTokens what the client allows for output, if it says so
 * @param streamUsage whether the stream is to end with the tokens used
 * @param schema of the JSON that the answer must be, if it must
 * @param stop texts before which an answer ends
 */
record Call(
    String model,
    Conversation conversation,
    OptionalInt maxTokens,
    boolean stream,
    boolean streamUsage,
    Offer offer,
    Optional<JsonNode> schema,
    List<String> stop,
    Reasoning reasoning) {

  /** Whether the model reasons before it answers. */
  enum Reasoning {
    NEVER,
    /** If the prompt says so. */
    ON_DEMAND,
    /** The request wants it. */
    WANTED,
    /** The request wants it, and wants to see it. */
    SHOWN;

    boolean isWanted() {
      return this == WANTED || this == SHOWN;
    }
  }

  Call {
    stop = List.copyOf(stop);
    conversation.requireAllAnswered();
  }

  int promptTokens() {
    return conversation.tokens();
  }

  /** What the client gets of what the model says. */
  Output output(Said said) {
    String thought = reasoning == Reasoning.NEVER ? "" : said.reasoning();
    int room = maxTokens.orElse(Integer.MAX_VALUE);
    String kept = Conversation.first(room, thought);
    int left = room - Conversation.tokens(kept);
    if (!said.calls().isEmpty()) {
      // Calls are never cut: half a call is of no use to anybody.
      int used =
          said.calls().stream()
              .mapToInt(use -> Conversation.tokens(use.name() + use.arguments()))
              .sum();
      int tokens = Conversation.tokens(kept) + Conversation.tokens(said.text()) + used;
      return new Output(
          said.text(), said.calls(), kept, Math.min(room, tokens), Ending.CALLS, "", said.cached());
    }
    Optional<String> stopped = stopIn(said.text());
    String until =
        stopped
            .map(word -> said.text().substring(0, said.text().indexOf(word)))
            .orElse(said.text());
    String text = Conversation.first(left, until);
    Ending ending =
        text.length() < until.length() || kept.length() < thought.length()
            ? Ending.LENGTH
            : stopped.isPresent() ? Ending.STOP_SEQUENCE : Ending.COMPLETE;
    return new Output(
        text,
        List.of(),
        kept,
        Conversation.tokens(kept) + Conversation.tokens(text),
        ending,
        ending == Ending.STOP_SEQUENCE ? stopped.orElse("") : "",
        said.cached());
  }

  /** The stop that comes first in a text. */
  private Optional<String> stopIn(String text) {
    return stop.stream()
        .filter(word -> !word.isEmpty() && text.contains(word))
        .min((a, b) -> Integer.compare(text.indexOf(a), text.indexOf(b)));
  }

  /** Why an answer ends. */
  enum Ending {
    COMPLETE,
    LENGTH,
    STOP_SEQUENCE,
    CALLS
  }

  /**
   * @param tokens of reasoning, text and calls together
   * @param stopSequence the one that ended the text; empty if none did
   */
  record Output(
      String text,
      List<ToolUse> calls,
      String reasoning,
      int tokens,
      Ending ending,
      String stopSequence,
      Cached cached) {

    int reasoningTokens() {
      return Conversation.tokens(reasoning);
    }
  }

  /** Tokens of the prompt that went through the provider's cache, beside those that did not. */
  record Cached(int read, int written) {

    static final Cached NONE = new Cached(0, 0);

    int all() {
      return read + written;
    }
  }
}
