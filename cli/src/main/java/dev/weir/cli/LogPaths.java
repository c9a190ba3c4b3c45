package dev.weir.cli;

import dev.weir.eval.Evaluation;
import dev.weir.log.LogDirectory;
import dev.weir.log.LogFiles;
import dev.weir.log.RunLogReader;
import dev.weir.model.ConfigurationException;
import dev.weir.model.PathSpelling;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** The logs and directories that commands are given. */
final class LogPaths {

  private LogPaths() {}

  /** A directory of logs: the one given, that of the environment, or the usual one. */
  static Path directory(@Nullable Path given, Surroundings surroundings, String option) {
    Path directory =
        new Environment(surroundings.environment())
            .orElse(given, "WEIR_LOG_DIR", Values::path)
            .orElse(Evaluation.DEFAULT_LOG_DIR);
    if (!Files.isDirectory(directory)) {
      throw new ConfigurationException(
          Files.exists(directory)
              ? "%s is a file; give a directory of logs with %s".formatted(directory, option)
              : "there is no directory %s; give the one that has the logs with %s"
                  .formatted(directory, option));
    }
    return directory;
  }

  /** The log that is given; else the newest of the directory of logs. */
  static Path logOrNewest(@Nullable Path given, Surroundings surroundings) throws IOException {
    if (given != null) {
      return log(given);
    }
    Path directory = directory(null, surroundings, "LOG");
    return LogDirectory.logs(directory).stream()
        .findFirst()
        .map(LogPaths::log)
        .orElseThrow(
            () ->
                new ConfigurationException(
                    "there are no logs in %s; name the log".formatted(directory)));
  }

  /** A log that can be read, where it is now. */
  static Path log(Path given) {
    Path log = LogFiles.current(given);
    if (!Files.exists(log)) {
      throw new ConfigurationException(
          "there is no log %s%s".formatted(log, PathSpelling.hint(log)));
    }
    if (Files.isDirectory(log)) {
      throw new ConfigurationException(
          "%s is a directory; `weir log list %s` lists its logs".formatted(log, log));
    }
    try (var _ = RunLogReader.open(log)) {
      return log;
    } catch (IOException unreadable) {
      throw new ConfigurationException(
          "the log cannot be read: " + unreadable.getMessage(), unreadable);
    }
  }
}
