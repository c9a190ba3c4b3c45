package dev.weir.providers.openai;

import dev.weir.model.Usage;
import dev.weir.providers.http.Json;
import java.util.Optional;

/** What an answer of chat completions says it cost. */
final class ChatUsage {

  private ChatUsage() {}

  /**
   * @param body an answer, or a piece of one
   */
  static Optional<Usage> in(Json body) {
    // Groq tells it in a place of its own while it streams.
    Json told = body.at("usage");
    Json usage = told.isObject() ? told : body.at("x_groq", "usage");
    return usage.isObject() ? Optional.of(read(usage)) : Optional.empty();
  }

  private static Usage read(Json usage) {
    long input = usage.count("prompt_tokens");
    long written = usage.count("completion_tokens");
    long thought = usage.count("completion_tokens_details", "reasoning_tokens");
    // xAI does not count thoughts among what is written; its total shows that.
    boolean apart = thought > 0 && usage.count("total_tokens") >= input + written + thought;
    long cached =
        first(
            usage.count("prompt_tokens_details", "cached_tokens"),
            usage.count("prompt_cache_hit_tokens"),
            usage.count("cached_tokens"));
    return new Usage(
        input,
        apart ? written + thought : written,
        cached,
        usage.count("prompt_tokens_details", "cache_write_tokens"),
        thought);
  }

  private static long first(long... counts) {
    for (long count : counts) {
      if (count > 0) {
        return count;
      }
    }
    return 0;
  }
}
