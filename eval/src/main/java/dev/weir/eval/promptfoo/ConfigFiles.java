package dev.weir.eval.promptfoo;

import dev.weir.eval.dataset.InputFile;
import dev.weir.model.ConfigurationException;
import dev.weir.model.PathSpelling;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The files that a configuration names, {@code file://tests/*.yaml}; all paths are relative to the
 * configuration, whichever file they stand in. Not thread-safe.
 */
final class ConfigFiles {

  private static final String SCHEME = "file://";
  private static final long LARGEST = 256 << 20;
  private static final int DEEPEST = 30;
  private static final int FINGERPRINT_BYTES = 8;

  /** A file of code may be followed by the name of a function of it. */
  private static final Pattern FUNCTION = Pattern.compile("(\\.(?:[cm]?js|py)):\\w+$");

  private final Path directory;
  private final Map<String, String> environment;
  private final Problems problems;
  // By what they are named.
  private final Map<String, String> contents = new HashMap<>();

  ConfigFiles(Path directory, Map<String, String> environment, Problems problems) {
    this.directory = directory;
    this.environment = environment;
    this.problems = problems;
  }

  /** That of the configuration. */
  Path directory() {
    return directory;
  }

  static boolean isReference(String text) {
    return text.startsWith(SCHEME);
  }

  static boolean isReference(Value value) {
    return value.data() instanceof String text && isReference(text);
  }

  /** The ending of a file's name in lower case, without the dot. */
  static String ending(Path file) {
    String name = String.valueOf(file.getFileName());
    int dot = name.lastIndexOf('.');
    return dot < 0 ? "" : name.substring(dot + 1).toLowerCase(Locale.ROOT);
  }

  Path path(String reference) {
    String name = isReference(reference) ? reference.substring(SCHEME.length()) : reference;
    return directory.resolve(name).normalize();
  }

  /**
   * A template, or several in lists and mappings: what is written, or in the file that is named.
   * Tells if it cannot be filled.
   *
   * @param key what it belongs to
   */
  Optional<Value> template(Value value, String key) {
    Optional<Value> template = isReference(value) ? loaded(value) : Optional.of(value);
    template.ifPresent(written -> Templates.check(written, key, problems));
    return template;
  }

  private Optional<Value> loaded(Value value) {
    List<Path> found = find(value.text().orElse(""), value.place());
    if (found.isEmpty()) {
      return Optional.empty();
    }
    return switch (ending(found.getFirst())) {
      case "json", "yaml", "yml" -> data(found.getFirst(), value.place());
      default ->
          ownText(found.getFirst(), value.place())
              .map(text -> Value.of(text, Place.of(found.getFirst())));
    };
  }

  /** The files a reference means, in order; tells if there is none. */
  List<Path> find(String reference, Place place) {
    try {
      boolean isPattern = reference.chars().anyMatch(c -> "*?[{".indexOf(c) >= 0);
      List<Path> found =
          isPattern
              ? matching(reference)
              : Stream.of(path(reference)).filter(Files::isRegularFile).toList();
      if (found.isEmpty()) {
        problems.add(
            place,
            "there is no file '%s'%s".formatted(reference, isPattern ? "" : hint(reference)));
      }
      return found;
    } catch (InvalidPathException | java.util.regex.PatternSyntaxException malformed) {
      problems.add(place, "'%s' is not a path".formatted(reference));
    } catch (IOException unreadable) {
      problems.add(place, "'%s' cannot be looked for: %s".formatted(reference, unreadable));
    }
    return List.of();
  }

  private List<Path> matching(String reference) throws IOException {
    String pattern = isReference(reference) ? reference.substring(SCHEME.length()) : reference;
    String written = pattern.startsWith("./") ? pattern.substring(2) : pattern;
    int wild = 0;
    while (wild < written.length() && "*?[{".indexOf(written.charAt(wild)) < 0) {
      wild++;
    }
    String fixed = written.substring(0, written.lastIndexOf('/', wild) + 1);
    Path start = directory.resolve(fixed.isEmpty() ? "." : fixed).normalize();
    Path from = start.toString().isEmpty() ? Path.of(".") : start;
    if (!Files.isDirectory(from)) {
      return List.of();
    }
    PathMatcher matcher =
        FileSystems.getDefault().getPathMatcher("glob:" + written.substring(fixed.length()));
    try (Stream<Path> files = Files.walk(from, DEEPEST)) {
      return files
          .filter(Files::isRegularFile)
          .filter(file -> matcher.matches(from.relativize(file)))
          .sorted()
          .toList();
    }
  }

  private String hint(String reference) {
    return PathSpelling.hint(path(reference));
  }

  /** The text of a file; tells if it cannot be read. */
  Optional<String> text(Path file, Place place) {
    try {
      if (Files.size(file) > LARGEST) {
        problems.add(place, "%s is larger than %d bytes".formatted(file, LARGEST));
        return Optional.empty();
      }
      return Optional.of(Files.readString(file));
    } catch (IOException unreadable) {
      problems.add(place, String.valueOf(InputFile.unreadable(file, unreadable).getMessage()));
      return Optional.empty();
    }
  }

  /** The same, with variables of the environment put in. */
  Optional<String> ownText(Path file, Place place) {
    return text(file, place).map(text -> Document.filled(text, file, environment, problems));
  }

  /** What a YAML or JSON file of data holds, as it is; tells if it cannot be read. */
  Optional<Value> rawData(Path file, Place place) {
    try {
      return Optional.of(YamlReader.read(file));
    } catch (ConfigurationException unreadable) {
      problems.add(place, String.valueOf(unreadable.getMessage()));
      return Optional.empty();
    }
  }

  /**
   * What a YAML or JSON file of the configuration holds, with variables put in; tells if it cannot
   * be read.
   */
  Optional<Value> data(Path file, Place place) {
    try {
      return Optional.of(Document.part(file, environment, problems));
    } catch (ConfigurationException unreadable) {
      problems.add(place, String.valueOf(unreadable.getMessage()));
      return Optional.empty();
    }
  }

  /** The value itself, or what is in the YAML or JSON file that it names. */
  Optional<Value> dataOf(Value value) {
    if (!isReference(value)) {
      return Optional.of(value);
    }
    List<Path> found = find(value.text().orElse(""), value.place());
    return found.isEmpty() ? Optional.empty() : data(found.getFirst(), value.place());
  }

  /**
   * A short hash of what a value says and of what is in the files that it names; not in those that
   * these name in turn.
   */
  String fingerprint(Value value) {
    var text = new StringBuilder(Json.write(value.plain()));
    addNamed(value, text);
    try {
      byte[] bytes = text.toString().getBytes(StandardCharsets.UTF_8);
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(bytes);
      return HexFormat.of().formatHex(digest, 0, FINGERPRINT_BYTES);
    } catch (NoSuchAlgorithmException missing) {
      throw new IllegalStateException("each Java has SHA-256", missing);
    }
  }

  private void addNamed(Value value, StringBuilder text) {
    value.entries().values().forEach(member -> addNamed(member, text));
    value.members().forEach(member -> addNamed(member, text));
    if (isReference(value)) {
      String name = FUNCTION.matcher(value.text().orElse("")).replaceFirst("$1");
      text.append('\n').append(contents.computeIfAbsent(name, this::contents));
    }
  }

  /** What cannot be read is told by who needs it. */
  private String contents(String reference) {
    try {
      Path file = path(reference);
      return Files.isRegularFile(file) && Files.size(file) <= LARGEST
          ? new String(Files.readAllBytes(file), StandardCharsets.UTF_8)
          : "";
    } catch (IOException | InvalidPathException unreadable) {
      return "";
    }
  }
}
