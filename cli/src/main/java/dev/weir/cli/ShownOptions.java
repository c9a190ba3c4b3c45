package dev.weir.cli;

import dev.weir.model.Printable;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** How runs are shown and told: the same for each command that runs any. */
final class ShownOptions {

  @Option(
      names = "--json",
      description = "Print one JSON document instead of a table. Default: false.")
  private @Nullable Boolean json;

  @Option(
      names = "--display",
      paramLabel = "MODE",
      description =
          "How to show a running evaluation: full (live progress, on a terminal), plain (a"
              + " line now and then) or none. Default: full on a terminal, else plain.")
  private @Nullable DisplayMode display;

  @Option(
      names = "--junit",
      paramLabel = "FILE",
      description =
          "Write the results as JUnit XML, too: a test case for each sample, and with --threshold"
              + " one for each metric, which then decides.")
  private @Nullable Path junit;

  /**
   * What they say, with what the environment says where they say nothing.
   *
   * @param asJson whether the result is one JSON document
   * @param report the JUnit file to write, if any
   */
  record Chosen(boolean asJson, DisplayMode mode, Optional<JUnitReport> report) {

    ShownRun run(Surroundings surroundings, LiveLog log) {
      return new ShownRun(surroundings, log, mode, asJson, report);
    }
  }

  Chosen chosen(Environment environment) {
    return new Chosen(
        environment.flag(json, "WEIR_JSON"),
        environment.orElse(display, "WEIR_DISPLAY", DisplayMode::parse).orElse(DisplayMode.FULL),
        environment.orElse(junit, "WEIR_JUNIT", Values::path).map(JUnitReport::new));
  }

  /** Each with its value and where that is from. */
  List<ConfigTable.Line> lines(Map<String, String> variables) {
    return List.of(
        line(variables, "json", json, "false"),
        line(
            variables,
            "display",
            display == null ? null : display.name().toLowerCase(Locale.ROOT),
            "full on a terminal, else plain"),
        line(variables, "junit", junit, "none"));
  }

  private static ConfigTable.Line line(
      Map<String, String> variables, String key, @Nullable Object given, String otherwise) {
    String variable = "WEIR_" + key.toUpperCase(Locale.ROOT);
    String set = variables.getOrDefault(variable, "");
    if (given != null) {
      return new ConfigTable.Line(key, Printable.line(given.toString()), "--" + key);
    }
    return set.isBlank()
        ? new ConfigTable.Line(key, otherwise, ConfigTable.BY_DEFAULT)
        : new ConfigTable.Line(key, Printable.line(set), variable);
  }
}
