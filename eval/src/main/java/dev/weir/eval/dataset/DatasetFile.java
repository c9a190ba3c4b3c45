package dev.weir.eval.dataset;

import static java.util.Objects.requireNonNull;

import dev.weir.model.ConfigurationException;
import dev.weir.model.Spelling;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.stream.Stream;

/**
 * Reads a dataset from a CSV, JSON or JSONL file, a folder, standard input, or a file of a format
 * that a {@link DatasetSource} adds. Reads and checks all of it.
 */
public final class DatasetFile {

  /** What can be read, in the order to show it; {@code parquet} with an optional module. */
  public static final List<String> FORMATS = List.of("csv", "json", "jsonl", "parquet", "folder");

  private static final String FOLDER = "folder";
  private static final String PARQUET = "parquet";
  private static final List<String> TEXTS = List.of("csv", "json", "jsonl");
  private static final char BYTE_ORDER_MARK = '\uFEFF';

  private DatasetFile() {}

  /** As {@link #read(Path, DatasetSpec)}, with columns that are called as what they are. */
  public static Dataset read(Path file) {
    return read(file, DatasetSpec.DEFAULT);
  }

  /**
   * @throws ConfigurationException if the file cannot be read or used, with file and line
   */
  public static Dataset read(Path file, DatasetSpec spec) {
    boolean isFolder = Files.isDirectory(file) && !file.toString().isBlank();
    String format = spec.format().orElseGet(() -> isFolder ? FOLDER : ending(file));
    if (!(isFolder && format.equals(FOLDER))) {
      InputFile.requireFile(file, "a dataset of this format");
    }
    Path parent = isFolder ? file : file.toAbsolutePath().getParent();
    var rows = new Rows(file.toString(), spec, parent == null ? Path.of("") : parent);
    try {
      if (TEXTS.contains(format)) {
        try (BufferedReader reader = Files.newBufferedReader(file)) {
          read(file.toString(), format, reader, rows);
        }
      } else if (format.equals(FOLDER)) {
        if (!isFolder) {
          throw new ConfigurationException("%s is not a folder".formatted(file));
        }
        new FolderSource(file, spec.fields()).read(rows);
      } else {
        requireExists(file);
        source(file.toString(), format).read(file, rows);
      }
    } catch (IOException unreadable) {
      throw InputFile.unreadable(file, unreadable);
    } catch (UncheckedIOException unreadable) {
      throw InputFile.unreadable(file, requireNonNull(unreadable.getCause()));
    }
    return rows.toDataset();
  }

  /**
   * Reads what comes in, such as standard input.
   *
   * @param name of the input, for people
   * @param directory what relative paths in rows start from
   * @throws ConfigurationException if it cannot be read or used
   */
  public static Dataset read(InputStream input, String name, DatasetSpec spec, Path directory) {
    String format =
        spec.format()
            .orElseThrow(
                () ->
                    new ConfigurationException(
                        "the format of %s is not known; set `format` to %s"
                            .formatted(name, String.join(", ", TEXTS))));
    if (!TEXTS.contains(format)) {
      throw new ConfigurationException(
          "%s cannot be read as '%s'; the formats of a stream are %s"
              .formatted(name, format, String.join(", ", TEXTS)));
    }
    var rows = new Rows(name, spec, directory);
    // Not closed: it is not ours.
    var decoder = StandardCharsets.UTF_8.newDecoder();
    try {
      read(name, format, new BufferedReader(new InputStreamReader(input, decoder)), rows);
    } catch (IOException unreadable) {
      throw InputFile.unreadable(Path.of(name), unreadable);
    } catch (UncheckedIOException unreadable) {
      throw InputFile.unreadable(Path.of(name), requireNonNull(unreadable.getCause()));
    }
    return rows.toDataset();
  }

  private static void read(String name, String format, BufferedReader reader, Rows rows)
      throws IOException {
    skipByteOrderMark(reader);
    if (format.equals("csv")) {
      new CsvSource(name, CsvSource.LONGEST_VALUE).read(reader, rows);
    } else if (format.equals("jsonl")) {
      new JsonSource(name).readLines(reader, rows::add);
    } else {
      new JsonSource(name).read(reader, rows::add);
    }
  }

  private static String ending(Path file) {
    String name = file.toString().toLowerCase(Locale.ROOT);
    return Stream.concat(FORMATS.stream(), sourcesUnless(name).map(DatasetSource::format))
        .filter(format -> name.endsWith("." + format))
        .findFirst()
        .orElseThrow(
            () ->
                new ConfigurationException(
                    "%s: a dataset must be a .csv, .json or .jsonl file, a .parquet file or a"
                            .formatted(file)
                        + " folder; `format` tells which if the name does not"));
  }

  /** Looking for them takes time, which names of built-in formats need not spend. */
  private static Stream<DatasetSource> sourcesUnless(String name) {
    return FORMATS.stream().anyMatch(format -> name.endsWith("." + format))
        ? Stream.empty()
        : sources();
  }

  private static Stream<DatasetSource> sources() {
    return ServiceLoader.load(DatasetSource.class).stream().map(ServiceLoader.Provider::get);
  }

  private static DatasetSource source(String name, String format) {
    Optional<DatasetSource> found =
        sources().filter(source -> source.format().equals(format)).findFirst();
    if (found.isPresent()) {
      return found.get();
    }
    if (format.equals(PARQUET)) {
      throw new ConfigurationException(
          name
              + ": parquet files are read by the optional module weir-datasets-parquet, which is"
              + " not there; put its jar and duckdb_jdbc on the class path, for ./weir with the"
              + " variable WEIR_CLASSPATH");
    }
    throw new ConfigurationException(
        "%s: there is no format '%s'%s".formatted(name, format, Spelling.hint(format, FORMATS)));
  }

  private static void requireExists(Path file) {
    if (!Files.exists(file)) {
      throw InputFile.unreadable(file, new NoSuchFileException(file.toString()));
    }
  }

  /** Spreadsheets put one before the first column's name. */
  private static void skipByteOrderMark(BufferedReader reader) throws IOException {
    reader.mark(1);
    if (reader.read() != BYTE_ORDER_MARK) {
      reader.reset();
    }
  }
}
