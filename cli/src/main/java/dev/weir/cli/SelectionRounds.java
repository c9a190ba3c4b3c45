package dev.weir.cli;

import static dev.weir.cli.Axis.at;
import static dev.weir.log.HtmlFrame.escaped;

import dev.weir.eval.select.SelectionFindings;
import dev.weir.selection.Look;
import dev.weir.selection.Objective;
import dev.weir.selection.Standing;
import dev.weir.statistics.Interval;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

/**
 * How a selection went, as a picture (SVG). Each combination has a row: on how many datapoints it
 * was tried until it was given up, and how its interval became narrower from round to round.
 */
record SelectionRounds(SelectionFindings found, List<Standing> shown, SelectionNames names) {

  private static final int LABELS = 300;
  private static final int SAMPLES_END = 560;
  private static final int SCORES = 640;
  private static final int WIDTH = 1000;
  private static final int TOP = 34;
  private static final int MANY = 30;
  private static final int LONGEST_LABEL = 46;

  /** How dark the last interval is, and all before it together. */
  private static final double NOW = 0.35;

  private static final double BEFORE = 0.35;

  private int height() {
    return shown.size() > MANY ? 16 : 22;
  }

  String svg() {
    int bottom = TOP + height() * shown.size();
    var samples = new Axis(0, found.plan().datapoints(), false, LABELS, SAMPLES_END);
    Axis scores = scores();
    var svg = new StringBuilder();
    svg.append(
        "<svg class=\"rounds\" viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s\">\n"
            .formatted(
                WIDTH, bottom + 26, "datapoints and intervals of each combination, by round"));
    panel(svg, samples, bottom, "datapoints", "%.0f");
    panel(svg, scores, bottom, isScore() ? "score" : "value of the objective", "%.2f");
    found
        .result()
        .standings()
        .getFirst()
        .value()
        .ifPresent(
            value ->
                svg.append(
                    "<path class=\"best\" d=\"M%s %dV%d\"/>\n"
                        .formatted(at(scores.place(value)), TOP, bottom)));
    for (int i = 0; i < shown.size(); i++) {
      row(svg, shown.get(i), TOP + i * height(), samples, scores);
    }
    return svg.append("</svg>\n").toString();
  }

  private boolean isScore() {
    return !(found.plan().objective() instanceof Objective.Weighted);
  }

  private Axis scores() {
    List<Interval> all = shown.stream().flatMap(arm -> arm.interval().stream()).toList();
    return Axis.ofShares(
        all.stream().mapToDouble(Interval::low).min().orElse(0),
        all.stream().mapToDouble(Interval::high).max().orElse(1),
        SCORES,
        WIDTH - 16);
  }

  private static void panel(StringBuilder svg, Axis axis, int bottom, String title, String number) {
    for (double tick : axis.ticks()) {
      String x = at(axis.place(tick));
      svg.append("<path class=\"grid\" d=\"M%s %dV%d\"/>".formatted(x, TOP, bottom));
      String text = String.format(Locale.ROOT, number, tick);
      svg.append("<text class=\"middle\" x=\"%s\" y=\"%d\">%s</text>".formatted(x, TOP - 6, text));
      svg.append(
          "<text class=\"middle\" x=\"%s\" y=\"%d\">%s</text>\n".formatted(x, bottom + 16, text));
    }
    svg.append(
        "<text class=\"title\" x=\"%s\" y=\"12\">%s</text>\n".formatted(at(axis.from()), title));
  }

  private void row(StringBuilder svg, Standing arm, int top, Axis samples, Axis scores) {
    double middle = top + height() / 2.0;
    boolean isWinner = arm.equals(found.result().standings().getFirst());
    String kind = isWinner ? "winner" : arm.elimination().isPresent() ? "gone" : "left";
    svg.append("<g class=\"%s\"><title>%s</title>".formatted(kind, escaped(title(arm))));
    svg.append(
        "<rect class=\"row\" x=\"0\" y=\"%d\" width=\"%d\" height=\"%d\"/>"
            .formatted(top, WIDTH, height()));
    svg.append(
        "<text class=\"end name\" x=\"%d\" y=\"%s\" dy=\".35em\">%s</text>"
            .formatted(
                LABELS - 10,
                at(middle),
                escaped(Cells.cut(names.brief(arm.arm()), LONGEST_LABEL))));
    List<Look> looks = found.history().getOrDefault(arm.arm(), List.of());
    bar(svg, arm, looks, middle, samples);
    intervals(svg, arm, looks, middle, scores);
    svg.append("</g>\n");
  }

  /** As long as datapoints were asked, with a notch at each round. */
  private void bar(StringBuilder svg, Standing arm, List<Look> looks, double middle, Axis samples) {
    double end = samples.place(arm.samples());
    double thickness = height() - 8;
    svg.append(
        "<rect class=\"bar\" x=\"%d\" y=\"%s\" width=\"%s\" height=\"%s\"/>"
            .formatted(LABELS, at(middle - thickness / 2), at(end - LABELS), at(thickness)));
    IntStream.range(0, Math.max(0, looks.size() - 1))
        .mapToDouble(i -> samples.place(looks.get(i).samples()))
        .forEach(
            x ->
                svg.append(
                    "<path class=\"notch\" d=\"M%s %sv%s\"/>"
                        .formatted(at(x), at(middle - thickness / 2), at(thickness))));
    arm.elimination()
        .ifPresent(
            gone ->
                svg.append(
                    "<text class=\"round\" x=\"%s\" y=\"%s\" dy=\".35em\">× round %d</text>"
                        .formatted(at(end + 5), at(middle), gone.round())));
  }

  /** What is known now, and paler what was known before: the wider, the earlier. */
  private void intervals(
      StringBuilder svg, Standing arm, List<Look> looks, double middle, Axis scores) {
    double thickness = height() - 10;
    for (int i = 0; i < looks.size(); i++) {
      Interval interval = looks.get(i).interval();
      double from = Math.max(scores.from(), scores.place(interval.low()));
      double to = Math.min(scores.to(), scores.place(interval.high()));
      double shade = i == looks.size() - 1 ? NOW : BEFORE / (looks.size() - 1);
      svg.append(
          "<rect class=\"interval\" x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\" fill-opacity=\"%s\"/>"
              .formatted(
                  at(from),
                  at(middle - thickness / 2),
                  at(Math.max(1, to - from)),
                  at(thickness),
                  String.format(Locale.ROOT, "%.3f", shade)));
    }
    arm.value()
        .ifPresent(
            value ->
                svg.append(
                    "<circle class=\"mean\" cx=\"%s\" cy=\"%s\" r=\"3\"/>"
                        .formatted(at(scores.place(value)), at(middle))));
  }

  private String title(Standing arm) {
    var title = new StringBuilder(names.whole(arm.arm()));
    title.append("\n").append(Numbers.count(arm.samples(), "datapoint"));
    found
        .history()
        .getOrDefault(arm.arm(), List.of())
        .forEach(
            look ->
                title.append(
                    String.format(
                        Locale.ROOT,
                        "\nround %d: %.3f (%.3f to %.3f) on %d",
                        look.round(),
                        look.value(),
                        look.interval().low(),
                        look.interval().high(),
                        look.samples())));
    arm.elimination()
        .ifPresent(
            gone ->
                title
                    .append("\ngiven up in round ")
                    .append(gone.round())
                    .append(": ")
                    .append(gone.reason()));
    return title.toString();
  }
}
