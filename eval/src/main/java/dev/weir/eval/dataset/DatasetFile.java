package dev.weir.eval.dataset;

import static java.util.Objects.requireNonNull;

import dev.weir.model.ConfigurationException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** Reads a dataset from a CSV, JSON or JSONL file; the ending of its name says which. */
public final class DatasetFile {

  private static final char BYTE_ORDER_MARK = '\uFEFF';

  private DatasetFile() {}

  /**
   * @throws ConfigurationException if the file cannot be read or used, with file and line
   */
  public static Dataset read(Path file) {
    InputFile.requireFile(file, "a dataset");
    String name = file.toString().toLowerCase(Locale.ROOT);
    if (!name.endsWith(".csv") && !name.endsWith(".json") && !name.endsWith(".jsonl")) {
      throw new ConfigurationException(
          "%s: a dataset must be a .csv, .json or .jsonl file".formatted(file));
    }
    var rows = new Rows(file.toString());
    try (BufferedReader reader = Files.newBufferedReader(file)) {
      skipByteOrderMark(reader);
      if (name.endsWith(".csv")) {
        new CsvSource(file, CsvSource.LONGEST_VALUE).read(reader, rows);
      } else {
        new JsonSource(file).read(reader, rows);
      }
    } catch (IOException unreadable) {
      throw InputFile.unreadable(file, unreadable);
    } catch (UncheckedIOException unreadable) {
      throw InputFile.unreadable(file, requireNonNull(unreadable.getCause()));
    }
    return rows.toDataset();
  }

  /** Spreadsheets put one before the first column's name. */
  private static void skipByteOrderMark(BufferedReader reader) throws IOException {
    reader.mark(1);
    if (reader.read() != BYTE_ORDER_MARK) {
      reader.reset();
    }
  }
}
