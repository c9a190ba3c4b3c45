package dev.weir.eval.promptfoo;

import de.siegmar.fastcsv.reader.CsvParseException;
import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.CsvRecord;
import de.siegmar.fastcsv.reader.CsvRecordHandler;
import dev.weir.eval.dataset.InputFile;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The rows of a CSV file whose first row names the columns. */
final class CsvTable {

  private static final int LONGEST_VALUE = 16 << 20;
  private static final char BYTE_ORDER_MARK = '\uFEFF';

  private CsvTable() {}

  /** One row, with where it begins. */
  record Row(Map<String, String> fields, Place place) {}

  static List<Row> read(Path file, Place from, Problems problems) {
    List<Row> rows = new ArrayList<>();
    List<String> columns = new ArrayList<>();
    try (BufferedReader reader = Files.newBufferedReader(file);
        CsvReader<CsvRecord> records =
            CsvReader.builder()
                .skipEmptyLines(true)
                .allowMissingFields(true)
                .allowExtraFields(true)
                .trimWhitespacesAroundQuotes(true)
                .maxBufferSize(LONGEST_VALUE)
                .build(
                    CsvRecordHandler.of(
                        h -> h.maxFieldSize(LONGEST_VALUE).maxRecordSize(Integer.MAX_VALUE)),
                    reader)) {
      for (CsvRecord line : records) {
        if (columns.isEmpty()) {
          line.getFields()
              .forEach(
                  name -> columns.add(name.replace(String.valueOf(BYTE_ORDER_MARK), "").strip()));
        } else {
          rows.add(row(file, columns, line));
        }
      }
    } catch (IOException unreadable) {
      problems.add(from, String.valueOf(InputFile.unreadable(file, unreadable).getMessage()));
    } catch (CsvParseException | UncheckedIOException broken) {
      problems.add(from, "%s is not CSV: %s".formatted(file, broken.getMessage()));
    }
    return rows;
  }

  private static Row row(Path file, List<String> columns, CsvRecord line) {
    Map<String, String> fields = new LinkedHashMap<>();
    for (int i = 0; i < columns.size(); i++) {
      fields.put(columns.get(i), i < line.getFieldCount() ? line.getField(i) : "");
    }
    return new Row(fields, Place.line(file, line.getStartingLineNumber()));
  }
}
