package dev.weir.eval.promptfoo;

import dev.weir.model.DurationText;
import java.io.File;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A provider that is a program, {@code exec: python3 chain.py}: it gets the prompt, the provider's
 * options and the context of the test as arguments, and what it prints is the answer. Becomes the
 * description of an {@code exec} model.
 */
final class ExecProvider {

  private static final String SCHEME = "exec:";

  /** Milliseconds, as for assertions in Python. */
  private static final BigDecimal TIMEOUT = BigDecimal.valueOf(60_000);

  private ExecProvider() {}

  static boolean isOne(String id) {
    return id.startsWith(SCHEME);
  }

  /**
   * The description as JSON; empty if it cannot be made, which is told.
   *
   * @param folder where the configuration is, and the program is started
   * @param path where programs are, if that is known: {@code /usr/bin:/bin}
   */
  static Optional<String> description(
      String id,
      String label,
      Value config,
      Path folder,
      Optional<String> path,
      Place place,
      Problems problems) {
    String line = id.substring(SCHEME.length());
    Optional<String> open = openQuote(line);
    if (open.isPresent()) {
      problems.add(place, "the quote before %s is not closed".formatted(open.get()));
      return Optional.empty();
    }
    List<String> command = words(line);
    if (command.isEmpty() || command.getFirst().isEmpty()) {
      problems.add(place, "`exec:` must be followed by a program, such as exec: python3 chain.py");
      return Optional.empty();
    }
    String program = command.getFirst();
    if (!isThere(program, folder, path)) {
      problems.add(
          place,
          "there is no program %s in %s, or it may not be run"
              .formatted(
                  program,
                  program.contains("/")
                      ? folder.toAbsolutePath().normalize()
                      : "the folders of PATH"));
      return Optional.empty();
    }
    BigDecimal timeout =
        timeout(new Section(config, "the config of an exec provider", problems), problems);
    Map<String, @Nullable Object> options = new LinkedHashMap<>();
    options.put("id", id);
    options.put("label", label);
    options.put("config", config.isMapping() ? config.plain() : Map.of());
    Map<String, @Nullable Object> description = new LinkedHashMap<>();
    description.put("command", command);
    description.put("folder", folder.toAbsolutePath().normalize().toString());
    description.put("timeout", timeout.movePointLeft(3).toPlainString() + "s");
    description.put("input", "arguments");
    description.put("options", options);
    description.put("output", "text");
    return Optional.of(Json.write(description));
  }

  /** In milliseconds. What is wrong is told here: the description has other lines and columns. */
  private static BigDecimal timeout(Section config, Problems problems) {
    Optional<Value> given = config.value("timeout");
    if (given.isEmpty()) {
      return TIMEOUT;
    }
    if (given.get().data() instanceof Number number
        && number.longValue() >= 1
        && number.doubleValue() <= DurationText.LONGEST.toMillis()) {
      return BigDecimal.valueOf(number.longValue());
    }
    problems.add(
        given.get().place(),
        "`timeout` must be a number of milliseconds from 1 to %d (%d days)"
            .formatted(DurationText.LONGEST.toMillis(), DurationText.LONGEST.toDays()));
    return TIMEOUT;
  }

  /** Without a slash it is looked for where programs are. */
  private static boolean isThere(String program, Path folder, Optional<String> path) {
    if (program.contains("/")) {
      return isProgram(folder.toString(), program);
    }
    // Elsewhere the ends of names are found, too: there, the run tells.
    return path.isEmpty()
        || !File.pathSeparator.equals(":")
        || Pattern.compile(":")
            .splitAsStream(path.get())
            .anyMatch(place -> isProgram(place, program));
  }

  private static boolean isProgram(String folder, String program) {
    try {
      Path file = Path.of(folder).resolve(program);
      return Files.isExecutable(file) && !Files.isDirectory(file);
    } catch (InvalidPathException strange) {
      return false;
    }
  }

  /** What follows a quote that is never closed. */
  private static Optional<String> openQuote(String line) {
    int at = 0;
    while (at < line.length()) {
      char quote = line.charAt(at++);
      if (quote == '"' || quote == '\'') {
        int end = line.indexOf(quote, at);
        if (end < 0) {
          return Optional.of(line.substring(at));
        }
        at = end + 1;
      }
    }
    return Optional.empty();
  }

  /**
   * As a shell would part them, quotes included, which may be a part of a word; nothing else of a
   * shell is understood.
   */
  private static List<String> words(String line) {
    List<String> words = new ArrayList<>();
    var word = new StringBuilder();
    boolean isWord = false;
    int at = 0;
    while (at < line.length()) {
      char next = line.charAt(at++);
      if (next == '"' || next == '\'') {
        int end = line.indexOf(next, at);
        word.append(line, at, end);
        at = end + 1;
        isWord = true;
      } else if (!Character.isWhitespace(next)) {
        word.append(next);
        isWord = true;
      } else if (isWord) {
        words.add(word.toString());
        word.setLength(0);
        isWord = false;
      }
    }
    if (isWord) {
      words.add(word.toString());
    }
    return words;
  }
}
