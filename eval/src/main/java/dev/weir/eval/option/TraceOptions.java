package dev.weir.eval.option;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/**
 * The options of a run that say what is told of its single calls.
 *
 * @param logLevel what is shown while it runs
 * @param traceBodies whether the trace keeps what was asked and answered
 * @param metricsPort where metrics are served, 0 for any port that is free; absent if they are not
 * @param metricsHost the address at which they are served; absent for this machine only
 */
public record TraceOptions(
    Optional<LogLevel> logLevel,
    Optional<Boolean> traceBodies,
    Optional<Integer> metricsPort,
    Optional<String> metricsHost) {

  private static final int LARGEST_PORT = 65_535;

  /** What is shown of a run, the most first. */
  public enum LogLevel {
    /** Also what is learned of limits. */
    DEBUG,
    /** Also each attempt, and each change of a window. */
    HTTP,
    /** Also what a run recovers from by itself. */
    INFO,
    /** What may need attention. */
    WARNING;

    /** As it is written: {@code http}. */
    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }

    /** Whether something of another level is shown at this one. */
    public boolean shows(LogLevel other) {
      return other.compareTo(this) >= 0;
    }
  }

  public static final TraceOptions NONE = parse(OptionWords.NONE);

  /** Reads the options from their words. */
  public static TraceOptions parse(OptionWords words) {
    var reader = new OptionReader(words);
    return new TraceOptions(
        reader.choice("log-level", Arrays.asList(LogLevel.values()), LogLevel::word),
        reader.flag("trace-bodies"),
        reader.read("metrics-port", TraceOptions::port, "a port from 0 to " + LARGEST_PORT),
        reader.read(
            "metrics-host",
            word -> Optional.of(word.strip()).filter(host -> !host.isEmpty()),
            "an address to listen on"));
  }

  private static Optional<Integer> port(String word) {
    try {
      return Optional.of(Integer.parseInt(word)).filter(port -> port >= 0 && port <= LARGEST_PORT);
    } catch (NumberFormatException notANumber) {
      return Optional.empty();
    }
  }
}
