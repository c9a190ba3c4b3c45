package dev.weir.providers.openai;

/**
 * In what servers that speak the same language differ.
 *
 * @param maxTokens the field for the most tokens of an answer
 * @param seed the field for the seed
 * @param asksForUsage whether a stream tells its usage only if asked; a server that tells it anyway
 *     may refuse to be asked
 * @param reasoningObject whether effort is told as {@code reasoning.effort}, not as {@code
 *     reasoning_effort}
 * @param wantsThoughts whether the thoughts that led to a tool call are to be sent back beside it;
 *     a server that does not want them may refuse them
 * @param refusals what the server means by its errors
 */
record Traits(
    String maxTokens,
    String seed,
    boolean asksForUsage,
    boolean reasoningObject,
    boolean wantsThoughts,
    Refusals refusals) {

  /** OpenAI's own. Its reasoning models refuse the older {@code max_tokens}. */
  static final Traits OPENAI =
      new Traits("max_completion_tokens", "seed", true, false, false, Refusals.COMMON);

  /** A server about which nothing is known. */
  static final Traits COMPATIBLE =
      new Traits("max_tokens", "seed", true, false, false, Refusals.SELF_HOSTED);

  Traits with(Refusals others) {
    return new Traits(maxTokens, seed, asksForUsage, reasoningObject, wantsThoughts, others);
  }

  Traits withMaxTokens(String field) {
    return new Traits(field, seed, asksForUsage, reasoningObject, wantsThoughts, refusals);
  }

  Traits withSeed(String field) {
    return new Traits(maxTokens, field, asksForUsage, reasoningObject, wantsThoughts, refusals);
  }

  Traits withUsageUnasked() {
    return new Traits(maxTokens, seed, false, reasoningObject, wantsThoughts, refusals);
  }

  Traits withReasoningObject() {
    return new Traits(maxTokens, seed, asksForUsage, true, wantsThoughts, refusals);
  }

  Traits withThoughts() {
    return new Traits(maxTokens, seed, asksForUsage, reasoningObject, true, refusals);
  }
}
