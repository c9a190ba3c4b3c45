package dev.weir.providers.custom;

import dev.weir.model.ConfigurationException;
import dev.weir.providers.http.Arguments;
import dev.weir.providers.http.ConfigFile;
import dev.weir.providers.http.ConfigFile.Value;
import dev.weir.providers.http.Json;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A program as a file describes it.
 *
 * <pre>
 *   command: [python3, model.py]     started without a shell, in the folder of the file
 *   shell: python3 model.py | tail   or, instead, a line for sh -c
 *   env: {API_KEY: "${MY_KEY}"}      what the program gets beside PATH, HOME and the like
 *   model: small                     told to the program; also -M model=small
 *   timeout: 2m                      10 minutes otherwise; also -M timeout=2m
 *   max_output: 1000000              bytes; 16 MiB otherwise
 *   output: text                     whatever is printed is the answer, even if it begins with {
 *   input: arguments                 the prompt, options and context as its last arguments, instead of
 *                                    JSON on standard input; the context is what a request adds by
 *                                    that name, and what fails is not tried again
 *   options: {config: {…}}           the second of these
 *   folder: scripts                  where it is started, instead
 * </pre>
 *
 * <p>A path that does not end in {@code .yaml}, {@code .yml} or {@code .json} is the program
 * itself.
 *
 * @param source the file, for people
 * @param environment holds credentials
 * @param plain whether the output is a text whatever it looks like
 * @param options JSON that is the second of the last arguments, if it gets such
 */
record ExecConfig(
    Path source,
    List<String> command,
    Path folder,
    Map<String, String> environment,
    String model,
    Duration timeout,
    int maxOutput,
    boolean plain,
    Optional<String> options) {

  private static final Duration TIMEOUT = Duration.ofMinutes(10);
  private static final int MAX_OUTPUT = 16 << 20;
  private static final int LARGEST_OUTPUT = 1 << 30;
  private static final List<String> KEYS =
      List.of(
          "command",
          "shell",
          "env",
          "model",
          "timeout",
          "max_output",
          "output",
          "input",
          "options",
          "folder");

  static ExecConfig read(Path path, Arguments arguments, Variables variables) {
    Path file = path.toAbsolutePath().normalize();
    String name = String.valueOf(file.getFileName());
    Path folder = Optional.ofNullable(file.getParent()).orElse(file);
    Optional<String> model = arguments.text("model");
    Optional<Duration> timeout = arguments.duration("timeout");
    if (!name.matches(".*\\.(yaml|yml|json)")) {
      requireProgram(file, path.toString());
      return new ExecConfig(
          file,
          List.of(file.toString()),
          folder,
          Map.of(),
          model.orElse(name),
          timeout.orElse(TIMEOUT),
          MAX_OUTPUT,
          false,
          Optional.empty());
    }
    return of(
        file, ConfigFile.read(file, "the description of an exec model"), arguments, variables);
  }

  /**
   * @param source where the description is from, or would be
   */
  static ExecConfig of(Path source, Value root, Arguments arguments, Variables variables) {
    Path file = source.toAbsolutePath().normalize();
    String name = String.valueOf(file.getFileName());
    Optional<String> model = arguments.text("model");
    Optional<Duration> timeout = arguments.duration("timeout");
    Map<String, Value> entries = root.mapping("the file", KEYS);
    Path beside = Optional.ofNullable(file.getParent()).orElse(file);
    Path folder =
        optional(entries, "folder")
            .map(value -> beside.resolve(value.text("`folder`")).normalize())
            .orElse(beside);
    return new ExecConfig(
        file,
        command(root, entries, folder),
        folder,
        optional(entries, "env").map(value -> variables.fill(value, "`env`")).orElse(Map.of()),
        model.or(() -> optional(entries, "model").map(v -> v.text("`model`"))).orElse(name),
        timeout
            .or(() -> optional(entries, "timeout").map(v -> v.duration("`timeout`")))
            .orElse(TIMEOUT),
        optional(entries, "max_output")
            .map(value -> (int) value.whole("`max_output`", 1, LARGEST_OUTPUT))
            .orElse(MAX_OUTPUT),
        optional(entries, "output").map(ExecConfig::isPlain).orElse(false),
        options(root, entries));
  }

  private static Optional<String> options(Value root, Map<String, Value> entries) {
    Optional<Value> options = optional(entries, "options");
    String input = optional(entries, "input").map(value -> value.text("`input`")).orElse("json");
    return switch (input) {
      case "arguments" -> Optional.of(options.map(ExecConfig::json).orElse("{}"));
      case "json" -> {
        if (options.isPresent()) {
          throw options.get().problem("`options` are for input: arguments");
        }
        yield Optional.empty();
      }
      default ->
          throw optional(entries, "input")
              .orElse(root)
              .problem("`input` must be json or arguments, was '%s'".formatted(input));
    };
  }

  private static String json(Value options) {
    Map<String, Object> members = new LinkedHashMap<>();
    options
        .mapping("`options`")
        .forEach(
            (name, member) -> {
              Object tree = member.tree();
              members.put(name, tree == null ? Json.ABSENT.embedded() : tree);
            });
    return Json.text(members);
  }

  /** What its answers depend on, as far as it is in files: itself, and those the command names. */
  List<Path> files() {
    return Stream.concat(
            Stream.of(source), command.stream().filter(ExecConfig::maybePath).map(folder::resolve))
        .filter(Files::isRegularFile)
        .distinct()
        .toList();
  }

  private static boolean maybePath(String word) {
    // Not a word of any length that a shell is given.
    return !word.isBlank() && word.length() < 1_000 && word.indexOf('\0') < 0;
  }

  private static boolean isPlain(Value value) {
    String word = value.text("`output`");
    return switch (word) {
      case "text" -> true;
      case "auto" -> false;
      default -> throw value.problem("`output` must be auto or text, was '%s'".formatted(word));
    };
  }

  private static List<String> command(Value root, Map<String, Value> entries, Path folder) {
    Value command = entries.get("command");
    Value shell = entries.get("shell");
    if (command != null && shell == null) {
      return words(command, folder);
    }
    if (shell != null && command == null) {
      return List.of("sh", "-c", shell.text("`shell`"));
    }
    throw root.problem("there must be either a `command` or a `shell` line");
  }

  private static List<String> words(Value command, Path folder) {
    if (!command.isList()) {
      throw command.problem(
          "`command` must be a list, such as [python3, model.py]; a line is a `shell`");
    }
    List<String> words =
        command.list("`command`").stream().map(word -> word.text("a word of `command`")).toList();
    if (words.isEmpty() || words.getFirst().isBlank()) {
      throw command.problem("`command` must name a program");
    }
    words.forEach(word -> Variables.refuseIn(command, word));
    String program = words.getFirst();
    if (!program.contains("/")) {
      return words;
    }
    Path found = folder.resolve(program).normalize();
    if (!Files.isExecutable(found)) {
      throw command.problem("there is no program %s, or it may not be run".formatted(found));
    }
    return Stream.concat(Stream.of(found.toString()), words.stream().skip(1)).toList();
  }

  private static void requireProgram(Path file, String given) {
    if (Files.isDirectory(file) || !Files.isExecutable(file)) {
      throw new ConfigurationException(
          ("model 'exec/%s': %s is not a program that may be run; give one, or a file .yaml that"
                  + " describes it")
              .formatted(given, file));
    }
  }

  private static Optional<Value> optional(Map<String, Value> entries, String key) {
    return Optional.ofNullable(entries.get(key));
  }

  /** The environment holds credentials. */
  @Override
  public String toString() {
    return "ExecConfig[%s]".formatted(source);
  }
}
