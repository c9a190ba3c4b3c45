package dev.weir.benchmarks.limits;

import dev.weir.benchmarks.limits.PlottedRun.Point;
import dev.weir.cli.Benchmark;
import dev.weir.simulator.provider.Scenarios;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Draws what mode {@code pace} does over time against three providers. */
public final class LimitsPlot implements Benchmark {

  static final Path FILE = Path.of("docs", "plots", "limits.svg");

  private static final long SEED = 11;

  private static final int WIDTH = 960;
  private static final int LEFT = 66;
  private static final int RIGHT = 24;
  private static final int TOP = 96;
  private static final int PANEL_HEIGHT = 150;
  private static final int PANEL_DISTANCE = 244;
  private static final int STRIP_HEIGHT = 12;
  private static final int STRIP_GAP = 6;
  private static final int GRID_LINES = 4;
  private static final int SECONDS_BETWEEN_TICKS = 60;

  /** Colours that keep their contrast on a light and on a dark page. */
  private static final String STYLE =
      """
      .paper { fill: #ffffff; } .frame { stroke: #8b95a5; fill: none; } .grid { stroke: #e3e7ee; }
      .title { font-size: 19px; font-weight: 600; fill: #1c2430; }
      .name { font-size: 14px; font-weight: 600; fill: #1c2430; }
      .words { font-size: 13px; fill: #47505f; } .small { font-size: 12px; fill: #5d6776; }
      .done { fill: #9bd3c4; } .chosen { stroke: #1f5fd6; stroke-width: 2; fill: none; }
      .allowed { stroke: #353d4a; stroke-width: 1.5; stroke-dasharray: 6 4; fill: none; }
      .refused { stroke: #d32f2f; stroke-width: 1.3; } .strip { fill: #f4f6f9; }
      @media (prefers-color-scheme: dark) {
        .paper { fill: #12161d; } .frame { stroke: #6c7788; } .grid { stroke: #262d38; }
        .title, .name { fill: #eef2f8; } .words { fill: #b9c3d2; } .small { fill: #9ba6b6; }
        .done { fill: #24695a; } .chosen { stroke: #6aa5ff; } .allowed { stroke: #d5dce7; }
        .refused { stroke: #ff7b72; } .strip { fill: #1b212b; }
      }
      """;

  @Override
  public String name() {
    return "limits-plot";
  }

  @Override
  public String description() {
    return "draws mode pace over time against three providers, to " + FILE;
  }

  @Override
  public Report run() throws IOException {
    List<PlottedRun> runs =
        List.of(
            PlottedRun.of(Scenarios.named("a"), SEED, false),
            PlottedRun.of(Scenarios.named("e"), SEED, false),
            PlottedRun.of(Scenarios.named("d"), SEED, true));
    Files.createDirectories(FILE.getParent());
    Files.writeString(FILE, picture(runs));
    return Report.of(Map.of("file", FILE.toString()));
  }

  static String picture(List<PlottedRun> runs) {
    int height = TOP + runs.size() * PANEL_DISTANCE;
    var svg = new Svg(WIDTH, height, "Mode pace against three providers", STYLE);
    svg.rectangle("paper", 0, 0, WIDTH, height);
    svg.text("title", LEFT, 38, "start", "How mode pace finds a limit, and keeps to it");
    legend(svg);
    for (int i = 0; i < runs.size(); i++) {
      new Panel(svg, runs.get(i), TOP + i * PANEL_DISTANCE).draw();
    }
    return svg.end();
  }

  private static void legend(Svg svg) {
    double y = 70;
    svg.line("allowed", LEFT, y - 4, LEFT + 32, y - 4);
    svg.text("words", LEFT + 40, y, "start", "allowed by the provider");
    svg.line("chosen", LEFT + 220, y - 4, LEFT + 252, y - 4);
    svg.text("words", LEFT + 260, y, "start", "allowed by pace");
    svg.rectangle("done", LEFT + 400, y - 12, 32, 14);
    svg.text("words", LEFT + 440, y, "start", "accepted, or in flight");
    for (int i = 0; i < 4; i++) {
      svg.line("refused", LEFT + 622 + 7 * i, y - 11, LEFT + 622 + 7 * i, y + 1);
    }
    svg.text("words", LEFT + 656, y, "start", "refused");
  }

  /** The curves of one run. */
  private static final class Panel {

    private final Svg svg;
    private final PlottedRun run;
    private final double nameAt;
    private final double top;
    private final double bottom;
    private final double most;
    private final double perSecond;

    Panel(Svg svg, PlottedRun run, double y) {
      this.svg = svg;
      this.run = run;
      this.nameAt = y + 18;
      this.top = nameAt + 12 + STRIP_HEIGHT + STRIP_GAP;
      this.bottom = top + PANEL_HEIGHT;
      double allowed = run.allowed().stream().mapToDouble(Point::value).max().orElseThrow();
      this.most = run.inFlight() ? 40 : 2 * allowed;
      this.perSecond = (WIDTH - LEFT - RIGHT) / run.seconds();
    }

    void draw() {
      svg.text("name", LEFT, nameAt, "start", run.scenario().title());
      svg.text(
          "words",
          WIDTH - RIGHT,
          nameAt,
          "end",
          String.format(
              Locale.ROOT,
              "%.2f × the optimum, %,d requests, %d refused",
              run.result().ratio(),
              run.result().requests(),
              run.result().refused().size()));
      refusals();
      svg.path("done", area(run.done()));
      axes();
      svg.path("allowed", steps(run.allowed()));
      svg.path("chosen", steps(run.chosen()));
      svg.rectangle("frame", LEFT, top, WIDTH - LEFT - RIGHT, PANEL_HEIGHT);
    }

    private void refusals() {
      double y = top - STRIP_GAP - STRIP_HEIGHT;
      svg.rectangle("strip", LEFT, y, WIDTH - LEFT - RIGHT, STRIP_HEIGHT);
      run.result().refused().stream()
          .mapToDouble(nanos -> x(nanos / 1e9))
          .forEach(x -> svg.line("refused", x, y, x, y + STRIP_HEIGHT));
    }

    private void axes() {
      for (int i = 0; i <= GRID_LINES; i++) {
        double value = most * i / GRID_LINES;
        if (i > 0 && i < GRID_LINES) {
          svg.line("grid", LEFT, y(value), WIDTH - RIGHT, y(value));
        }
        svg.text("small", LEFT - 8, y(value) + 4, "end", String.format(Locale.ROOT, "%.0f", value));
      }
      for (int second = 0; second <= run.seconds(); second += SECONDS_BETWEEN_TICKS) {
        svg.line("frame", x(second), bottom, x(second), bottom + 4);
        svg.text("small", x(second), bottom + 18, "middle", second + " s");
      }
      svg.upwards(
          "small", LEFT - 44, (top + bottom) / 2, run.inFlight() ? "in flight" : "requests per s");
    }

    /** A line of steps; what is above the panel is drawn at its edge, and what is no number not. */
    private String steps(List<Point> points) {
      StringBuilder path = new StringBuilder();
      boolean drawing = false;
      for (int i = 0; i < points.size(); i++) {
        Point point = points.get(i);
        double until = i + 1 < points.size() ? points.get(i + 1).second() : run.seconds();
        if (!Double.isFinite(point.value())) {
          drawing = false;
          continue;
        }
        path.append(
            drawing
                ? String.format(Locale.ROOT, "V%.1f", y(point.value()))
                : String.format(Locale.ROOT, "M%.1f %.1f", x(point.second()), y(point.value())));
        path.append(String.format(Locale.ROOT, "H%.1f", x(Math.min(until, run.seconds()))));
        drawing = true;
      }
      return path.toString();
    }

    private String area(List<Point> points) {
      return String.format(Locale.ROOT, "%sV%.1fH%d", steps(points), bottom, LEFT);
    }

    private double x(double second) {
      return LEFT + second * perSecond;
    }

    private double y(double value) {
      return bottom - Math.min(value, most) / most * PANEL_HEIGHT;
    }
  }
}
