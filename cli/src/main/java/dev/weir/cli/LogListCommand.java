package dev.weir.cli;

import dev.weir.log.LogContinuations;
import dev.weir.log.LogDirectory;
import dev.weir.log.LogEntry;
import dev.weir.log.LogFiles;
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
    description = "List the logs of a directory, the newest first.",
    footerHeading = "%nExamples:%n",
    footer = {
      "  weir log list",
      "  weir log list results --status killed,error",
      "  weir log list --json | jq -r '.[] | select(.accuracy < 0.5).file'"
    })
final class LogListCommand implements Callable<Integer> {

  private static final JsonMapper JSON = new JsonMapper();

  /** Columns of names, if the terminal is wide enough. */
  private static final int TASK = 24;

  private static final int MODEL = 28;

  /** A name that is cut shorter says nothing. */
  private static final int LEAST_NAME = 8;

  /** All other columns, with the gaps between them and before the names. */
  private static final int OTHERS = 20 + 2 + 10 + 2 + 2 + 2 + 13 + 2 + 8;

  private static final String NOTE = "    ";

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
    List<Path> logs = LogDirectory.logs(from);
    Layout layout = Layout.of(logs, surroundings.columns());
    for (Path file : logs) {
      LogEntry entry = LogDirectory.entry(file);
      Optional<Path> continuedBy = continuations.of(entry);
      if (wanted.contains(entry.status())) {
        if (asJson) {
          out.print(shown == 0 ? "[\n" : ",\n");
          out.print(JSON.writeValueAsString(document(entry, continuedBy)));
        } else {
          if (shown == 0) {
            print(
                layout, List.of("time", "status", "task", "model", "samples", "accuracy"), "file");
          }
          print(layout, entry, continuedBy);
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

  /**
   * How wide names may be. A line is written before the next log is read, so what they need is not
   * known.
   *
   * @param isOneLine whether files stand beside the rest; else each on a line of its own, whole, so
   *     that it can be copied
   */
  private record Layout(int task, int model, int columns, boolean isOneLine) {

    static Layout of(List<Path> logs, int columns) {
      int file = logs.stream().mapToInt(log -> Cells.width(shown(log))).max().orElse(0);
      boolean isOneLine = columns - OTHERS - file - 2 >= 2 * LEAST_NAME;
      int names = columns - OTHERS - (isOneLine ? file + 2 : 0);
      int task = Math.clamp(names * TASK / (TASK + MODEL), LEAST_NAME, TASK);
      return new Layout(task, Math.clamp(names - task, LEAST_NAME, MODEL), columns, isOneLine);
    }
  }

  private static String shown(Path file) {
    return Printable.line(file.toString());
  }

  /**
   * @param cells all but the file
   */
  private void print(Layout layout, List<String> cells, String file) {
    String line =
        "%-20s  %-10s  %s  %s  %13s  %8s"
            .formatted(
                cells.get(0),
                cells.get(1),
                name(cells.get(2), layout.task()),
                name(cells.get(3), layout.model()),
                cells.get(4),
                cells.get(5));
    PrintWriter out = surroundings.out();
    if (layout.isOneLine()) {
      out.println(line + "  " + file);
    } else {
      out.println(Cells.cut(line, layout.columns()));
      out.println(NOTE + file);
    }
  }

  private static String name(String name, int columns) {
    return Cells.fit(Cells.cutInside(Printable.line(name), columns), columns, false);
  }

  private void print(Layout layout, LogEntry entry, Optional<Path> continuedBy) {
    print(
        layout,
        List.of(
            entry.time().truncatedTo(ChronoUnit.SECONDS).toString(),
            entry.status().word(),
            entry.task(),
            entry.model(),
            entry.done().map(Object::toString).orElse("?")
                + "/"
                + entry.total().map(Object::toString).orElse("?"),
            entry.accuracy().map(Numbers::score).orElse("-")),
        shown(entry.file()));
    entry
        .problem()
        .ifPresent(problem -> surroundings.out().println(NOTE + Printable.line(problem)));
    entry
        .scoringOf()
        .ifPresent(
            scored ->
                surroundings
                    .out()
                    .println(
                        NOTE
                            + "a scoring of "
                            + shown(LogFiles.asGiven(entry.file(), Path.of(scored)))));
    continuedBy.ifPresent(
        later ->
            surroundings.out().println(NOTE + "continued by " + Printable.line(later.toString())));
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
