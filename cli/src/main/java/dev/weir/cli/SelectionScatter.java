package dev.weir.cli;

import static dev.weir.cli.Axis.at;
import static dev.weir.log.HtmlFrame.escaped;

import dev.weir.selection.Standing;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.function.DoubleFunction;
import java.util.function.Function;

/**
 * Scores against what they take, as a picture (SVG): each combination is a point, and the line is
 * the Pareto set, which none beats in both.
 *
 * @param standings all combinations, the winner first
 * @param fewest samples that a combination needs to be on the line
 * @param names of combinations
 */
record SelectionScatter(List<Standing> standings, int fewest, SelectionNames names) {

  private static final int WIDTH = 560;
  private static final int HEIGHT = 380;
  private static final int LEFT = 52;
  private static final int RIGHT = 18;
  private static final int TOP = 26;
  private static final int BOTTOM = 46;
  private static final int LABEL_HEIGHT = 14;
  private static final double LETTER = 6.1;
  private static final int LONGEST_LABEL = 40;

  /**
   * What is paid for a score.
   *
   * @param title of its axis
   * @param written how an amount is written
   * @param round how a round one is
   * @param absent what is said when nothing is known of it
   * @param nothing what is said when it is zero
   */
  record Measure(
      String title,
      Function<Standing, OptionalDouble> amount,
      DoubleFunction<String> written,
      DoubleFunction<String> round,
      String absent,
      String nothing) {

    static final Measure COST =
        new Measure(
            "dollars per evaluation",
            Standing::cost,
            SelectionSummary::dollars,
            dollars -> "$" + brief(dollars),
            "No combination has a price that is known.",
            "All combinations cost nothing.");

    static final Measure LATENCY =
        new Measure(
            "seconds per evaluation, without waiting for a turn",
            Standing::latency,
            seconds -> String.format(Locale.ROOT, seconds < 10 ? "%.2f s" : "%.1f s", seconds),
            seconds -> brief(seconds) + " s",
            "No latency was measured.",
            "No combination takes any time.");

    private static String brief(double number) {
      return BigDecimal.valueOf(number)
          .round(new MathContext(3))
          .stripTrailingZeros()
          .toPlainString();
    }
  }

  private record Point(Standing arm, double amount, double score) {}

  /** A picture, or a sentence why there is none. */
  String svg(Measure measure) {
    List<Point> points = standings.stream().flatMap(arm -> point(arm, measure).stream()).toList();
    if (points.isEmpty() || points.stream().allMatch(point -> point.amount() == 0)) {
      String why = points.isEmpty() ? measure.absent() : measure.nothing();
      return "<p class=\"none\">" + why + "</p>";
    }
    Axis across =
        Axis.of(
            points.stream().mapToDouble(Point::amount).min().orElseThrow(),
            points.stream().mapToDouble(Point::amount).max().orElseThrow(),
            LEFT,
            WIDTH - RIGHT);
    Axis up =
        Axis.ofShares(
            points.stream().mapToDouble(Point::score).min().orElseThrow(),
            points.stream().mapToDouble(Point::score).max().orElseThrow(),
            HEIGHT - BOTTOM,
            TOP);
    List<Point> front = front(points);
    var svg = new StringBuilder();
    svg.append(
        "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"score against %s\">\n"
            .formatted(WIDTH, HEIGHT, measure.title()));
    axes(svg, across, up, measure);
    line(svg, front, across, up);
    // Those that matter lie above the others.
    for (Point point : points.reversed()) {
      dot(svg, point, front.contains(point), across, up, measure);
    }
    labels(svg, points, front, across, up);
    return svg.append("</svg>\n").toString();
  }

  private static Optional<Point> point(Standing arm, Measure measure) {
    OptionalDouble amount = measure.amount().apply(arm);
    return amount.isEmpty() || arm.score().isEmpty()
        ? Optional.empty()
        : Optional.of(new Point(arm, amount.getAsDouble(), arm.score().getAsDouble()));
  }

  /** Those that no other beats in both, the cheapest first. */
  private List<Point> front(List<Point> points) {
    List<Point> front = new ArrayList<>();
    double best = -1;
    for (Point point :
        points.stream()
            .filter(point -> point.arm().samples() >= fewest)
            .sorted(
                Comparator.comparingDouble(Point::amount)
                    .thenComparing(Comparator.comparingDouble(Point::score).reversed()))
            .toList()) {
      if (point.score() > best) {
        front.add(point);
        best = point.score();
      }
    }
    return front;
  }

  private static void axes(StringBuilder svg, Axis across, Axis up, Measure measure) {
    for (double tick : up.ticks()) {
      String y = at(up.place(tick));
      svg.append("<path class=\"grid\" d=\"M%d %sH%d\"/>".formatted(LEFT, y, WIDTH - RIGHT));
      svg.append(
          "<text class=\"end\" x=\"%d\" y=\"%s\" dy=\".35em\">%s</text>\n"
              .formatted(LEFT - 8, y, String.format(Locale.ROOT, "%.2f", tick)));
    }
    int bottom = HEIGHT - BOTTOM;
    for (double tick : across.ticks()) {
      String x = at(across.place(tick));
      svg.append("<path class=\"grid\" d=\"M%s %dV%d\"/>".formatted(x, TOP, bottom));
      svg.append(
          "<text class=\"middle\" x=\"%s\" y=\"%d\">%s</text>\n"
              .formatted(x, bottom + 18, measure.round().apply(tick)));
    }
    svg.append(
        "<path class=\"axis\" d=\"M%d %dV%dH%d\"/>".formatted(LEFT, TOP, bottom, WIDTH - RIGHT));
    svg.append(
        "<text class=\"middle title\" x=\"%d\" y=\"%d\">%s%s</text>\n"
            .formatted(
                (LEFT + WIDTH - RIGHT) / 2,
                HEIGHT - 8,
                measure.title(),
                across.logarithmic() ? " (logarithmic)" : ""));
    svg.append("<text class=\"title\" x=\"4\" y=\"11\">score</text>\n");
  }

  private static void line(StringBuilder svg, List<Point> front, Axis across, Axis up) {
    if (front.isEmpty()) {
      return;
    }
    var path = new StringBuilder();
    for (Point point : front) {
      String x = at(across.place(point.amount()));
      String y = at(up.place(point.score()));
      // As a stair: what costs more than one point and less than the next scores as the first.
      path.append(path.isEmpty() ? "M%s %s".formatted(x, y) : "H%sV%s".formatted(x, y));
    }
    svg.append("<path class=\"front\" d=\"%sH%d\"/>\n".formatted(path, WIDTH - RIGHT));
  }

  private void dot(
      StringBuilder svg, Point point, boolean isFront, Axis across, Axis up, Measure measure) {
    boolean isWinner = point.arm().equals(standings.getFirst());
    String kind = isWinner ? "winner" : point.arm().elimination().isPresent() ? "gone" : "left";
    String title =
        "%s\nscore %s%s\n%s\n%s%s"
            .formatted(
                names.whole(point.arm().arm()),
                Numbers.score(point.score()),
                point
                    .arm()
                    .interval()
                    .map(in -> String.format(Locale.ROOT, " (%.3f to %.3f)", in.low(), in.high()))
                    .orElse(""),
                measure.written().apply(point.amount()),
                Numbers.count(point.arm().samples(), "sample"),
                isFront ? "\nin the Pareto set" : "");
    svg.append(
        "<circle class=\"%s%s\" cx=\"%s\" cy=\"%s\" r=\"%s\"><title>%s</title></circle>\n"
            .formatted(
                kind,
                isFront ? " pareto" : "",
                at(across.place(point.amount())),
                at(up.place(point.score())),
                isWinner ? "7" : isFront ? "5" : "4",
                escaped(title)));
  }

  /** Of the winner and of the line, as far as they do not cover each other. */
  private void labels(
      StringBuilder svg, List<Point> points, List<Point> front, Axis across, Axis up) {
    Set<Point> wanted = new HashSet<>(front);
    List<Point> named = new ArrayList<>();
    points.stream().filter(point -> point.arm().equals(standings.getFirst())).forEach(named::add);
    front.reversed().stream().filter(point -> !named.contains(point)).forEach(named::add);
    wanted.addAll(named);
    List<double[]> taken = new ArrayList<>();
    for (Point point : points) {
      double x = across.place(point.amount());
      double y = up.place(point.score());
      if (wanted.contains(point)) {
        taken.add(new double[] {x - 6, y - 6, x + 6, y + 6});
      }
    }
    for (Point point : named) {
      label(svg, point, across.place(point.amount()), up.place(point.score()), taken);
    }
  }

  private void label(StringBuilder svg, Point point, double x, double y, List<double[]> taken) {
    String text = Cells.cut(names.brief(point.arm().arm()), LONGEST_LABEL);
    double length = text.length() * LETTER;
    // To the right below the line, to the left above it, or further away from it.
    double[][] places = {
      {x + 10, y + 16}, {x - 10 - length, y - 8}, {x + 10, y + 30}, {x - 10 - length, y + 16}
    };
    for (double[] place : places) {
      double[] box = {place[0], place[1] - LABEL_HEIGHT + 3, place[0] + length, place[1] + 3};
      boolean isInside =
          box[0] >= LEFT && box[2] <= WIDTH && box[1] >= 0 && box[3] <= HEIGHT - BOTTOM;
      if (isInside && taken.stream().noneMatch(other -> overlap(box, other))) {
        taken.add(box);
        svg.append(
            "<text class=\"label\" x=\"%s\" y=\"%s\">%s</text>\n"
                .formatted(at(place[0]), at(place[1]), escaped(text)));
        return;
      }
    }
  }

  private static boolean overlap(double[] one, double[] other) {
    return one[0] < other[2] && other[0] < one[2] && one[1] < other[3] && other[1] < one[3];
  }
}
