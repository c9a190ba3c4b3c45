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
        .ifPresent(n -> put("max-concurrency", n.toString(), origin(section, "maxConcurrency")));
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
    if (isOn("PROMPTFOO_DISABLE_ADAPTIVE_SCHEDULER")) {
      String origin = "PROMPTFOO_DISABLE_ADAPTIVE_SCHEDULER";
      put("concurrency-mode", "static", origin);
      put("max-connections", settings.word("max-concurrency").orElse(DEFAULT_CONCURRENCY), origin);
    }
    variable("PROMPTFOO_MIN_CONCURRENCY")
        .filter(v -> !v.equals("0"))
        .ifPresent(v -> put("min-concurrency", v, "PROMPTFOO_MIN_CONCURRENCY"));
    millis("PROMPTFOO_SCHEDULER_QUEUE_TIMEOUT_MS", "queue-timeout", true);
    millis("PROMPTFOO_REQUEST_BACKOFF_MS", "request-backoff", false);
    if (variable("PROMPTFOO_RETRY_5XX").isPresent()) {
      put("retry-5xx", String.valueOf(isOn("PROMPTFOO_RETRY_5XX")), "PROMPTFOO_RETRY_5XX");
    }
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

  private boolean isOn(String name) {
    return variable(name)
        .map(value -> value.toLowerCase(Locale.ROOT))
        .filter(value -> value.matches("1|true|yes|on|yup|yeppers"))
        .isPresent();
  }

  private void put(String option, String word, String origin) {
    settings = settings.with(Options.named(option), word, origin);
  }
}
