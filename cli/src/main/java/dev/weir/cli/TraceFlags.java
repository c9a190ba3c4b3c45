package dev.weir.cli;

import dev.weir.eval.task.TraceOptions;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import picocli.CommandLine.Option;

/** The options that say what is told of single calls. */
final class TraceFlags extends GivenWords {

  @Option(
      names = "--log-level",
      paramLabel = "LEVEL",
      description =
          "What to show while it runs: warning, info (also retries), http (also each attempt and"
              + " each change of a window) or debug (also what is learned of limits). Also from"
              + " LOG_LEVEL. Default: warning.")
  void logLevel(String word) {
    give("log-level", word);
  }

  @Option(
      names = "--trace-bodies",
      arity = "0..1",
      fallbackValue = "true",
      preprocessor = AttachedOnly.class,
      paramLabel = "BOOL",
      description =
          "Keep what was asked and answered in the trace of the run, without credentials; see weir"
              + " trace. Default: false.")
  void traceBodies(String word) {
    give("trace-bodies", word);
  }

  TraceOptions options(Map<String, String> environment) {
    Map<String, String> variables = new HashMap<>(environment);
    String own = environment.getOrDefault("WEIR_LOG_LEVEL", "");
    if (own.isEmpty()) {
      variables.put("WEIR_LOG_LEVEL", shared(environment.getOrDefault("LOG_LEVEL", "")));
    } else {
      variables.put("WEIR_LOG_LEVEL", own.toLowerCase(Locale.ROOT));
    }
    return TraceOptions.parse(words(variables));
  }

  /** The variable that many programs share: what only others understand says nothing to us. */
  private static String shared(String word) {
    return switch (word.toLowerCase(Locale.ROOT)) {
      case "trace", "debug", "all" -> "debug";
      case "http" -> "http";
      case "info" -> "info";
      default -> "";
    };
  }
}
