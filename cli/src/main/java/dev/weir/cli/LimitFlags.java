package dev.weir.cli;

import dev.weir.eval.task.LimitOptions;
import java.util.Map;
import picocli.CommandLine.Option;

/** The options that regulate calls; their words are read in one place for all sources. */
final class LimitFlags extends GivenWords {

  @Option(
      names = "--concurrency-mode",
      paramLabel = "MODE",
      description =
          "How calls are regulated: pace (learns the provider's limits and sends as fast as they"
              + " allow), static (--max-connections), aimd (--adaptive-connections) or halving."
              + " Default: what the other options choose, else pace.")
  void concurrencyMode(String word) {
    give("concurrency-mode", word);
  }

  @Option(
      names = "--max-connections",
      paramLabel = "N",
      description =
          "At most N calls to a model in flight, all the time (mode static; in mode pace, an upper"
              + " bound). Default: 10 in mode static, 2000 in mode pace.")
  void maxConnections(String word) {
    give("max-connections", word);
  }

  @Option(
      names = "--adaptive-connections",
      paramLabel = "RANGE",
      description =
          "Mode aimd: true for 4-20-200, a maximum, min-max or min-start-max; false for a fixed"
              + " window of 10. --max-connections wins over it.")
  void adaptiveConnections(String word) {
    give("adaptive-connections", word);
  }

  @Option(
      names = "--max-concurrency",
      paramLabel = "N",
      description = "At most N calls in flight over all models. Default: no bound.")
  void maxConcurrency(String word) {
    give("max-concurrency", word);
  }

  @Option(
      names = "--rpm",
      paramLabel = "N",
      description =
          "Requests per minute of your tier, if you know it: mode pace starts there. Default: it"
              + " finds out.")
  void rpm(String word) {
    give("rpm", word);
  }

  @Option(
      names = "--tpm",
      paramLabel = "N",
      description = "Tokens per minute of your tier, likewise.")
  void tpm(String word) {
    give("tpm", word);
  }

  @Option(
      names = "--delay",
      paramLabel = "TIME",
      description =
          "Least time between the starts of two calls, such as 250ms; a number alone is in"
              + " milliseconds. Default: none.")
  void delay(String word) {
    give("delay", word);
  }

  @Option(
      names = "--max-retries",
      paramLabel = "N",
      description =
          "Give up on a request after N retries; while a provider is away, attempts are probes and"
              + " do not count (see --timeout). Default: never (mode halving: 3).")
  void maxRetries(String word) {
    give("max-retries", word);
  }

  @Option(
      names = "--timeout",
      paramLabel = "TIME",
      description =
          "Give up on a request after so long, all attempts and waits included; a number alone is"
              + " in seconds. Default: never.")
  void timeout(String word) {
    give("timeout", word);
  }

  @Option(
      names = "--attempt-timeout",
      paramLabel = "TIME",
      description =
          "Interrupt an attempt after so long, and try again; a number alone is in seconds."
              + " Default: never.")
  void attemptTimeout(String word) {
    give("attempt-timeout", word);
  }

  @Option(
      names = "--queue-timeout",
      paramLabel = "TIME",
      description =
          "Mode halving: give up on a request that waits so long for its turn; 0 for never."
              + " Default: 300s.")
  void queueTimeout(String word) {
    give("queue-timeout", word);
  }

  @Option(
      names = "--self-hosted",
      arity = "0..1",
      fallbackValue = "true",
      preprocessor = AttachedOnly.class,
      paramLabel = "BOOL",
      description =
          "The server is your own and queues what it cannot do: mode pace goes by its latency."
              + " Default: false.")
  void selfHosted(String word) {
    give("self-hosted", word);
  }

  LimitOptions options(Map<String, String> environment) {
    return LimitOptions.parse(words(environment));
  }
}
