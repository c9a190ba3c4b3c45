package dev.weir.eval.option;

import dev.weir.eval.option.Option.Group;
import dev.weir.model.SizeText;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The options of a run that say what is kept of it.
 *
 * @param directory where its log is written
 * @param buffer how many bytes of results may wait in memory while the log cannot be written
 * @param tags words to find the run by
 * @param metadata kept in its log
 */
public record LogOptions(
    Optional<Path> directory,
    Optional<Long> buffer,
    List<String> tags,
    Map<String, String> metadata) {

  /** Less would not hold the results that are under way. */
  private static final long LEAST_BUFFER = 1 << 20;

  private static final long MOST_BUFFER = 1L << 40;

  static final List<Option> ALL =
      List.of(
          option("log-dir", "DIR", "Write logs to DIR. Default: ./logs."),
          option(
              "log-buffer",
              "SIZE",
              "How much of finished results may wait in memory while the log cannot be written,"
                  + " such as 256MB. Default: 64MB."),
          option(
              "log-level",
              "LEVEL",
              "What to show while it runs: warning, info (also retries), http (also each attempt"
                  + " and each change of a window) or debug (also what is learned of limits). Also"
                  + " from LOG_LEVEL. Default: warning."),
          new Option(
              "trace-bodies",
              Group.LOG,
              "BOOL",
              "Include requests and responses in the trace of the run, without credentials; see"
                  + " weir trace. Default: false.",
              Optional.of("true"),
              false),
          option(
              "metrics-port",
              "PORT",
              "Serve metrics for Prometheus at http://127.0.0.1:PORT/metrics while it runs, and how"
                  + " full limits are at /saturation; 0 takes any free port. See"
                  + " docs/metrics.md. Default: no metrics."),
          option(
              "metrics-host",
              "ADDRESS",
              "Serve metrics at this address of the machine instead of 127.0.0.1, for example"
                  + " 0.0.0.0 for all of them; needs WEIR_METRICS_TOKEN. See docs/metrics.md."),
          option("tags", "TAG[,TAG]", "Record tags in the log, to find the run by."),
          new Option(
              "metadata",
              Group.LOG,
              "KEY=VALUE",
              "Record a key and its value in the log of the run; may be repeated.",
              Optional.empty(),
              true));

  public LogOptions {
    tags = List.copyOf(tags);
    metadata = Map.copyOf(metadata);
  }

  private static Option option(String name, String label, String description) {
    return new Option(name, Group.LOG, label, description, Optional.empty(), false);
  }

  static LogOptions parse(OptionWords words) {
    var reader = new OptionReader(words);
    return new LogOptions(
        reader.read("log-dir", RunOptions::path, "a path"),
        reader.read(
            "log-buffer",
            word ->
                SizeText.parse(word).filter(bytes -> bytes >= LEAST_BUFFER && bytes <= MOST_BUFFER),
            SizeText.RULE + ", from 1MB to 1TB"),
        reader.texts("tags"),
        reader.pairs("metadata"));
  }
}
