package dev.weir.simulator;

import dev.weir.model.ConfigurationException;
import dev.weir.model.ModelName;
import dev.weir.model.Spelling;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How a simulated model behaves.
 *
 * @param accuracy how often it is right, from 0 to 1
 * @param latency the median time of an answer
 * @param rpm requests admitted per minute; 0 for no limit
 * @param burst requests admitted at once after a pause
 * @param errorRate how often it fails with a fault that may not happen again, from 0 to below 1
 * @param credit requests it answers before its quota is exhausted; 0 for no end
 */
record SimulatedSettings(
    double accuracy, Duration latency, double rpm, int burst, double errorRate, int credit) {

  private static final SimulatedSettings DEFAULTS =
      new SimulatedSettings(0.85, Duration.ofMillis(400), 1_200, 30, 0, 0);

  private static final List<String> NAMES =
      List.of("accuracy", "latency", "rpm", "burst", "error-rate", "credit");

  /** Longer than any answer takes, and short enough for every sum of durations. */
  private static final Duration LONGEST = Duration.ofDays(1);

  private static final Pattern DURATION = Pattern.compile("(\\d+(?:\\.\\d+)?)(ms|s|m)");

  /** The settings after the colon of a model name. */
  static Map<String, String> inName(ModelName name) {
    int colon = name.model().indexOf(':');
    Map<String, String> settings = new LinkedHashMap<>();
    if (colon < 0) {
      return settings;
    }
    for (String setting : name.model().substring(colon + 1).split(",", -1)) {
      int equals = setting.indexOf('=');
      if (equals < 1) {
        throw new ConfigurationException(
            "model '%s': '%s' is not of the form key=value, for example sim/demo:accuracy=0.7"
                .formatted(name, setting));
      }
      settings.put(setting.substring(0, equals).strip(), setting.substring(equals + 1).strip());
    }
    return settings;
  }

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
      Matcher matcher = DURATION.matcher(text);
      if (!matcher.matches() || text.length() > 12) {
        throw wrong(key, text, "a duration such as 250ms, 1.5s or 2m");
      }
      long unit =
          switch (matcher.group(2)) {
            case "ms" -> 1_000_000L;
            case "s" -> 1_000_000_000L;
            default -> 60_000_000_000L;
          };
      BigDecimal nanos = new BigDecimal(matcher.group(1)).multiply(BigDecimal.valueOf(unit));
      if (nanos.compareTo(BigDecimal.valueOf(LONGEST.toNanos())) > 0) {
        throw wrong(key, text, "at most " + LONGEST.toMinutes() + "m, which is a day");
      }
      return Duration.ofNanos(nanos.longValue());
    }

    private ConfigurationException wrong(String key, String text, String rule) {
      return new ConfigurationException(
          "model '%s': `%s` must be %s, was '%s'".formatted(name, key, rule, text));
    }
  }
}
