package dev.weir.log;

import static dev.weir.log.HtmlFrame.escaped;

import dev.weir.log.RunResult.ScorerMetrics;
import dev.weir.log.SampleTable.Cell;
import java.io.IOException;
import java.io.Writer;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** A log as one static page: nothing is loaded from elsewhere, and nothing in it can act. */
final class HtmlPage {

  /** A page is for looking at; the log has the whole. */
  private static final int LONGEST_TEXT = 2_000;

  private static final int MOST_DIGITS = 6;

  private static final DateTimeFormatter CLOCK =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss", Locale.ROOT).withZone(ZoneOffset.UTC);

  private final SampleTable table;
  private final LogEntry.Status status;
  private final Writer out;

  HtmlPage(SampleTable table, LogEntry.Status status, Writer out) {
    this.table = table;
    this.status = status;
    this.out = out;
  }

  /** Gives what is damaged and therefore left out, in sentences. */
  List<String> write() throws IOException {
    RunStart start = table.start();
    String title = start.task() + " on " + start.model();
    HtmlFrame.begin(out, title, "", true);
    line("<h1>" + escaped(title) + "</h1>");
    line("<p>" + escaped(String.valueOf(table.file().getFileName())) + "</p>");
    summary();
    metrics();
    List<String> damage = samples();
    line("<script>\n" + HtmlFrame.resource(HtmlPage.class, "export.js") + "</script>");
    HtmlFrame.end(out);
    return damage;
  }

  private void summary() throws IOException {
    RunResult result = table.result();
    line("<dl>");
    item("status", status.word());
    if (result.error().isPresent() && status != LogEntry.Status.RUNNING) {
      line("<dt>error</dt><dd class=\"problem\">" + escaped(result.error().get()) + "</dd>");
    }
    item("began", CLOCK.format(table.start().started()) + " UTC");
    item("took", String.format(Locale.ROOT, "%.1f s", result.seconds()));
    RunResult.Counts counts = result.samples();
    item(
        "samples",
        "%d: %d scored, %d failed, %d not finished"
            .formatted(counts.total(), counts.scored(), counts.failed(), counts.unfinished()));
    item(
        "tokens",
        String.format(
            Locale.ROOT, "%,d in, %,d out", result.tokens().input(), result.tokens().output()));
    item(
        "cost",
        result.cost().unknownCalls() > 0
            ? "unknown"
            : "$" + result.cost().knownUsd().toPlainString());
    line("</dl>");
  }

  private void item(String name, String text) throws IOException {
    line("<dt>" + name + "</dt><dd>" + escaped(text) + "</dd>");
  }

  private void metrics() throws IOException {
    line(
        "<table><thead><tr><th>scorer</th><th>epochs</th><th>metrics</th><th>95 %"
            + " interval</th></tr></thead><tbody>");
    for (ScorerMetrics score : table.result().scores()) {
      String metrics =
          score.metrics().entrySet().stream()
              .map(metric -> metric.getKey() + " " + number(metric.getValue()))
              .collect(Collectors.joining(", "));
      String interval =
          score
              .interval()
              .map(range -> number(range.low()) + " to " + number(range.high()))
              .orElse("");
      line(
          "<tr><td>%s</td><td>%s</td><td>%s</td><td>%s</td></tr>"
              .formatted(
                  escaped(score.scorer()), escaped(score.reducer()), escaped(metrics), interval));
    }
    line("</tbody></table>");
  }

  private List<String> samples() throws IOException {
    line("<div class=\"scroll\"><table id=\"samples\"><thead><tr>");
    for (String column : table.columns()) {
      line("<th><button type=\"button\">" + escaped(column) + "</button></th>");
    }
    line("</tr></thead><tbody>");
    List<String> damage =
        table.each(
            cells -> {
              out.write("<tr>");
              for (Cell cell : cells) {
                out.write(cell.isNumber() ? "<td class=\"number\">" : "<td>");
                out.write(escaped(cut(shown(cell))));
                out.write("</td>");
              }
              out.write("</tr>\n");
            });
    line("</tbody></table></div>");
    return damage;
  }

  /** Times to the second, and seconds to the millisecond: nobody reads more. */
  private static String shown(Cell cell) {
    return switch (cell.value()) {
      case Instant time -> CLOCK.format(time);
      case BigDecimal number when number.scale() > MOST_DIGITS ->
          number.setScale(MOST_DIGITS, RoundingMode.HALF_UP).stripTrailingZeros().toPlainString();
      case null, default -> cell.text();
    };
  }

  private static String number(double value) {
    // A score may have 300 digits, which are no table.
    return String.format(Locale.ROOT, Math.abs(value) < 1e7 ? "%.3f" : "%.3e", value);
  }

  private static String cut(String text) {
    return text.length() <= LONGEST_TEXT ? text : text.substring(0, LONGEST_TEXT) + "…";
  }

  private void line(String html) throws IOException {
    out.write(html + "\n");
  }
}
