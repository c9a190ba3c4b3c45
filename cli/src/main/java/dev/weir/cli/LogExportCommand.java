package dev.weir.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.weir.log.LogExport;
import dev.weir.log.LogFiles;
import dev.weir.log.RunResult;
import dev.weir.model.ConfigurationException;
import dev.weir.model.Spelling;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code weir log export}: logs for other programs and for people. */
@Command(
    name = "export",
    description = {
      "Write the samples of logs for other programs, or a log as a page for people.",
      "",
      "csv and json have a row for each sample, of several logs if several are given; junit has a"
          + " test case for each; html is one page that needs nothing else."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  weir log export logs/LOG.eval --format csv --output samples.csv",
      "  weir log export logs/*.eval --format csv --output all.csv",
      "  weir log export logs/LOG.eval --format json | jq '.[] | select(.error != null).id'",
      "  weir log export logs/LOG.eval --format html --output report.html"
    })
final class LogExportCommand implements Callable<Integer> {

  private static final List<String> FORMATS = List.of("csv", "json", "junit", "html");

  /** Those with a row for each sample. */
  private static final List<String> TABLES = List.of("csv", "json");

  @Parameters(
      arity = "1..*",
      paramLabel = "FILE",
      description = "Logs or journals; csv and json take several, with a column for the log.")
  private List<Path> files = List.of();

  @Option(
      names = "--format",
      required = true,
      paramLabel = "csv|json|junit|html",
      description = "What to write.")
  private String format = "";

  @Option(
      names = "--output",
      paramLabel = "FILE",
      description = "Where it is written. Default: standard output.")
  private @Nullable Path output;

  @Option(names = "--overwrite", description = "Replace what is there. Default: false.")
  private boolean overwrite;

  private final Surroundings surroundings;

  LogExportCommand(Surroundings surroundings) {
    this.surroundings = surroundings;
  }

  @Override
  public Integer call() throws IOException {
    if (!FORMATS.contains(format)) {
      throw new ConfigurationException(
          "--format: there is no format '%s'%s".formatted(format, Spelling.hint(format, FORMATS)));
    }
    List<Path> logs = files.stream().map(LogPaths::log).toList();
    if (logs.size() > 1 && !TABLES.contains(format)) {
      throw new ConfigurationException(
          "--format %s takes one log, and %s are given; csv and json take several"
              .formatted(format, logs.size()));
    }
    if (output == null) {
      return LogDamage.told(write(logs, surroundings.out()), surroundings);
    }
    if (output.toString().endsWith(LogFiles.EVAL)
        || output.toString().endsWith(LogFiles.JOURNAL)
        || (Files.exists(output) && isOneOf(logs, output))) {
      throw new ConfigurationException(
          "--output: %s is a log, which an export must not replace; choose another name"
              .formatted(output));
    }
    if (Files.isRegularFile(output) && !overwrite) {
      throw new ConfigurationException(
          "%s already exists; --overwrite replaces it".formatted(output));
    }
    return LogDamage.told(written(logs, output), surroundings);
  }

  private static boolean isOneOf(List<Path> logs, Path output) throws IOException {
    for (Path log : logs) {
      if (Files.isSameFile(output, log)) {
        return true;
      }
    }
    return false;
  }

  /** Whole or not at all: what fails in the middle leaves what was there before. */
  private List<String> written(List<Path> logs, Path output) throws IOException {
    // A device or a pipe is written to as it is.
    boolean isFile = !Files.exists(output) || Files.isRegularFile(output);
    // A name that is nobody else's: it is removed if anything fails.
    String partial =
        ".%s.%d.partial".formatted(output.getFileName(), ProcessHandle.current().pid());
    Path target = isFile ? output.resolveSibling(partial) : output;
    try {
      List<String> damage;
      // Half a character becomes a question mark; a stricter writer would fail.
      try (Writer out =
          new BufferedWriter(new OutputStreamWriter(Files.newOutputStream(target), UTF_8))) {
        damage = write(logs, out);
      }
      if (isFile) {
        Files.move(target, output, StandardCopyOption.REPLACE_EXISTING);
      }
      return damage;
    } catch (FileSystemException named) {
      throw named;
    } catch (IOException failed) {
      throw new FileSystemException(output.toString(), null, failed.getMessage());
    } finally {
      if (isFile) {
        Files.deleteIfExists(target);
      }
    }
  }

  private List<String> write(List<Path> logs, Writer out) throws IOException {
    Path log = logs.getFirst();
    return switch (format) {
      case "csv" -> LogExport.csv(logs, out);
      case "json" -> LogExport.json(logs, out);
      case "html" -> LogExport.html(log, out);
      default -> {
        RunResult result =
            LogFiles.result(log)
                .orElseThrow(
                    () ->
                        new ConfigurationException(
                            "%s: the run has not ended; wait until it has".formatted(log)));
        yield JUnitReport.write(log, result, out);
      }
    };
  }
}
