package dev.weir.eval.dataset;

import dev.weir.model.ConfigurationException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A folder in which each file is a sample, those of folders in it as well, in the order of their
 * names. The name without its ending is the id, with the folder before it: {@code easy/france}.
 *
 * <ul>
 *   <li>{@code .json}, {@code .yaml}, {@code .yml}: the row of a sample
 *   <li>{@code .txt}, {@code .md}: its input; a file of the same name that ends in {@code .target}
 *       holds the target
 * </ul>
 *
 * Other files, and those whose name begins with a dot, are no samples.
 */
final class FolderSource {

  private static final int DEEPEST = 20;
  private static final int MOST_FILES = 200_000;
  private static final List<String> ROWS = List.of(".json", ".yaml", ".yml");
  private static final List<String> TEXTS = List.of(".txt", ".md");

  private final Path folder;
  private final Fields fields;

  FolderSource(Path folder, Fields fields) {
    this.folder = folder;
    this.fields = fields;
  }

  void read(Rows rows) throws IOException {
    List<Path> files;
    try (Stream<Path> all = Files.walk(folder, DEEPEST)) {
      files = all.filter(this::isVisible).limit(MOST_FILES + 1L).toList();
    } catch (UncheckedIOException unreadable) {
      throw unreadable.getCause();
    }
    if (files.size() > MOST_FILES) {
      throw new ConfigurationException(
          "%s: the folder holds more than %s files".formatted(folder, MOST_FILES));
    }
    int samples = 0;
    for (Path file : files.stream().filter(Files::isRegularFile).sorted().toList()) {
      String name = folder.relativize(file).toString().replace('\\', '/');
      int dot = name.lastIndexOf('.');
      String ending = dot < 0 ? "" : name.substring(dot).toLowerCase(Locale.ROOT);
      if (ROWS.contains(ending) || TEXTS.contains(ending)) {
        Row row = TEXTS.contains(ending) ? text(file) : row(file, ending);
        rows.addNamed(
            new Place("file " + name, row.places()), name.substring(0, dot), row.fields());
        samples++;
      }
    }
    if (samples == 0) {
      throw new ConfigurationException(
          "%s: no file in the folder is a sample; they end in %s or %s"
              .formatted(folder, String.join(", ", ROWS), String.join(", ", TEXTS)));
    }
  }

  /**
   * @param places finds the line and column of a field; empty if it is the whole file, or not there
   */
  private record Row(
      Map<String, @Nullable Object> fields, Function<String, Optional<String>> places) {}

  private record Place(String words, Function<String, Optional<String>> places)
      implements RowPlace {

    @Override
    public String of(String column) {
      return words + ", " + places.apply(column).orElse("line 1, column 1");
    }
  }

  private boolean isVisible(Path file) {
    for (Path part : folder.relativize(file)) {
      if (part.toString().startsWith(".")) {
        return false;
      }
    }
    return true;
  }

  private Row text(Path file) throws IOException {
    Map<String, @Nullable Object> row = new LinkedHashMap<>();
    row.put(fields.input(), content(file));
    String name = file.toString();
    Path target = Path.of(name.substring(0, name.lastIndexOf('.')) + ".target");
    if (Files.isRegularFile(target)) {
      row.put(fields.target(), content(target).strip());
    }
    return new Row(row, _ -> Optional.empty());
  }

  /** The line break that ends a file is not part of what it says. */
  private static String content(Path file) {
    try {
      return Files.readString(file).stripTrailing();
    } catch (IOException unreadable) {
      throw InputFile.unreadable(file, unreadable);
    }
  }

  private static Row row(Path file, String ending) throws IOException {
    if (!ending.equals(".json")) {
      YamlText yaml = YamlText.read(file);
      return new Row(mapping(file, yaml.value()), yaml::placeOf);
    }
    List<Row> rows = new ArrayList<>();
    try (BufferedReader reader = Files.newBufferedReader(file)) {
      new JsonSource(file.toString())
          .read(reader, (place, row) -> rows.add(new Row(row, key -> Optional.of(place.of(key)))));
    } catch (IOException unreadable) {
      throw InputFile.unreadable(file, unreadable);
    }
    return rows.size() == 1 ? rows.getFirst() : new Row(mapping(file, null), _ -> Optional.empty());
  }

  private static Map<String, @Nullable Object> mapping(Path file, @Nullable Object value) {
    if (!(value instanceof Map<?, ?> map)) {
      throw new ConfigurationException(
          "%s, line 1, column 1: a file in a folder of samples must hold one sample, a mapping with `input`"
              .formatted(file));
    }
    Map<String, @Nullable Object> row = new LinkedHashMap<>();
    map.forEach((name, member) -> row.put(String.valueOf(name), member));
    return row;
  }
}
