package dev.weir.cli;

import dev.weir.eval.option.Secrets;
import dev.weir.model.Printable;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;

/** How people resume what ended early. */
sealed interface Resumption {

  /** With {@code weir eval-retry} and the logs. */
  record WithRetry() implements Resumption {}

  /**
   * With the command that was typed.
   *
   * @param command for a shell; in words if it holds a credential
   */
  record WithTheSameCommand(String command) implements Resumption {}

  /** The command that is being executed. */
  static WithTheSameCommand repeated(
      @Nullable CommandSpec running, Map<String, String> environment) {
    List<String> words =
        running == null ? List.of() : running.root().commandLine().getParseResult().originalArgs();
    return new WithTheSameCommand(
        words.isEmpty() || holdsCredential(words, new Secrets(environment))
            ? "run the same command again"
            : words.stream()
                .map(word -> ShellWord.of(Printable.line(word)))
                .collect(Collectors.joining(" ", "weir ", "")));
  }

  private static boolean holdsCredential(List<String> words, Secrets secrets) {
    return Stream.concat(words.stream(), Stream.of(String.join(" ", words)))
        .anyMatch(word -> !secrets.hidden(word).equals(word));
  }
}
