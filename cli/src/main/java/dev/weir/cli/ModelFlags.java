package dev.weir.cli;

import dev.weir.eval.task.ModelOptions;
import java.util.Map;
import picocli.CommandLine.Option;

/** The options that say how models are reached and asked. */
final class ModelFlags extends GivenWords {

  @Option(
      names = "--model-base-url",
      paramLabel = "URL",
      description =
          "Where the model's server is, such as http://127.0.0.1:8080/v1. Default: the provider's"
              + " variable, such as OPENAI_BASE_URL, else its usual place.")
  void modelBaseUrl(String word) {
    give("model-base-url", word);
  }

  @Option(
      names = "--temperature",
      paramLabel = "N",
      description = "From 0 to 2. Default: the provider's.")
  void temperature(String word) {
    give("temperature", word);
  }

  @Option(
      names = "--top-p",
      paramLabel = "N",
      description = "From 0 to 1. Default: the provider's.")
  void topP(String word) {
    give("top-p", word);
  }

  @Option(
      names = "--max-tokens",
      paramLabel = "N",
      description = "The most tokens of an answer, thoughts included. Default: the provider's.")
  void maxTokens(String word) {
    give("max-tokens", word);
  }

  @Option(
      names = "--stop-seqs",
      paramLabel = "TEXT[,TEXT]",
      description = "Texts at which an answer ends.")
  void stopSeqs(String word) {
    give("stop-seqs", word);
  }

  @Option(
      names = "--reasoning-effort",
      paramLabel = "EFFORT",
      description = "none, minimal, low, medium, high or xhigh, where the model thinks.")
  void reasoningEffort(String word) {
    give("reasoning-effort", word);
  }

  @Option(
      names = "--response-schema",
      paramLabel = "JSON",
      description = "The JSON schema that answers must have.")
  void responseSchema(String word) {
    give("response-schema", word);
  }

  @Option(
      names = "--extra-body",
      paramLabel = "JSON",
      description = "Fields to add to the body of each request, as a JSON object.")
  void extraBody(String word) {
    give("extra-body", word);
  }

  @Option(
      names = "--cache",
      arity = "0..1",
      fallbackValue = "true",
      preprocessor = AttachedOnly.class,
      paramLabel = "AGE",
      description =
          "Keep answers on disk, and take those that are not older than AGE instead of asking"
              + " again: --cache (7 days), --cache=12h, --cache=never. See weir cache. Default:"
              + " false.")
  void cache(String word) {
    give("cache", word);
  }

  @Option(
      names = "--batch",
      arity = "0..1",
      fallbackValue = "true",
      preprocessor = AttachedOnly.class,
      paramLabel = "SIZE",
      description =
          "Send requests in batches of SIZE (100), which cost less and take up to a day: openai and"
              + " anthropic. A run that was killed picks its batches up again. Default: false.")
  void batch(String word) {
    give("batch", word);
  }

  @Option(
      names = "--batch-delay",
      paramLabel = "TIME",
      description = "Send a smaller batch when its first request has waited so long. Default: 15s.")
  void batchDelay(String word) {
    give("batch-delay", word);
  }

  @Option(
      names = "--batch-poll",
      paramLabel = "TIME",
      description = "Look after batches so often. Default: 15s.")
  void batchPoll(String word) {
    give("batch-poll", word);
  }

  @Option(
      names = "--prices",
      paramLabel = "FILE",
      description = "Prices that win over the built-in ones; see docs/models.md.")
  void prices(String word) {
    give("prices", word);
  }

  ModelOptions options(Map<String, String> environment) {
    return ModelOptions.parse(words(environment));
  }
}
