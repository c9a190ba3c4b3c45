package dev.weir.eval.solver;

import dev.weir.model.Message;
import dev.weir.model.Response;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * What to do when a conversation is longer than the model can read: leave out the oldest exchanges.
 *
 * <p>An exchange is an answer with all that follows up to the next one: what its tools gave back,
 * what the model was told. Only whole ones go, so that no result is left without its call.
 */
final class ContextOverflow {

  /** A third is worth the loss of what the provider has in its cache, and leaves the most. */
  private static final int SHARE = 3;

  // As the providers put it: OpenAI, vLLM, Mistral; Anthropic; Bedrock; Google; Groq.
  private static final Pattern TOO_LONG =
      Pattern.compile(
          "context[ _-]?(length|window|size|limit)"
              + "|(prompt|input|request|messages?) (is |are )?too (long|large)"
              + "|token count.{0,40}exceeds"
              + "|too many (input |prompt )?tokens"
              + "|reduce (the length|your message size)",
          Pattern.CASE_INSENSITIVE);

  private ContextOverflow() {}

  /** No provider has a kind of failure for it, only words. */
  static boolean isCause(Response.Failure failure) {
    return failure instanceof Response.InvalidRequest refused
        && TOO_LONG.matcher(refused.message()).find();
  }

  /**
   * The conversation without its oldest exchanges; the same if only one is left.
   *
   * @param kept how many messages at the beginning stay: instructions and the question
   */
  static List<Message> shortened(List<Message> messages, int kept) {
    List<Integer> exchanges = new ArrayList<>();
    for (int i = kept; i < messages.size(); i++) {
      if (messages.get(i) instanceof Message.Assistant) {
        exchanges.add(i);
      }
    }
    if (exchanges.size() < 2) {
      return messages;
    }
    List<Message> shorter = new ArrayList<>(messages.subList(0, exchanges.getFirst()));
    int from = exchanges.get(Math.ceilDiv(exchanges.size(), SHARE));
    shorter.addAll(messages.subList(from, messages.size()));
    return shorter;
  }
}
