package dev.weir.eval.dataset;

import de.siegmar.fastcsv.reader.CsvParseException;
import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.CsvRecord;
import de.siegmar.fastcsv.reader.CsvRecordHandler;
import de.siegmar.fastcsv.reader.FieldModifiers;
import dev.weir.model.ConfigurationException;
import dev.weir.model.Printable;
import java.io.Reader;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Rows of a CSV file whose first row names the columns. Not thread-safe. */
final class CsvSource {

  /** Characters of a value: room for a book, and an end for a quote that is never closed. */
  static final int LONGEST_VALUE = 64 << 20;

  private static final int MOST_VALUES = 16 << 10;

  private final String file;
  private final int longestValue;
  private List<String> columns = List.of();

  CsvSource(String file, int longestValue) {
    this.file = file;
    this.longestValue = longestValue;
  }

  void read(Reader reader, Rows rows) {
    var quotes = new QuoteWatch(reader);
    try {
      CsvReader.builder()
          .skipEmptyLines(true)
          // A short row is told by what it lacks, not by how many fields it has.
          .allowMissingFields(true)
          .allowExtraFields(true)
          .trimWhitespacesAroundQuotes(true)
          .maxBufferSize(longestValue)
          .build(
              CsvRecordHandler.of(
                  h ->
                      h.fieldModifier(FieldModifiers.STRIP)
                          .maxFields(MOST_VALUES)
                          .maxFieldSize(longestValue)
                          .maxRecordSize(Integer.MAX_VALUE)),
              quotes)
          .forEach(
              row -> {
                requireClosed(quotes);
                add(row, quotes.recent(), rows);
              });
    } catch (CsvParseException broken) {
      requireClosed(quotes);
      throw notCsv(broken, quotes);
    }
  }

  private void add(CsvRecord row, RecentText recent, Rows rows) {
    long line = row.getStartingLineNumber();
    recent.forgetBefore(line);
    if (columns.isEmpty()) {
      requireDistinct(row.getFields(), line, recent);
      columns = row.getFields();
      return;
    }
    // An unquoted comma would silently move what follows it into other columns.
    if (row.getFieldCount() > columns.size()) {
      throw problem(
          recent.placeOf(line, columns.size()),
          "the row has %s values for %s columns, '%s' the last; put values that contain commas in quotes"
              .formatted(row.getFieldCount(), columns.size(), Printable.line(columns.getLast())));
    }
    Map<String, String> fields = new LinkedHashMap<>();
    for (int i = 0; i < row.getFieldCount(); i++) {
      fields.put(columns.get(i), row.getField(i));
    }
    rows.add(new Place(line, columns, recent), fields);
  }

  private record Place(long line, List<String> columns, RecentText recent) implements RowPlace {

    @Override
    public String words() {
      return "line " + line;
    }

    @Override
    public String of(String column) {
      return recent.placeOf(line, Math.max(0, columns.indexOf(column)));
    }
  }

  private void requireDistinct(List<String> names, long line, RecentText recent) {
    Set<String> seen = new HashSet<>();
    for (int i = 0; i < names.size(); i++) {
      String name = names.get(i);
      if (!seen.add(name)) {
        throw problem(
            recent.placeOf(line, i),
            name.isEmpty()
                ? "two columns have no name; name them or remove them"
                : "the column '%s' is there twice; rename or remove one"
                    .formatted(Printable.line(name)));
      }
    }
  }

  /**
   * The parser takes the end of the file for the end of the quote, and all between as one value.
   */
  private void requireClosed(QuoteWatch quotes) {
    if (quotes.endedInside()) {
      throw problem(quotes.openedAt(), "the quote that is opened here is never closed; add a \"");
    }
  }

  /** The parser's exception says only where it was; the cause says what it found there. */
  private ConfigurationException notCsv(CsvParseException broken, QuoteWatch quotes) {
    Throwable cause = broken.getCause() == null ? broken : broken.getCause();
    String what = String.valueOf(cause.getMessage());
    if (what.contains("after closing quote") && !quotes.strayAt().isEmpty()) {
      return problem(
          quotes.strayAt(),
          "the file is not CSV: something stands behind the quote that closes a value; write quotes"
              + " within a value twice");
    }
    if (what.contains("maximum buffer size")) {
      what = "a value is longer than %s characters; is a quote not closed?".formatted(longestValue);
    } else if (what.contains("maximum limit of")) {
      what = "the row has more than %s values; is a line break missing?".formatted(MOST_VALUES);
    }
    String message = String.valueOf(broken.getMessage());
    String line = message.replaceFirst(".*started in line (\\d+)$", "$1");
    return new ConfigurationException(
        "%s, line %s, column 1: the file is not CSV: %s"
            .formatted(file, line.equals(message) ? "1" : line, what),
        broken);
  }

  private ConfigurationException problem(String place, String problem) {
    return new ConfigurationException("%s, %s: %s".formatted(file, place, problem));
  }
}
