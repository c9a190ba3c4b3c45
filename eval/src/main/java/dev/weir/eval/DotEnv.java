package dev.weir.eval;

import dev.weir.model.ConfigurationException;
import java.io.IOException;
import java.nio.charset.MalformedInputException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads variables from a file {@code .env}, where credentials are often kept.
 *
 * <pre>
 * # a comment
 * OPENAI_API_KEY=sk-…
 * export NAME="a value with # and \n"   # a comment
 * OTHER='taken as it is'
 * </pre>
 */
public final class DotEnv {

  private static final String FILE = ".env";

  private static final Pattern NAME =
      Pattern.compile("\\s*(?:export\\s+)?([A-Za-z_][A-Za-z0-9_.-]*)\\s*=(.*)");

  private DotEnv() {}

  /**
   * The variables of a process, and those of the nearest {@code .env} in a directory or above it;
   * those of the process win.
   *
   * @throws ConfigurationException if the file cannot be read; never with a value in it
   */
  public static Map<String, String> merge(Map<String, String> process, Path directory) {
    Map<String, String> merged = new HashMap<>();
    for (Path at = directory.toAbsolutePath(); at != null; at = at.getParent()) {
      Path file = at.resolve(FILE);
      if (Files.isRegularFile(file)) {
        merged.putAll(read(file));
        break;
      }
    }
    process.forEach(
        (name, value) -> {
          // An empty variable counts as unset, here as elsewhere.
          if (!value.isEmpty()) {
            merged.put(name, value);
          }
        });
    return merged;
  }

  static Map<String, String> read(Path file) {
    List<String> lines;
    try {
      lines = Files.readAllLines(file);
    } catch (MalformedInputException binary) {
      throw new ConfigurationException("%s is not a text in UTF-8".formatted(file), binary);
    } catch (IOException unreadable) {
      throw new ConfigurationException(
          "%s cannot be read (%s); make it readable, or remove it"
              .formatted(file, unreadable.getClass().getSimpleName()),
          unreadable);
    }
    Map<String, String> variables = new HashMap<>();
    for (int i = 0; i < lines.size(); i++) {
      // Some editors on Windows begin a file with a mark.
      String line = (i == 0 ? lines.get(i).replace("\uFEFF", "") : lines.get(i)).strip();
      if (line.isEmpty() || line.startsWith("#")) {
        continue;
      }
      Matcher matcher = NAME.matcher(line);
      if (!matcher.matches()) {
        // Without the line itself: it may be a credential.
        throw new ConfigurationException(
            "%s, line %d: must be of the form NAME=value".formatted(file, i + 1));
      }
      int first = i + 1;
      var text = new StringBuilder(matcher.group(2).strip());
      Optional<String> value = value(text.toString());
      // Keys of several lines are kept in quotes.
      while (value.isEmpty() && i + 1 < lines.size()) {
        i++;
        text.append('\n').append(lines.get(i));
        value = value(text.toString());
      }
      variables.put(
          matcher.group(1),
          value.orElseThrow(
              () ->
                  new ConfigurationException(
                      "%s, line %d: a value that begins with a quote must end with it"
                          .formatted(file, first))));
    }
    return variables;
  }

  /** Empty if a quote is not closed yet. */
  private static Optional<String> value(String text) {
    if (text.isEmpty()) {
      return Optional.of("");
    }
    char quote = text.charAt(0);
    if (quote != '"' && quote != '\'') {
      int comment = text.indexOf(" #");
      return Optional.of(comment < 0 ? text : text.substring(0, comment).strip());
    }
    var value = new StringBuilder();
    for (int i = 1; i < text.length(); i++) {
      char next = text.charAt(i);
      if (next == quote) {
        String rest = text.substring(i + 1).strip();
        return rest.isEmpty() || rest.startsWith("#")
            ? Optional.of(value.toString())
            : Optional.empty();
      }
      if (next == '\\' && quote == '"' && i + 1 < text.length()) {
        i++;
        value.append(unescaped(text.charAt(i)));
      } else {
        value.append(next);
      }
    }
    return Optional.empty();
  }

  private static String unescaped(char escaped) {
    return switch (escaped) {
      case 'n' -> "\n";
      case 'r' -> "\r";
      case 't' -> "\t";
      case '"', '\\', '$' -> String.valueOf(escaped);
      default -> "\\" + escaped;
    };
  }
}
