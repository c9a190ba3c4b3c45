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
      "Writes the samples of a log for other programs, or as a page for people.",
      "",
      "csv and json have a row for each sample; junit a test case for each; html is one page that"
          + " needs nothing else."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  weir log export logs/LOG.eval --format csv --output samples.csv",
      "  weir log export logs/LOG.eval --format json | jq '.[] | select(.error != null).id'",
      "  weir log export logs/LOG.eval --format html --output report.html"
    })
final class LogExportCommand implements Callable<Integer> {

  private static final List<String> FORMATS = List.of("csv", "json", "junit", "html");

  @Parameters(arity = "1", paramLabel = "FILE", description = "A log, or a journal.")
  private Path file = Path.of("");

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
    Path log = LogPaths.log(file);
    if (output == null) {
      return LogDamage.told(write(log, surroundings.out()), surroundings);
    }
    if (output.toString().endsWith(LogFiles.EVAL)
        || output.toString().endsWith(LogFiles.JOURNAL)
        || (Files.exists(output) && Files.isSameFile(output, log))) {
      throw new ConfigurationException(
          "--output: %s is a log, which an export must not replace; choose another name"
              .formatted(output));
    }
    if (Files.isRegularFile(output) && !overwrite) {
      throw new ConfigurationException(
          "%s is there already; --overwrite replaces it".formatted(output));
    }
    return LogDamage.told(written(log, output), surroundings);
  }

  /** Whole or not at all: what fails in the middle leaves what was there before. */
  private List<String> written(Path log, Path output) throws IOException {
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
        damage = write(log, out);
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

  private List<String> write(Path log, Writer out) throws IOException {
    return switch (format) {
      case "csv" -> LogExport.csv(log, out);
      case "json" -> LogExport.json(log, out);
      case "html" -> LogExport.html(log, out);
      default -> {
        RunResult result =
            LogFiles.result(log)
                .orElseThrow(
                    () ->
                        new ConfigurationException(
                            "%s: the run goes on; wait until it has ended".formatted(log)));
        yield JUnitReport.write(log, result, out);
      }
    };
  }
}
