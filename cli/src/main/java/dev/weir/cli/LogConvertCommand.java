package dev.weir.cli;

import dev.weir.log.LogFiles;
import dev.weir.model.ConfigurationException;
import dev.weir.model.Printable;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code weir log convert}: the same log in another form. */
@Command(
    name = "convert",
    description = {
      "Write logs in another form; the originals stay unchanged.",
      "",
      "The journal of a run in progress becomes a log with the status started, with what was"
          + " finished by then."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  weir log convert logs/LOG.journal                 # logs/LOG.eval, at any time",
      "  weir log convert logs/LOG.eval --to json",
      "  weir log convert logs/*.json --overwrite",
      "  weir log convert logs/LOG.journal --output /tmp/now.eval"
    })
final class LogConvertCommand implements Callable<Integer> {

  private static final String PARTIAL = ".partial";

  @Parameters(arity = "1..*", paramLabel = "FILE", description = "Logs, or journals.")
  private List<Path> files = List.of();

  @Option(
      names = "--to",
      paramLabel = "eval|json",
      description = "The form: eval, or json (one document). Default: by --output, else eval.")
  private @Nullable String to;

  @Option(
      names = "--output",
      paramLabel = "FILE",
      description = "Where it is written; with one log. Default: beside it.")
  private @Nullable Path output;

  @Option(names = "--overwrite", description = "Replace what is there. Default: false.")
  private boolean overwrite;

  private final Surroundings surroundings;

  LogConvertCommand(Surroundings surroundings) {
    this.surroundings = surroundings;
  }

  @Override
  public Integer call() throws IOException {
    String ending = ending();
    if (output != null && files.size() > 1) {
      throw new ConfigurationException(
          "--output is for one log, and %d are given; leave it out".formatted(files.size()));
    }
    int worst = ExitCode.SUCCESS;
    for (Path file : files) {
      Path log = LogPaths.log(file);
      Path target = output == null ? LogFiles.named(log, ending) : output;
      if (Files.exists(target) && Files.isSameFile(target, log)) {
        throw new ConfigurationException(
            "%s is such a log already; choose another form with --to, or another file with --output"
                .formatted(log));
      }
      if (Files.exists(target) && !overwrite) {
        throw new ConfigurationException(
            "%s already exists; --overwrite replaces it".formatted(target));
      }
      List<String> damage = written(log, target, ending);
      surroundings.out().println(Printable.line(target.toString()));
      worst = Math.max(worst, LogDamage.told(damage, surroundings));
    }
    return worst;
  }

  private static List<String> written(Path log, Path target, String ending) throws IOException {
    try {
      return ending.equals(LogFiles.JSON)
          ? LogFiles.toJson(log, target)
          : LogFiles.toEval(log, target);
    } catch (FileSystemException failed) {
      // What is named there has a name that nobody gave it.
      if (String.valueOf(failed.getFile()).endsWith(PARTIAL)) {
        throw new ConfigurationException(
            "%s cannot be written: %s; choose another place with --output"
                .formatted(target, reason(failed)),
            failed);
      }
      throw failed;
    }
  }

  private static String reason(FileSystemException failed) {
    return switch (failed) {
      case NoSuchFileException _ -> "no file can be made there";
      case AccessDeniedException _ -> "permission denied";
      default -> Optional.ofNullable(failed.getReason()).orElseGet(() -> String.valueOf(failed));
    };
  }

  private String ending() {
    return switch (to) {
      case null ->
          output != null && output.toString().endsWith(LogFiles.JSON)
              ? LogFiles.JSON
              : LogFiles.EVAL;
      case "eval" -> LogFiles.EVAL;
      case "json" -> LogFiles.JSON;
      default ->
          throw new ConfigurationException("--to must be eval or json, was '%s'".formatted(to));
    };
  }
}
