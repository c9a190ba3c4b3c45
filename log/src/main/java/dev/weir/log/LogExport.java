package dev.weir.log;

import dev.weir.log.SampleTable.Cell;
import java.io.IOException;
import java.io.Writer;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import tools.jackson.core.StreamWriteFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * Logs for other programs and for people: a row for each sample, held one at a time. What is
 * damaged is left out, and given back in sentences.
 */
public final class LogExport {

  private static final JsonMapper JSON =
      JsonMapper.builder()
          .disable(StreamWriteFeature.AUTO_CLOSE_TARGET)
          .enable(StreamWriteFeature.WRITE_BIGDECIMAL_AS_PLAIN)
          .build();

  /** Stands for what a terminal would obey. */
  private static final char CONTROL = '\uFFFD';

  private LogExport() {}

  /** As spreadsheets read it (RFC 4180), with a heading. */
  public static List<String> csv(List<Path> logs, Writer out) throws IOException {
    SampleTable table = SampleTable.of(logs);
    line(out, table.columns());
    return table.each(cells -> line(out, cells.stream().map(Cell::text).toList()));
  }

  private static void line(Writer out, List<String> texts) throws IOException {
    List<String> cells = new ArrayList<>();
    for (String told : texts) {
      String text = shown(told);
      boolean isPlain =
          text.chars().noneMatch(c -> c == '"' || c == ',' || c == '\n' || c == '\r')
              && text.equals(text.strip());
      cells.add(isPlain ? text : "\"" + text.replace("\"", "\"\"") + "\"");
    }
    out.write(String.join(",", cells) + "\r\n");
  }

  /** Whoever prints the file must not have an answer of a model rule the terminal. */
  private static String shown(String text) {
    if (text.chars().noneMatch(LogExport::controls)) {
      return text;
    }
    var shown = new StringBuilder(text.length());
    text.chars().forEach(c -> shown.append(controls(c) ? CONTROL : (char) c));
    return shown.toString();
  }

  private static boolean controls(int c) {
    return Character.isISOControl(c) && c != '\n' && c != '\r' && c != '\t';
  }

  /** An array with an object for each sample; what a sample does not have is null. */
  public static List<String> json(List<Path> logs, Writer out) throws IOException {
    SampleTable table = SampleTable.of(logs);
    List<String> columns = table.columns();
    var separator = new StringBuilder("[\n");
    List<String> damage =
        table.each(
            cells -> {
              ObjectNode row = JSON.createObjectNode();
              for (int i = 0; i < columns.size(); i++) {
                put(row, columns.get(i), cells.get(i));
              }
              out.write(separator.toString());
              out.write(JSON.writeValueAsString(row));
              separator.setLength(0);
              separator.append(",\n");
            });
    out.write(separator.toString().equals("[\n") ? "[]\n" : "\n]\n");
    return damage;
  }

  private static void put(ObjectNode row, String column, Cell cell) {
    switch (cell.value()) {
      case null -> row.putNull(column);
      case BigDecimal number -> row.put(column, number);
      case Integer number -> row.put(column, number);
      case Long number -> row.put(column, number);
      case Number number -> row.set(column, JSON.valueToTree(number));
      case Boolean flag -> row.put(column, flag);
      case Map<?, ?> map -> row.set(column, JSON.valueToTree(map));
      case List<?> list -> row.set(column, JSON.valueToTree(list));
      default -> row.put(column, cell.text());
    }
  }

  /** One page that needs nothing else: what came of the run, failures first, and transcripts. */
  public static List<String> html(Path log, Writer out) throws IOException {
    return new HtmlPage(LoggedRunSummary.of(log), LogDirectory.entry(log).status(), out).write();
  }
}
