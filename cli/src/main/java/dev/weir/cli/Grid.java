package dev.weir.cli;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/**
 * Rows under headings, made to fit into a given width: first texts are cut, then columns are left
 * out, those that matter least first. Immutable.
 */
final class Grid {

  static final int GAP = 2;

  /** Of names that are alike for longer, only the beginning is shown all the same. */
  private static final int MOST_TO_TELL = 28;

  /** Says how texts look, such as by adding colours; it must not change how wide they are. */
  interface Style {

    Style PLAIN = (_, _, text) -> text;

    /**
     * @param row from 0; -1 for the headings
     * @param heading of the column
     */
    String style(int row, String heading, String text);
  }

  /**
   * @param right whether texts stand at the right
   * @param worth the higher, the longer it stays
   * @param least how far texts may be cut; 0 if they may not
   */
  record Column(String heading, boolean right, int worth, int least) {

    static Column left(String heading, int worth) {
      return new Column(heading, false, worth, 0);
    }

    static Column right(String heading, int worth) {
      return new Column(heading, true, worth, 0);
    }

    /** For names and texts of others, of which the beginning says something, too. */
    static Column name(String heading, int worth, int least) {
      return new Column(heading, false, worth, least);
    }
  }

  private final List<Column> columns;
  private final List<List<String>> rows;

  Grid(List<Column> columns, List<List<String>> rows) {
    this.columns = List.copyOf(columns);
    this.rows = rows.stream().map(List::copyOf).toList();
  }

  /** How wide it is when nothing is cut or left out. */
  int width() {
    return total(all(), true);
  }

  /** Without the columns that would be left out. */
  Grid fitting(int width) {
    List<Integer> kept = kept(width);
    return new Grid(
        kept.stream().map(columns::get).toList(),
        rows.stream().map(row -> kept.stream().map(row::get).toList()).toList());
  }

  /** With one more column. */
  Grid with(int place, Column column, IntFunction<String> text) {
    List<Column> more = new ArrayList<>(columns);
    more.add(place, column);
    List<List<String>> longer = new ArrayList<>();
    for (int row = 0; row < rows.size(); row++) {
      List<String> texts = new ArrayList<>(rows.get(row));
      texts.add(place, text.apply(row));
      longer.add(texts);
    }
    return new Grid(more, longer);
  }

  /** The headings and the rows. */
  List<String> lines(int width, Style style) {
    List<Integer> kept = kept(width);
    int[] widths = widths(kept, width);
    List<String> lines = new ArrayList<>();
    lines.add(line(-1, columns.stream().map(Column::heading).toList(), kept, widths, style));
    for (int row = 0; row < rows.size(); row++) {
      lines.add(line(row, rows.get(row), kept, widths, style));
    }
    return lines;
  }

  /** The columns that are left out, and what each row would have had there. */
  List<String> leftOut(int width, int row) {
    List<Integer> kept = kept(width);
    return all().stream()
        .filter(column -> !kept.contains(column))
        .map(column -> columns.get(column).heading() + " " + rows.get(row).get(column))
        .toList();
  }

  /** Lines to put under the headings. */
  String rule(int width) {
    int[] widths = widths(kept(width), width);
    return String.join(" ".repeat(GAP), IntStream.of(widths).mapToObj("─"::repeat).toList());
  }

  private String line(int row, List<String> texts, List<Integer> kept, int[] widths, Style style) {
    var line = new StringBuilder();
    for (int i = 0; i < kept.size(); i++) {
      Column column = columns.get(kept.get(i));
      String text = Cells.fit(texts.get(kept.get(i)), widths[i], column.right());
      line.append(i == 0 ? "" : " ".repeat(GAP)).append(style.style(row, column.heading(), text));
    }
    return line.toString().stripTrailing();
  }

  private List<Integer> all() {
    return IntStream.range(0, columns.size()).boxed().toList();
  }

  private List<Integer> kept(int width) {
    List<Integer> kept = new ArrayList<>(all());
    while (kept.size() > 1 && total(kept, false) > width) {
      Integer leastWorth =
          kept.stream().min(Comparator.comparingInt(i -> columns.get(i).worth())).orElseThrow();
      kept.removeIf(leastWorth::equals);
    }
    return kept;
  }

  private int total(List<Integer> kept, boolean uncut) {
    return kept.stream().mapToInt(i -> uncut ? natural(i) : least(i)).sum()
        + GAP * (kept.size() - 1);
  }

  private int natural(int column) {
    return Math.max(
        Cells.width(columns.get(column).heading()),
        rows.stream().mapToInt(row -> Cells.width(row.get(column))).max().orElse(0));
  }

  private int least(int column) {
    int least = columns.get(column).least();
    return least == 0
        ? natural(column)
        : Math.min(Math.max(least, telling(column)), natural(column));
  }

  /** How far texts that differ may be cut and still do, if that is not too far. */
  private int telling(int column) {
    List<String> texts = rows.stream().map(row -> row.get(column)).distinct().toList();
    int width = columns.get(column).least();
    while (width < MOST_TO_TELL && cut(texts, width) < texts.size()) {
      width++;
    }
    return width < MOST_TO_TELL ? width : 0;
  }

  private static long cut(List<String> texts, int width) {
    return texts.stream().map(text -> Cells.cut(text, width)).distinct().count();
  }

  /** The widest are cut first. */
  private int[] widths(List<Integer> kept, int width) {
    int[] widths = kept.stream().mapToInt(this::natural).toArray();
    int over = total(kept, true) - width;
    while (over > 0) {
      int widest = -1;
      for (int i = 0; i < widths.length; i++) {
        boolean canShrink = widths[i] > (kept.size() == 1 ? 1 : least(kept.get(i)));
        if (canShrink && (widest < 0 || widths[i] > widths[widest])) {
          widest = i;
        }
      }
      if (widest < 0) {
        break;
      }
      widths[widest]--;
      over--;
    }
    return widths;
  }
}
