package dev.weir.simulator.server;

import dev.weir.model.Printable;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * What was said so far, as an API's request tells it, in order.
 *
 * <p>The last turn is all that came after the model spoke last, or else everything. Not
 * thread-safe.
 */
final class Conversation {

  private static final int CHARACTERS_PER_TOKEN = 4;
  private static final int TOKENS_PER_IMAGE = 256;

  private final StringBuilder prompt = new StringBuilder();
  private final StringBuilder turn = new StringBuilder();
  private final List<String> results = new ArrayList<>();
  private final Set<String> open = new LinkedHashSet<>();
  private int otherTokens;

  /** An estimate, as good as any without the model's own tokenizer. */
  static int tokens(String text) {
    return Math.ceilDiv(text.length(), CHARACTERS_PER_TOKEN);
  }

  /** How much of a text so many tokens are. */
  static String first(int tokens, String text) {
    if (tokens(text) <= tokens) {
      return text;
    }
    int end = tokens * CHARACTERS_PER_TOKEN;
    // Not in the middle of a character that takes two.
    return text.substring(
        0, end > 0 && Character.isHighSurrogate(text.charAt(end - 1)) ? end - 1 : end);
  }

  /** Somebody other than the model speaks. */
  void add(String text) {
    append(prompt, text);
    append(turn, text);
  }

  void add(List<String> texts) {
    texts.forEach(this::add);
  }

  /** The model calls a tool, which must be answered under the same id. */
  void addCall(String id, String name, String arguments) {
    addUnsaid(name + arguments);
    open.add(id);
  }

  /** What a tool gave back. */
  void addResult(String id, String text) {
    if (!open.remove(id)) {
      throw new BadCallException(
          "There is a result for the tool call '%s', but no such call before it."
              .formatted(Printable.line(id)));
    }
    add(text);
    results.add(text);
  }

  /** Providers refuse a conversation that goes on without the results. */
  void requireAllAnswered() {
    if (!open.isEmpty()) {
      throw new BadCallException(
          "There is no result for the tool call '%s'."
              .formatted(Printable.line(open.iterator().next())));
    }
  }

  void addImage() {
    otherTokens += TOKENS_PER_IMAGE;
  }

  /** What the model reads and nobody has said: tools, and its own calls of them. */
  void addUnsaid(String text) {
    otherTokens += tokens(text);
  }

  /** The model speaks. */
  void addReply(List<String> texts) {
    texts.forEach(text -> append(prompt, text));
    turn.setLength(0);
    results.clear();
  }

  /** All texts. */
  String prompt() {
    return prompt.toString();
  }

  /** The texts of the last turn. */
  String turn() {
    return turn.toString();
  }

  /** The results of tools in the last turn. */
  List<String> results() {
    return List.copyOf(results);
  }

  int tokens() {
    return Math.ceilDiv(prompt.length(), CHARACTERS_PER_TOKEN) + otherTokens;
  }

  private static void append(StringBuilder texts, String text) {
    if (!texts.isEmpty()) {
      texts.append('\n');
    }
    texts.append(text);
  }
}
