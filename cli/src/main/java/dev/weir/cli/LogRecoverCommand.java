package dev.weir.cli;

import dev.weir.log.LogDirectory;
import dev.weir.log.LogEntry;
import dev.weir.log.LogFiles;
import dev.weir.log.LogRecovery;
import dev.weir.log.LogRecovery.Recovered;
import dev.weir.model.ConfigurationException;
import dev.weir.model.Printable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code weir log recover}: makes logs of what killed runs left. */
@Command(
    name = "recover",
    description = {
      "Turn the journals of killed runs into .eval files, report what could not be read, and remove"
          + " the journals.",
      "",
      "weir eval does this by itself for its log directory before it begins."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  weir log recover --list",
      "  weir log recover --log-dir results",
      "  weir log recover logs/LOG.journal --no-cleanup"
    })
final class LogRecoverCommand implements Callable<Integer> {

  @Parameters(
      arity = "0..*",
      paramLabel = "FILE",
      description = "Journals. Default: all of the log directory that nobody writes.")
  private List<Path> files = List.of();

  @Option(names = "--list", description = "Only report what there is to recover. Default: false.")
  private boolean list;

  @Option(
      names = "--log-dir",
      paramLabel = "DIR",
      description = "Where to look. Default: WEIR_LOG_DIR, or ./logs.")
  private @Nullable Path logDir;

  @Option(
      names = "--no-cleanup",
      description = "Leave journals and half-written files where they are. Default: false.")
  private boolean noCleanup;

  private final Surroundings surroundings;

  LogRecoverCommand(Surroundings surroundings) {
    this.surroundings = surroundings;
  }

  @Override
  public Integer call() throws IOException {
    List<Path> journals = journals();
    if (journals.isEmpty()) {
      surroundings.out().println("There is nothing to recover.");
    }
    boolean isWell = true;
    for (Path journal : journals) {
      if (list) {
        tell(journal);
      } else {
        isWell &= recover(journal);
      }
    }
    return isWell ? ExitCode.SUCCESS : ExitCode.FAILED;
  }

  private List<Path> journals() throws IOException {
    if (files.isEmpty()) {
      return LogRecovery.killed(LogPaths.directory(logDir, surroundings, "--log-dir"));
    }
    for (Path file : files) {
      if (Files.isDirectory(file)) {
        throw new ConfigurationException(
            "%s is a directory; `weir log recover --log-dir %s` recovers what is in it"
                .formatted(file, file));
      }
      if (!file.toString().endsWith(LogFiles.JOURNAL)) {
        throw new ConfigurationException(
            "%s is not a journal: the name of one ends with %s".formatted(file, LogFiles.JOURNAL));
      }
      if (!Files.exists(file)) {
        throw new ConfigurationException(
            LogFiles.current(file).equals(file)
                ? "there is no journal %s".formatted(file)
                : "%s was recovered already: the log is %s"
                    .formatted(file, LogFiles.current(file)));
      }
    }
    return files;
  }

  private void tell(Path journal) {
    LogEntry entry = LogDirectory.entry(journal);
    surroundings
        .out()
        .println(
            Printable.line(
                entry
                    .problem()
                    .orElseGet(
                        () ->
                            "%s: %s, %s on %s, %d of %d samples"
                                .formatted(
                                    journal,
                                    entry.status().word(),
                                    entry.task(),
                                    entry.model(),
                                    entry.done().orElse(0L),
                                    entry.total().orElse(0L)))));
  }

  /** One that cannot be recovered, or not all of it, is told, and the next is tried. */
  private boolean recover(Path journal) {
    try {
      Recovered recovered = LogRecovery.recover(journal, !noCleanup);
      surroundings.out().println(Printable.line(recovered.told()));
      return !hasLost(recovered);
    } catch (IOException unusable) {
      String why = String.valueOf(unusable.getMessage());
      surroundings
          .err()
          .println(
              "weir: "
                  + Printable.line(
                      why.contains(journal.toString())
                          ? why
                          : "%s could not be recovered: %s".formatted(journal, why)));
      return false;
    }
  }

  /** A torn tail is nothing lost: it never was whole. */
  private boolean hasLost(Recovered recovered) throws IOException {
    return noCleanup
        ? !recovered.damage().isEmpty() && LogFiles.hasLost(recovered.journal())
        : recovered.kept().isPresent();
  }
}
