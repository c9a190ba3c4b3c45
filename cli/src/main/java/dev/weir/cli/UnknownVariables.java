package dev.weir.cli;

import dev.weir.eval.option.Option;
import dev.weir.eval.option.Options;
import dev.weir.model.Printable;
import dev.weir.model.Spelling;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Variables that look like options and are none: probably misspelt. They are told, but no error,
 * since others may have variables of that prefix.
 */
final class UnknownVariables {

  private static final String PREFIX = "WEIR_";

  /** Those of {@code weir simulate}, which tells its own. */
  private static final String SIMULATE = "WEIR_SIMULATE_";

  private static final int MOST_TOLD = 10;

  /**
   * Those that are no options of a run: of commands, of the script {@code weir}, of sandboxes and
   * programs.
   */
  private static final Set<String> OTHERS =
      Set.of(
          "WEIR_AGAIN",
          "WEIR_BENCH_PARALLEL",
          "WEIR_BENCH_ROWS",
          "WEIR_CACHE_DIR",
          "WEIR_CACHE_MAX_BYTES",
          "WEIR_CA_BUNDLE",
          "WEIR_CLASSPATH",
          "WEIR_CSV",
          "WEIR_CTL",
          "WEIR_CTL_DIR",
          "WEIR_DEBUG",
          "WEIR_DISPLAY",
          "WEIR_DRY_RUN",
          "WEIR_EXEC",
          "WEIR_EXPORT_CONFIG",
          "WEIR_FAIL_ON_REGRESSION",
          "WEIR_HTML",
          "WEIR_HOME",
          "WEIR_JAVA_OPTS",
          "WEIR_JSON",
          "WEIR_JUNIT",
          "WEIR_LOG_DIR_ALLOW_DIRTY",
          MetricsEndpoint.TOKEN,
          "WEIR_MODEL_ENGINE_LIMITS",
          "WEIR_NO_RETRY_CLEANUP",
          "WEIR_PAGER",
          "WEIR_REHEARSE",
          "WEIR_RETRY_ATTEMPTS",
          "WEIR_SANDBOX",
          "WEIR_SHOW_CONFIG",
          "WEIR_STATE_DIR",
          "WEIR_TASK",
          "WEIR_TRACE_DIR");

  private UnknownVariables() {}

  /** A sentence for each, without its value. */
  static List<String> in(Map<String, String> environment) {
    Set<String> known =
        Stream.of(
                OTHERS.stream(),
                Options.all().stream().map(Option::variable),
                Options.ofSelection().stream().map(Option::variable))
            .flatMap(names -> names)
            .collect(Collectors.toSet());
    return environment.keySet().stream()
        .filter(name -> name.startsWith(PREFIX) && !name.startsWith(SIMULATE))
        .filter(name -> !known.contains(name) && !known.contains(variableInFile(name)))
        .sorted()
        .limit(MOST_TOLD)
        .map(
            name ->
                "the variable %s sets nothing%s".formatted(Printable.line(name), hint(name, known)))
        .toList();
  }

  /** The variable whose value a file holds, if that is what the name says. */
  private static String variableInFile(String name) {
    return name.endsWith("_FILE") ? name.substring(0, name.length() - "_FILE".length()) : name;
  }

  private static String hint(String name, Set<String> known) {
    return Spelling.nearest(name, known)
        .map("; did you mean %s?"::formatted)
        .orElse("; weir eval --help lists what can be set");
  }
}
