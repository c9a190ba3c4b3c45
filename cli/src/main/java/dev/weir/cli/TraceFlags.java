package dev.weir.cli;

import dev.weir.eval.task.TraceOptions;
import java.util.HashMap;
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
    // The name that many programs share; our own wins.
    String shared = environment.getOrDefault("LOG_LEVEL", "");
    if (!shared.isEmpty() && environment.getOrDefault("WEIR_LOG_LEVEL", "").isEmpty()) {
      variables.put("WEIR_LOG_LEVEL", shared);
    }
    return TraceOptions.parse(words(variables));
  }
}
