package dev.weir.cli;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.IntFunction;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/**
 * Rows under headings, made to fit into a given width: first texts are cut, then columns are left
 * out, those that matter least first. Names that begin alike are cut inside. Immutable.
 */
final class Grid {

  static final int GAP = 2;

  /** Names that are alike for longer are cut further all the same. */
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
    List<UnaryOperator<String>> cuts = new ArrayList<>();
    for (int i = 0; i < widths.length; i++) {
      cuts.add(cut(kept.get(i), widths[i]));
    }
    List<String> lines = new ArrayList<>();
    lines.add(line(-1, columns.stream().map(Column::heading).toList(), kept, cuts, style));
    for (int row = 0; row < rows.size(); row++) {
      lines.add(line(row, rows.get(row), kept, cuts, style));
    }
    return lines;
  }

  /** Makes a text of a column exactly so wide. */
  private UnaryOperator<String> cut(int column, int width) {
    boolean right = columns.get(column).right();
    return columns.get(column).least() == 0 || areTold(texts(column), width, Cells::cut)
        ? text -> Cells.fit(text, width, right)
        : text -> Cells.fit(Cells.cutInside(text, width), width, right);
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

  private String line(
      int row,
      List<String> texts,
      List<Integer> kept,
      List<UnaryOperator<String>> cuts,
      Style style) {
    var line = new StringBuilder();
    for (int i = 0; i < kept.size(); i++) {
      String heading = columns.get(kept.get(i)).heading();
      String text = cuts.get(i).apply(texts.get(kept.get(i)));
      line.append(i == 0 ? "" : " ".repeat(GAP)).append(style.style(row, heading, text));
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
    // Where a wide one had to go, there may be room for some that went before it.
    all().stream()
        .filter(column -> !kept.contains(column))
        .sorted(Comparator.comparingInt(column -> -columns.get(column).worth()))
        .forEach(column -> addIfFitting(kept, column, width));
    return kept;
  }

  private void addIfFitting(List<Integer> kept, Integer column, int width) {
    List<Integer> more = new ArrayList<>(kept);
    more.add(column);
    if (total(more, false) <= width) {
      kept.add(column);
      kept.sort(null);
    }
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
    List<String> texts = texts(column);
    return IntStream.range(columns.get(column).least(), MOST_TO_TELL)
        .filter(width -> areTold(texts, width, Cells::cut))
        .findFirst()
        .orElseGet(
            () ->
                IntStream.range(columns.get(column).least(), MOST_TO_TELL)
                    .filter(width -> areTold(texts, width, Cells::cutInside))
                    .findFirst()
                    .orElse(0));
  }

  private List<String> texts(int column) {
    return rows.stream().map(row -> row.get(column)).distinct().toList();
  }

  /** Whether texts that differ still do when they are cut. */
  private static boolean areTold(
      List<String> texts, int width, BiFunction<String, Integer, String> cut) {
    return texts.stream().map(text -> cut.apply(text, width)).distinct().count() == texts.size();
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
