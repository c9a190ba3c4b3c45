package dev.weir.cli;

import dev.weir.eval.task.LimitOptions;
import dev.weir.model.ConfigurationException;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Option;

/** The options that regulate calls; their words are read in one place for all sources. */
final class LimitFlags {

  private final Map<String, String> given = new HashMap<>();

  @Option(
      names = "--concurrency-mode",
      paramLabel = "MODE",
      description =
          "How calls are regulated: pace (learns the provider's limits and sends as fast as they"
              + " allow), static (--max-connections), aimd (--adaptive-connections) or halving."
              + " Default: what the other options choose, else pace.")
  void concurrencyMode(String word) {
    given.put("concurrency-mode", word);
  }

  @Option(
      names = "--max-connections",
      paramLabel = "N",
      description =
          "At most N calls to a model in flight, all the time (mode static; in mode pace, an upper"
              + " bound). Default: 10 in mode static, 2000 in mode pace.")
  void maxConnections(String word) {
    given.put("max-connections", word);
  }

  @Option(
      names = "--adaptive-connections",
      paramLabel = "RANGE",
      description =
          "Mode aimd: true for 4-20-200, a maximum, min-max or min-start-max; false for a fixed"
              + " window of 10. --max-connections wins over it.")
  void adaptiveConnections(String word) {
    given.put("adaptive-connections", word);
  }

  @Option(
      names = "--max-concurrency",
      paramLabel = "N",
      description = "At most N calls in flight over all models. Default: no bound.")
  void maxConcurrency(String word) {
    given.put("max-concurrency", word);
  }

  @Option(
      names = "--rpm",
      paramLabel = "N",
      description =
          "Requests per minute of your tier, if you know it: mode pace starts there. Default: it"
              + " finds out.")
  void rpm(String word) {
    given.put("rpm", word);
  }

  @Option(
      names = "--tpm",
      paramLabel = "N",
      description = "Tokens per minute of your tier, likewise.")
  void tpm(String word) {
    given.put("tpm", word);
  }

  @Option(
      names = "--delay",
      paramLabel = "TIME",
      description =
          "Least time between the starts of two calls, such as 250ms; a number alone is in"
              + " milliseconds. Default: none.")
  void delay(String word) {
    given.put("delay", word);
  }

  @Option(
      names = "--max-retries",
      paramLabel = "N",
      description = "Give up on a request after N retries. Default: never (mode halving: 3).")
  void maxRetries(String word) {
    given.put("max-retries", word);
  }

  @Option(
      names = "--timeout",
      paramLabel = "TIME",
      description =
          "Give up on a request after so long, all attempts and waits included; a number alone is"
              + " in seconds. Default: never.")
  void timeout(String word) {
    given.put("timeout", word);
  }

  @Option(
      names = "--attempt-timeout",
      paramLabel = "TIME",
      description =
          "Interrupt an attempt after so long, and try again; a number alone is in seconds."
              + " Default: never.")
  void attemptTimeout(String word) {
    given.put("attempt-timeout", word);
  }

  @Option(
      names = "--queue-timeout",
      paramLabel = "TIME",
      description =
          "Mode halving: give up on a request that waits so long for its turn; 0 for never."
              + " Default: 300s.")
  void queueTimeout(String word) {
    given.put("queue-timeout", word);
  }

  @Option(
      names = "--self-hosted",
      arity = "0..1",
      fallbackValue = "true",
      paramLabel = "BOOL",
      description =
          "The server is your own and queues what it cannot do: mode pace goes by its latency."
              + " Default: false.")
  void selfHosted(String word) {
    given.put("self-hosted", word);
  }

  /** What was given; or else the variables, where an empty one counts as unset. */
  LimitOptions options(Map<String, String> environment) {
    return LimitOptions.parse(
        new LimitOptions.Words() {
          @Override
          public Optional<String> word(String option) {
            return Optional.ofNullable(given.get(option))
                .or(
                    () ->
                        Optional.ofNullable(environment.get(variable(option)))
                            .filter(word -> !word.isEmpty()));
          }

          @Override
          public ConfigurationException wrong(String option, String rule) {
            String where = given.containsKey(option) ? "--" + option : variable(option);
            return new ConfigurationException(where + " " + rule);
          }
        });
  }

  private static String variable(String option) {
    return "WEIR_" + option.toUpperCase(Locale.ROOT).replace('-', '_');
  }
}
