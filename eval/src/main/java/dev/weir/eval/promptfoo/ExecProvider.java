package dev.weir.eval.promptfoo;

import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A provider that is a program, {@code exec: python3 chain.py}: it gets the prompt, the provider's
 * options and the context of the test as arguments, and what it prints is the answer. Becomes the
 * description of an {@code exec} model.
 */
final class ExecProvider {

  private static final String SCHEME = "exec:";
  private static final Pattern WORD = Pattern.compile("\"([^\"]*)\"|'([^']*)'|[^\\s\"']+");

  /** As for assertions in Python. */
  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  private ExecProvider() {}

  static boolean isOne(String id) {
    return id.startsWith(SCHEME);
  }

  /**
   * The description as JSON; empty if it cannot be made, which is told.
   *
   * @param folder where the configuration is, and the program is started
   */
  static Optional<String> description(
      String id, String label, Value config, Path folder, Place place, Problems problems) {
    List<String> command = words(id.substring(SCHEME.length()));
    if (command.isEmpty()) {
      problems.add(place, "`exec:` must be followed by a program, such as exec: python3 chain.py");
      return Optional.empty();
    }
    if (!isThere(command.getFirst(), folder)) {
      problems.add(
          place,
          "there is no program %s in %s, or it may not be run"
              .formatted(command.getFirst(), folder.toAbsolutePath().normalize()));
      return Optional.empty();
    }
    Duration timeout = timeout(config, problems);
    Map<String, @Nullable Object> options = new LinkedHashMap<>();
    options.put("id", id);
    options.put("label", label);
    options.put("config", config.isMapping() ? config.plain() : Map.of());
    Map<String, @Nullable Object> description = new LinkedHashMap<>();
    description.put("command", command);
    description.put("folder", folder.toAbsolutePath().normalize().toString());
    description.put("timeout", timeout.toMillis() + "ms");
    description.put("input", "arguments");
    description.put("options", options);
    description.put("output", "text");
    return Optional.of(Json.write(description));
  }

  private static Duration timeout(Value config, Problems problems) {
    Optional<Value> given = config.isMapping() ? config.member("timeout") : Optional.empty();
    if (given.isEmpty()) {
      return TIMEOUT;
    }
    if (given.get().data() instanceof Number millis && millis.longValue() > 0) {
      return Duration.ofMillis(millis.longValue());
    }
    problems.add(given.get().place(), "`timeout` must be a number of milliseconds above 0");
    return TIMEOUT;
  }

  /** Without a slash it is looked for where programs are. */
  private static boolean isThere(String program, Path folder) {
    try {
      Path file = folder.resolve(program);
      return !program.contains("/") || (Files.isExecutable(file) && !Files.isDirectory(file));
    } catch (InvalidPathException strange) {
      return false;
    }
  }

  /** As a shell would part them, quotes included; nothing else of a shell is understood. */
  private static List<String> words(String line) {
    List<String> words = new ArrayList<>();
    Matcher matcher = WORD.matcher(line);
    while (matcher.find()) {
      String quoted = matcher.group(1) == null ? matcher.group(2) : matcher.group(1);
      words.add(quoted == null ? matcher.group() : quoted);
    }
    return words;
  }
}
