package dev.weir.eval.dataset;

import de.siegmar.fastcsv.reader.CsvParseException;
import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.FieldModifiers;
import de.siegmar.fastcsv.reader.NamedCsvRecord;
import de.siegmar.fastcsv.reader.NamedCsvRecordHandler;
import dev.weir.model.ConfigurationException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.json.JsonMapper;

/** Reads a dataset from a CSV, JSON or JSONL file; the ending of its name says which. */
public final class DatasetFile {

  private static final char BYTE_ORDER_MARK = '\uFEFF';

  private DatasetFile() {}

  /**
   * @throws ConfigurationException if the file cannot be read or used, with file and line
   */
  public static Dataset read(Path file) {
    String name = file.getFileName().toString().toLowerCase(Locale.ROOT);
    if (!name.endsWith(".csv") && !name.endsWith(".json") && !name.endsWith(".jsonl")) {
      throw new ConfigurationException(
          "%s: a dataset must be a .csv, .json or .jsonl file".formatted(file));
    }
    try (BufferedReader reader = Files.newBufferedReader(file)) {
      skipByteOrderMark(reader);
      return name.endsWith(".csv") ? csv(file, reader) : json(file, reader);
    } catch (NoSuchFileException missing) {
      throw new ConfigurationException(
          "%s: there is no such dataset file".formatted(file), missing);
    } catch (IOException unreadable) {
      throw unreadable(file, unreadable);
    } catch (UncheckedIOException unreadable) {
      throw unreadable(file, unreadable);
    } catch (CsvParseException broken) {
      throw new ConfigurationException(
          "%s: the file is not CSV: %s".formatted(file, broken.getMessage()), broken);
    } catch (JacksonException broken) {
      if (broken.getCause() instanceof IOException unreadable) {
        throw unreadable(file, unreadable);
      }
      throw new ConfigurationException(
          "%s, line %d, column %d: %s"
              .formatted(
                  file,
                  broken.getLocation().getLineNr(),
                  broken.getLocation().getColumnNr(),
                  broken.getOriginalMessage()),
          broken);
    }
  }

  private static Dataset csv(Path file, Reader reader) {
    var rows = new Rows(file.toString());
    CsvReader.builder()
        .skipEmptyLines(true)
        // A short row is told by what it lacks, not by how many fields it has.
        .allowMissingFields(true)
        .allowExtraFields(true)
        .trimWhitespacesAroundQuotes(true)
        .build(NamedCsvRecordHandler.of(h -> h.fieldModifier(FieldModifiers.STRIP)), reader)
        .forEach(
            row -> {
              String place = "line " + row.getStartingLineNumber();
              requireNoStrayComma(file, place, row);
              rows.add(place, row.getFieldsAsMap());
            });
    return rows.toDataset();
  }

  /** An unquoted comma would silently move what follows it into other columns. */
  private static void requireNoStrayComma(Path file, String place, NamedCsvRecord row) {
    int columns = row.getHeader().size();
    if (row.getFieldCount() > columns) {
      throw new ConfigurationException(
          "%s, %s: the row has %d values for %d columns; put values that contain commas in quotes"
              .formatted(file, place, row.getFieldCount(), columns));
    }
  }

  /** JSON lines and a JSON array are both a sequence of objects to the parser. */
  private static Dataset json(Path file, Reader reader) {
    var rows = new Rows(file.toString());
    boolean inArray = false;
    try (JsonParser parser = new JsonMapper().createParser(reader)) {
      for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
        String place = "line " + parser.currentTokenLocation().getLineNr();
        switch (token) {
          case START_OBJECT -> rows.add(place, fields(file, place, parser));
          case START_ARRAY, END_ARRAY -> {
            if (inArray == (token == JsonToken.START_ARRAY)) {
              throw notARow(file, place);
            }
            inArray = !inArray;
          }
          default -> throw notARow(file, place);
        }
      }
    }
    return rows.toDataset();
  }

  private static Map<String, String> fields(Path file, String place, JsonParser parser) {
    Map<String, String> fields = new LinkedHashMap<>();
    while (parser.nextToken() != JsonToken.END_OBJECT) {
      String name = parser.currentName();
      JsonToken value = parser.nextToken();
      if (value.isScalarValue()) {
        fields.put(name, value == JsonToken.VALUE_NULL ? "" : parser.getString());
      } else if (name.equals("input") || name.equals("target") || name.equals("id")) {
        throw new ConfigurationException(
            "%s, %s: `%s` must be text or a number".formatted(file, place, name));
      } else {
        parser.skipChildren();
      }
    }
    return fields;
  }

  private static ConfigurationException notARow(Path file, String place) {
    return new ConfigurationException(
        "%s, %s: expected an object with `input` and `target`".formatted(file, place));
  }

  private static ConfigurationException unreadable(Path file, Exception cause) {
    String why =
        cause instanceof CharacterCodingException
                || cause.getCause() instanceof CharacterCodingException
            ? "it is not UTF-8 text; convert it and try again"
            : cause.toString();
    return new ConfigurationException("%s cannot be read: %s".formatted(file, why), cause);
  }

  /** Spreadsheets put one before the first column's name. */
  private static void skipByteOrderMark(BufferedReader reader) throws IOException {
    reader.mark(1);
    if (reader.read() != BYTE_ORDER_MARK) {
      reader.reset();
    }
  }
}
