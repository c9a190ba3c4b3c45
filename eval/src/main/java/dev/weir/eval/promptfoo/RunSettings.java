package dev.weir.eval.promptfoo;

import dev.weir.eval.option.Options;
import dev.weir.eval.option.Settings;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** What {@code evaluateOptions} and promptfoo's variables mean here. */
final class RunSettings {

  /** promptfoo's own, where a number is needed and nobody gives one. */
  private static final String DEFAULT_CONCURRENCY = "4";

  private static final String MAX_CONCURRENCY = "max-concurrency";

  /** The variables that are read, and the option that each of them sets. */
  static final Map<String, String> VARIABLES =
      Map.of(
          "PROMPTFOO_DELAY_MS", "delay",
          "PROMPTFOO_DISABLE_ADAPTIVE_SCHEDULER", "concurrency-mode",
          "PROMPTFOO_MIN_CONCURRENCY", "min-concurrency",
          "PROMPTFOO_SCHEDULER_QUEUE_TIMEOUT_MS", "queue-timeout",
          "PROMPTFOO_REQUEST_BACKOFF_MS", "request-backoff",
          "PROMPTFOO_RETRY_5XX", "retry-5xx");

  private final Map<String, String> environment;
  private final Problems problems;
  private Settings settings = Settings.NONE;

  private RunSettings(Map<String, String> environment, Problems problems) {
    this.environment = environment;
    this.problems = problems;
  }

  static Settings read(
      Optional<Value> evaluateOptions,
      Optional<Value> commandLineOptions,
      Map<String, String> environment,
      Problems problems) {
    var read = new RunSettings(environment, problems);
    // Weir's rule is to stop at the first error; promptfoo's to go on.
    read.put("fail-on-error", "false", "promptfoo configurations");
    evaluateOptions.ifPresent(given -> read.options(given, "`evaluateOptions`"));
    commandLineOptions.ifPresent(given -> read.options(given, "`commandLineOptions`"));
    read.variables();
    return read.settings;
  }

  private void options(Value given, String what) {
    var section = new Section(given, what, problems);
    section
        .whole("maxConcurrency", 1)
        .ifPresent(n -> put(MAX_CONCURRENCY, n.toString(), origin(section, "maxConcurrency")));
    section
        .whole("repeat", 1)
        .ifPresent(n -> put("epochs", n.toString(), origin(section, "repeat")));
    section
        .whole("delay")
        .filter(millis -> millis > 0)
        .ifPresent(millis -> put("delay", millis + "ms", origin(section, "delay")));
    section
        .whole("timeoutMs")
        .filter(millis -> millis > 0)
        .ifPresent(millis -> put("timeout", millis + "ms", origin(section, "timeoutMs")));
    if (section.flag("cache")) {
      put("cache", "14d", origin(section, "cache"));
    }
    section
        .whole("maxEvalTimeMs")
        .filter(millis -> millis > 0)
        .ifPresent(
            _ ->
                problems.unsupported(
                    section.placeOf("maxEvalTimeMs"),
                    "`maxEvalTimeMs`",
                    "bound a run with --max-cost or --max-tokens-total"));
    section.ignore(
        "showProgressBar",
        "progressBar",
        "table",
        "tableCellMaxLength",
        "verbose",
        "share",
        "write",
        "eventSource");
    section.finish();
  }

  private static String origin(Section section, String key) {
    return "%s: `%s`".formatted(section.placeOf(key), key);
  }

  /** The configuration wins over variables. */
  private void variables() {
    millis("PROMPTFOO_DELAY_MS", "delay", false);
    String fixed = "PROMPTFOO_DISABLE_ADAPTIVE_SCHEDULER";
    if (flag(fixed).orElse(false)) {
      put("concurrency-mode", "static", fixed);
      if (settings.word(MAX_CONCURRENCY).isEmpty()) {
        // Whoever gives a concurrency later, on the command line, means the fixed one.
        settings =
            settings.withStandIn(
                Options.named("max-connections"), DEFAULT_CONCURRENCY, fixed, MAX_CONCURRENCY);
      }
    }
    variable("PROMPTFOO_MIN_CONCURRENCY")
        .filter(v -> !v.equals("0"))
        .ifPresent(v -> put("min-concurrency", v, "PROMPTFOO_MIN_CONCURRENCY"));
    millis("PROMPTFOO_SCHEDULER_QUEUE_TIMEOUT_MS", "queue-timeout", true);
    millis("PROMPTFOO_REQUEST_BACKOFF_MS", "request-backoff", false);
    flag("PROMPTFOO_RETRY_5XX")
        .ifPresent(isOn -> put("retry-5xx", isOn.toString(), "PROMPTFOO_RETRY_5XX"));
  }

  private void millis(String variable, String option, boolean zeroCounts) {
    variable(variable)
        .ifPresent(
            value -> {
              if (!value.matches("\\d{1,12}")) {
                problems.add(
                    "%s must be a whole number of milliseconds, was '%s'"
                        .formatted(variable, value));
              } else if ((zeroCounts || Long.parseLong(value) > 0)
                  && settings.word(option).isEmpty()) {
                put(option, value + "ms", variable);
              }
            });
  }

  private Optional<String> variable(String name) {
    return Optional.ofNullable(environment.get(name)).map(String::strip).filter(v -> !v.isEmpty());
  }

  /** promptfoo takes any other word as false; here a word that is neither is a mistake. */
  private Optional<Boolean> flag(String name) {
    Optional<String> given = variable(name);
    Optional<Boolean> flag = given.flatMap(RunSettings::truth);
    if (given.isPresent() && flag.isEmpty()) {
      problems.add("%s must be true or false, was '%s'".formatted(name, given.get()));
    }
    return flag;
  }

  private static Optional<Boolean> truth(String word) {
    return switch (word.toLowerCase(Locale.ROOT)) {
      case "1", "true", "yes", "on", "yup", "yeppers" -> Optional.of(true);
      case "0", "false", "no", "off" -> Optional.of(false);
      default -> Optional.empty();
    };
  }

  private void put(String option, String word, String origin) {
    settings = settings.with(Options.named(option), word, origin);
  }
}
