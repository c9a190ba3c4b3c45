package dev.weir.simulator;

import dev.weir.model.ConfigurationException;
import dev.weir.model.DurationText;
import dev.weir.model.ModelName;
import dev.weir.model.Spelling;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * How a simulated model behaves.
 *
 * @param accuracy how often it is right, from 0 to 1
 * @param latency the median time of an answer
 * @param rpm requests admitted per minute; 0 for no limit
 * @param burst requests admitted at once after a pause
 * @param headers whether its responses tell how much of the quota is left
 * @param errorRate how often it fails with a fault that may not happen again, from 0 to below 1
 * @param credit requests it answers before its quota is exhausted; 0 for no end
 */
record SimulatedSettings(
    double accuracy,
    Duration latency,
    double rpm,
    int burst,
    boolean headers,
    double errorRate,
    int credit) {

  private static final SimulatedSettings DEFAULTS =
      new SimulatedSettings(0.85, Duration.ofMillis(400), 1_200, 30, true, 0, 0);

  private static final List<String> NAMES =
      List.of("accuracy", "latency", "rpm", "burst", "headers", "error-rate", "credit");

  /** Longer than any answer takes. */
  private static final Duration LONGEST = Duration.ofDays(1);

  static SimulatedSettings parse(ModelName name, Map<String, String> settings) {
    for (String key : settings.keySet()) {
      if (!NAMES.contains(key)) {
        throw new ConfigurationException(
            "model '%s' has no argument '%s'%s".formatted(name, key, Spelling.hint(key, NAMES)));
      }
    }
    var reader = new Reader(name, settings);
    return new SimulatedSettings(
        reader.number("accuracy", DEFAULTS.accuracy, v -> v >= 0 && v <= 1, "from 0 to 1"),
        reader.duration("latency", DEFAULTS.latency),
        reader.number(
            "rpm",
            DEFAULTS.rpm,
            v -> v == 0 || (v >= 0.001 && v <= 1e9),
            "from 0.001 to 1e9, or 0 for no limit"),
        reader.whole("burst", DEFAULTS.burst, 1),
        reader.flag("headers", DEFAULTS.headers),
        reader.number("error-rate", DEFAULTS.errorRate, v -> v >= 0 && v < 1, "from 0 to below 1"),
        reader.whole("credit", DEFAULTS.credit, 0));
  }

  private record Reader(ModelName name, Map<String, String> settings) {

    double number(String key, double otherwise, Predicate<Double> allowed, String rule) {
      String text = settings.get(key);
      if (text == null) {
        return otherwise;
      }
      try {
        double value = Double.parseDouble(text);
        if (allowed.test(value)) {
          return value;
        }
      } catch (NumberFormatException notANumber) {
        // Reported below, like a number out of range.
      }
      throw wrong(key, text, "a number " + rule);
    }

    boolean flag(String key, boolean otherwise) {
      return switch (settings.get(key)) {
        case null -> otherwise;
        case "true" -> true;
        case "false" -> false;
        case String text -> throw wrong(key, text, "true or false");
      };
    }

    int whole(String key, int otherwise, int least) {
      String text = settings.get(key);
      if (text == null) {
        return otherwise;
      }
      try {
        int value = Integer.parseInt(text);
        if (value >= least) {
          return value;
        }
      } catch (NumberFormatException notANumber) {
        // Reported below, like a number out of range.
      }
      throw wrong(key, text, "a whole number of at least " + least);
    }

    Duration duration(String key, Duration otherwise) {
      String text = settings.get(key);
      if (text == null) {
        return otherwise;
      }
      return DurationText.parse(text, "s")
          .filter(duration -> duration.compareTo(LONGEST) <= 0)
          .orElseThrow(
              () -> wrong(key, text, DurationText.RULE + ", at most " + LONGEST.toHours() + "h"));
    }

    private ConfigurationException wrong(String key, String text, String rule) {
      return new ConfigurationException(
          "model '%s': `%s` must be %s, was '%s'".formatted(name, key, rule, text));
    }
  }
}
