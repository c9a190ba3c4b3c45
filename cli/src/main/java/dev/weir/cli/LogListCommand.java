package dev.weir.cli;

import dev.weir.log.LogContinuations;
import dev.weir.log.LogDirectory;
import dev.weir.log.LogEntry;
import dev.weir.model.ConfigurationException;
import dev.weir.model.Printable;
import dev.weir.model.Spelling;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.json.JsonMapper;

/** {@code weir log list}: each line is written as soon as it is known. */
@Command(
    name = "list",
    description = "Lists the logs of a directory, the newest first.",
    footerHeading = "%nExamples:%n",
    footer = {
      "  weir log list",
      "  weir log list results --status killed,error",
      "  weir log list --json | jq -r '.[] | select(.accuracy < 0.5).file'"
    })
final class LogListCommand implements Callable<Integer> {

  private static final JsonMapper JSON = new JsonMapper();

  /** Columns of names; a line is written before the next is known, so none can be made to fit. */
  private static final int TASK = 24;

  private static final int MODEL = 28;

  @Parameters(
      arity = "0..1",
      paramLabel = "DIR",
      description = "Where the logs are. Default: WEIR_LOG_DIR, or ./logs.")
  private @Nullable Path directory;

  @Option(
      names = "--status",
      paramLabel = "STATUS",
      split = ",",
      description =
          "Only logs of this status; may be repeated: running, killed, started, success, cancelled,"
              + " error, unreadable.")
  private List<String> statuses = List.of();

  @Option(names = "--json", description = "Print one JSON document. Default: false.")
  private @Nullable Boolean json;

  private final Surroundings surroundings;

  LogListCommand(Surroundings surroundings) {
    this.surroundings = surroundings;
  }

  @Override
  public Integer call() throws IOException {
    Set<LogEntry.Status> wanted = wanted();
    boolean asJson = new Environment(surroundings.environment()).flag(json, "WEIR_JSON");
    Path from = LogPaths.directory(directory, surroundings, "DIR");
    PrintWriter out = surroundings.out();
    var continuations = new LogContinuations();
    long shown = 0;
    for (Path file : LogDirectory.logs(from)) {
      LogEntry entry = LogDirectory.entry(file);
      Optional<Path> continuedBy = continuations.of(entry);
      if (wanted.contains(entry.status())) {
        if (asJson) {
          out.print(shown == 0 ? "[\n" : ",\n");
          out.print(JSON.writeValueAsString(document(entry, continuedBy)));
        } else {
          if (shown == 0) {
            out.println(row("time", "status", "task", "model", "samples", "accuracy", "file"));
          }
          print(entry, continuedBy);
        }
        shown++;
      }
    }
    if (asJson) {
      out.println(shown == 0 ? "[]" : "\n]");
    } else if (shown == 0) {
      out.println("There are no such logs in " + Printable.line(from.toString()) + ".");
    }
    return ExitCode.SUCCESS;
  }

  private Set<LogEntry.Status> wanted() {
    if (statuses.isEmpty()) {
      return EnumSet.allOf(LogEntry.Status.class);
    }
    List<String> words =
        Arrays.stream(LogEntry.Status.values()).map(LogEntry.Status::word).toList();
    Set<LogEntry.Status> wanted = EnumSet.noneOf(LogEntry.Status.class);
    for (String word : statuses) {
      if (!words.contains(word)) {
        throw new ConfigurationException(
            "--status: there is no status '%s'%s".formatted(word, Spelling.hint(word, words)));
      }
      wanted.add(LogEntry.Status.valueOf(word.toUpperCase(Locale.ROOT)));
    }
    return wanted;
  }

  private void print(LogEntry entry, Optional<Path> continuedBy) {
    surroundings
        .out()
        .println(
            row(
                entry.time().truncatedTo(ChronoUnit.SECONDS).toString(),
                entry.status().word(),
                entry.task(),
                entry.model(),
                entry.done().map(Object::toString).orElse("?")
                    + "/"
                    + entry.total().map(Object::toString).orElse("?"),
                entry.accuracy().map(Numbers::score).orElse("-"),
                entry.file().toString()));
    entry
        .problem()
        .ifPresent(problem -> surroundings.out().println("    " + Printable.line(problem)));
    entry
        .scoringOf()
        .ifPresent(
            scored -> surroundings.out().println("    a scoring of " + Printable.line(scored)));
    continuedBy.ifPresent(
        later ->
            surroundings.out().println("    continued by " + Printable.line(later.toString())));
  }

  private static String row(
      String time,
      String status,
      String task,
      String model,
      String samples,
      String accuracy,
      String file) {
    return "%-20s  %-10s  %s  %s  %13s  %8s  %s"
        .formatted(
            time,
            status,
            Cells.fit(Cells.cutInside(Printable.line(task), TASK), TASK, false),
            Cells.fit(Cells.cutInside(Printable.line(model), MODEL), MODEL, false),
            samples,
            accuracy,
            Printable.line(file));
  }

  private static Map<String, Object> document(LogEntry entry, Optional<Path> continuedBy) {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("file", entry.file().toString());
    document.put("time", entry.time().toString());
    document.put("status", entry.status().word());
    document.put("task", entry.task());
    document.put("model", entry.model());
    document.put("done", entry.done().orElse(null));
    document.put("total", entry.total().orElse(null));
    document.put("accuracy", entry.accuracy().orElse(null));
    document.put("continued_by", continuedBy.map(Path::toString).orElse(null));
    document.put("scoring_of", entry.scoringOf().orElse(null));
    document.put("problem", entry.problem().orElse(null));
    return document;
  }
}
