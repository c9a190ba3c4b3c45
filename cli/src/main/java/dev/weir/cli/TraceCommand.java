package dev.weir.cli;

import dev.weir.log.trace.TraceDirectory;
import dev.weir.log.trace.TraceFile;
import dev.weir.log.trace.TraceRecord;
import dev.weir.model.ConfigurationException;
import dev.weir.model.Printable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.json.JsonMapper;

/** {@code weir trace}: what happened call by call. */
@Command(
    name = "trace",
    description = {
      "Show what happened call by call in the current or latest run: attempts, refusals, and each"
          + " change of a limit.",
      "",
      "The traces of the last 10 runs are kept, in WEIR_TRACE_DIR or the user's state directory."
    },
    synopsisSubcommandLabel = "COMMAND",
    footerHeading = "%nExamples:%n",
    footer = {
      "  weir trace list",
      "  weir trace http --failed",
      "  weir trace dump --filter \"[connections]\"",
      "  weir trace dump --json | jq 'select(.event == \"ratelimit:hit\")'"
    })
final class TraceCommand {

  private final Surroundings surroundings;

  TraceCommand(Surroundings surroundings) {
    this.surroundings = surroundings;
  }

  @Command(name = "list", description = "List the traces that are kept, the newest first.")
  int list(@Option(names = "--json", description = "One JSON document per line.") boolean json)
      throws IOException {
    List<Path> traces = TraceFile.list(directory());
    for (Path trace : traces) {
      surroundings
          .out()
          .println(
              json
                  ? new JsonMapper()
                      .createObjectNode()
                      .put("file", trace.toString())
                      .put("bytes", Files.size(trace))
                  : "%10d  %s".formatted(Files.size(trace), Printable.line(trace.toString())));
    }
    if (traces.isEmpty() && !json) {
      surroundings.out().println("There are no traces in " + directory() + ".");
    }
    return ExitCode.SUCCESS;
  }

  @Command(name = "dump", description = "Print all records of a trace.")
  int dump(
      @Option(
              names = "--filter",
              paramLabel = "TEXT",
              description = "Only lines that contain this, such as [connections] or ratelimit:hit.")
          @Nullable String filter,
      @Option(names = "--json", description = "One JSON document per line.") boolean json,
      @Parameters(
              arity = "0..1",
              paramLabel = "TRACE",
              description = "A file, or a part of its name. Default: the newest.")
          @Nullable String trace)
      throws IOException {
    return show(
        trace,
        json,
        "matching records",
        record -> filter == null || record.line().contains(filter));
  }

  @Command(name = "http", description = "Print the HTTP attempts of a trace.")
  int http(
      @Option(names = "--failed", description = "Print only failed attempts.") boolean failed,
      @Option(names = "--json", description = "One JSON document per line.") boolean json,
      @Parameters(
              arity = "0..1",
              paramLabel = "TRACE",
              description = "A file, or a part of its name. Default: the newest.")
          @Nullable String trace)
      throws IOException {
    return show(
        trace,
        json,
        failed ? "failed attempts" : "attempts",
        record -> failed ? record.isFailed() : record.isHttp());
  }

  /**
   * @param kind what is wanted, in words
   */
  private int show(@Nullable String trace, boolean json, String kind, Predicate<TraceRecord> wanted)
      throws IOException {
    Path file = find(trace);
    var shown = new AtomicLong();
    TraceFile.read(
        file,
        record -> {
          if (wanted.test(record)) {
            shown.incrementAndGet();
            surroundings.out().println(json ? TraceFile.line(record) : LiveLog.traced(record));
          }
        });
    if (shown.get() == 0) {
      surroundings
          .err()
          .println(
              "There are no %s in %s%s."
                  .formatted(
                      kind,
                      Printable.line(file.toString()),
                      trace == null
                          ? ", the newest trace; name another one that weir trace list shows"
                          : ""));
    }
    return ExitCode.SUCCESS;
  }

  private Path find(@Nullable String name) throws IOException {
    if (name != null && Files.isRegularFile(Path.of(name))) {
      return Path.of(name);
    }
    Optional<Path> found =
        TraceFile.list(directory()).stream()
            .filter(file -> name == null || file.getFileName().toString().contains(name))
            .findFirst();
    return found.orElseThrow(
        () ->
            new ConfigurationException(
                name == null
                    ? "there are no traces in %s yet; run weir eval first".formatted(directory())
                    : "there is no trace '%s' in %s; see weir trace list"
                        .formatted(name, directory())));
  }

  private Path directory() {
    return TraceDirectory.of(surroundings.environment())
        .orElseThrow(
            () ->
                new ConfigurationException(
                    "cannot determine the trace directory; set WEIR_TRACE_DIR or HOME"));
  }
}
