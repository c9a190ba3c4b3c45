package dev.weir.benchmarks.limits;

import java.util.Locale;

/** Writes a picture as text; the classes of its elements have their colours in a style sheet. */
final class Svg {

  private final StringBuilder text = new StringBuilder();

  /**
   * @param style the colours, as CSS
   */
  Svg(int width, int height, String title, String style) {
    append(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\""
            + " role=\"img\" font-family=\"system-ui, 'Segoe UI', Helvetica, Arial, sans-serif\">",
        width, height, width, height);
    append("<title>%s</title>", escaped(title));
    append("<style>%n%s</style>", style);
  }

  void rectangle(String kind, double x, double y, double width, double height) {
    append(
        "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>",
        kind, x, y, width, height);
  }

  void line(String kind, double fromX, double fromY, double toX, double toY) {
    append(
        "<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>",
        kind, fromX, fromY, toX, toY);
  }

  /**
   * @param path its commands, as in SVG: {@code "M0 0 L10 5"}
   */
  void path(String kind, String path) {
    append("<path class=\"%s\" d=\"%s\"/>", kind, path);
  }

  /**
   * @param anchor {@code start}, {@code middle} or {@code end}
   */
  void text(String kind, double x, double y, String anchor, String words) {
    append(
        "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>",
        kind, x, y, anchor, escaped(words));
  }

  /** A text that is read from below. */
  void upwards(String kind, double x, double y, String words) {
    append(
        "<text class=\"%s\" transform=\"translate(%.1f %.1f) rotate(-90)\""
            + " text-anchor=\"middle\">%s</text>",
        kind, x, y, escaped(words));
  }

  /** The whole document. */
  String end() {
    return text + "</svg>\n";
  }

  @SuppressWarnings(
      "AnnotateFormatMethod") // the annotation is only there by way of another library
  private void append(String format, Object... values) {
    text.append(String.format(Locale.ROOT, format, values)).append('\n');
  }

  private static String escaped(String words) {
    return words.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }
}
