package dev.weir.telemetry.page;

import static dev.weir.web.Design.escaped;

import dev.weir.telemetry.Resource;
import dev.weir.telemetry.Saturation;
import dev.weir.telemetry.Saturation.History;
import dev.weir.telemetry.Saturation.Level;
import dev.weir.telemetry.Saturation.Point;
import dev.weir.telemetry.Telemetry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * How full each limit is at one moment, as HTML and as JSON.
 *
 * <p>Limits are confidential. Who is not trusted sees percent in steps of five, and colours: also
 * in the chart, and no count, since a count beside a percent gives the limit away.
 *
 * @param isTrusted whether limits and counts may be shown
 */
record SaturationView(Telemetry telemetry, boolean isTrusted) {

  private static final int CHART_POINTS = 120;
  private static final int CHART_HEIGHT = 40;

  // As HTML.

  /** The part of the page that changes. */
  String html() {
    Saturation saturation = telemetry.saturation();
    if (saturation.points().isEmpty()) {
      return "<p>No limit is known yet: none is configured, and none was advertised or learned so"
          + " far.</p>\n";
    }
    var html = new StringBuilder();
    byEngine(saturation).forEach((engine, points) -> html.append(engine(engine, points)));
    return html.toString();
  }

  private static Map<String, List<Point>> byEngine(Saturation saturation) {
    return saturation.points().stream()
        .collect(Collectors.groupingBy(Point::engine, LinkedHashMap::new, Collectors.toList()));
  }

  private String engine(String name, List<Point> points) {
    var html = new StringBuilder();
    html.append(
        "<h2>%s</h2>\n<div class=\"scroll\"><table class=\"stacks\">".formatted(escaped(name)));
    html.append("<thead><tr><th scope=\"col\">model</th><th scope=\"col\">limit on</th>");
    html.append("<th scope=\"col\" colspan=\"2\">now</th><th scope=\"col\">peak, 10 min</th>");
    html.append("<th scope=\"col\">level</th>");
    if (isTrusted) {
      html.append("<th scope=\"col\">use / limit</th><th scope=\"col\">waiting</th>");
      html.append("<th scope=\"col\">trend</th><th scope=\"col\">limit is</th>");
    }
    html.append("<th scope=\"col\">last hour</th></tr></thead>\n<tbody>\n");
    points.forEach(point -> html.append(row(point)));
    return html.append("</tbody></table></div>\n").toString();
  }

  private String row(Point point) {
    var html = new StringBuilder("<tr>");
    html.append("<th scope=\"row\">%s</th>".formatted(escaped(point.model().orElse("all models"))));
    cell(html, "limit on", words(point.resource()));
    number(html, "now", percent(point, point.share()));
    html.append("<td>%s</td>".formatted(meter(point)));
    number(html, "peak", percent(point, point.peakShare()));
    html.append("<td><span class=\"chip %1$s\">%1$s</span></td>".formatted(point.level().word()));
    if (isTrusted) {
      number(html, "use / limit", "%s / %s".formatted(amount(point.use()), amount(point.limit())));
      number(html, "waiting", point.model().map(model -> waiting(point, model)).orElse("–"));
      cell(html, "trend", trend(point));
      cell(html, "limit is", point.source().word());
    }
    html.append("<td>%s</td></tr>\n".formatted(chart(point)));
    return html.toString();
  }

  private String waiting(Point point, String model) {
    return String.valueOf(telemetry.waiting(point.engine(), model));
  }

  private static void cell(StringBuilder html, String label, String text) {
    html.append("<td data-label=\"%s\">%s</td>".formatted(escaped(label), escaped(text)));
  }

  private static void number(StringBuilder html, String label, String text) {
    html.append(
        "<td class=\"number\" data-label=\"%s\">%s</td>".formatted(escaped(label), escaped(text)));
  }

  private String percent(Point point, double share) {
    if (isTrusted) {
      return String.format(Locale.ROOT, "%.0f %%", 100 * share);
    }
    if (!point.isCoarse()) {
      return point.percent(share) + " %";
    }
    return point.level(share) == Level.OK
        ? "< %.0f %%".formatted(100 * point.resource().soft())
        : "≥ %d %%".formatted(point.percent(share));
  }

  private double shown(Point point, double share) {
    return isTrusted ? Math.clamp(share, 0, 1) : point.percent(share) / 100.0;
  }

  private String meter(Point point) {
    double now = shown(point, point.share());
    double peak = shown(point, point.peakShare());
    return ("<svg class=\"meter\" viewBox=\"0 0 100 10\" preserveAspectRatio=\"none\""
            + " aria-hidden=\"true\"><rect class=\"track\" width=\"100\" height=\"10\" rx=\"2\"/>"
            + "<rect class=\"%s\" width=\"%s\" height=\"10\" rx=\"2\"/>"
            + "<path class=\"mark\" d=\"M%sv10\"/></svg>")
        .formatted(
            point.level(now).word(),
            at(100 * now),
            // A mark on the edge would be cut in half.
            at(Math.clamp(100 * peak, 0.5, 99.5)) + " 0");
  }

  private String chart(Point point) {
    List<Double> shares = hour(point);
    var line = new StringBuilder();
    int first = CHART_POINTS - shares.size();
    for (int i = 0; i < shares.size(); i++) {
      line.append(i == 0 ? "M" : "L")
          .append(at(first + i))
          .append(' ')
          .append(at(CHART_HEIGHT * (1 - shares.get(i))));
    }
    String area =
        shares.isEmpty()
            ? ""
            : "%sL%d %dL%d %dZ"
                .formatted(line, first + shares.size() - 1, CHART_HEIGHT, first, CHART_HEIGHT);
    return ("<svg class=\"chart\" viewBox=\"0 0 %d %d\" preserveAspectRatio=\"none\" role=\"img\""
            + " aria-label=\"use in the last hour, highest %s\"><path class=\"area\" d=\"%s\"/>"
            + "<path class=\"soft\" d=\"M0 %s H%d\"/><path class=\"hard\" d=\"M0 %s H%d\"/>"
            + "<path class=\"line\" d=\"%s\"/></svg>")
        .formatted(
            CHART_POINTS - 1,
            CHART_HEIGHT,
            Math.round(100 * shares.stream().mapToDouble(it -> it).max().orElse(0)) + " %",
            area,
            at(CHART_HEIGHT * (1 - point.resource().soft())),
            CHART_POINTS - 1,
            at(CHART_HEIGHT * (1 - point.resource().hard())),
            CHART_POINTS - 1,
            line);
  }

  /** The last hour in as many values as the chart has, each the highest of its part. */
  private List<Double> hour(Point point) {
    Optional<History> history = telemetry.history(point.engine(), point.model(), point.resource());
    List<Double> all = history.map(History::shares).orElse(List.of());
    int each =
        history
            .map(it -> Math.toIntExact(Duration.ofHours(1).dividedBy(it.step()) / CHART_POINTS))
            .orElse(1);
    List<Double> shares = new ArrayList<>();
    // From the newest, so that a part stays what it was as long as it can.
    for (int end = all.size(); end > 0; end -= each) {
      shares.addFirst(
          shown(
              point,
              all.subList(Math.max(0, end - each), end).stream()
                  .mapToDouble(share -> share)
                  .max()
                  .orElse(0)));
    }
    return shares.size() <= CHART_POINTS
        ? shares
        : shares.subList(shares.size() - CHART_POINTS, shares.size());
  }

  private static String words(Resource resource) {
    return switch (resource) {
      case CONCURRENCY -> "calls in flight";
      case REQUESTS -> "requests/min";
      case TOKENS -> "tokens/min";
      case INPUT_TOKENS -> "input tokens/min";
      case OUTPUT_TOKENS -> "output tokens/min";
    };
  }

  private static String trend(Point point) {
    double perMinute = 100 * point.trend().perMinute();
    String slope =
        Math.abs(perMinute) < 0.5
            ? "steady"
            : String.format(Locale.ROOT, "%+.0f %%/min", perMinute);
    return point
        .trend()
        .untilFull()
        .map(until -> slope + ", full in " + words(until))
        .orElse(slope);
  }

  private static String words(Duration duration) {
    long minutes = duration.toMinutes();
    return minutes < 1
        ? "less than a minute"
        : minutes < 120 ? minutes + " min" : duration.toHours() + " h";
  }

  private static String amount(double number) {
    return number == Math.rint(number)
        ? String.format(Locale.ROOT, "%,d", Math.round(number))
        : String.format(Locale.ROOT, number < 100 ? "%,.1f" : "%,.0f", number);
  }

  private static String at(double place) {
    return String.format(Locale.ROOT, "%.1f", place).replaceFirst("\\.0$", "");
  }

  // As JSON.

  Map<String, Object> document() {
    List<Map<String, Object>> engines = new ArrayList<>();
    byEngine(telemetry.saturation())
        .forEach(
            (engine, points) -> {
              Map<String, Object> described = new LinkedHashMap<>();
              described.put("engine", engine);
              described.put("limits", points.stream().map(this::described).toList());
              engines.add(described);
            });
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("engines", engines);
    return document;
  }

  private Map<String, Object> described(Point point) {
    Map<String, Object> described = new LinkedHashMap<>();
    described.put("model", point.model().orElse(null));
    described.put("resource", point.resource().word());
    described.put("percent", point.percent());
    described.put("peak_percent", point.peakPercent());
    described.put("level", point.level().word());
    if (isTrusted) {
      described.put("source", point.source().word());
      described.put("limit", point.limit());
      described.put("use", point.use());
      described.put("peak", point.peak());
      point
          .model()
          .ifPresent(model -> described.put("waiting", telemetry.waiting(point.engine(), model)));
      described.put("share_per_minute", point.trend().perMinute());
      point
          .trend()
          .untilFull()
          .ifPresent(until -> described.put("seconds_until_full", until.toSeconds()));
    }
    described.put(
        "hour_percent", hour(point).stream().map(share -> Math.round(100 * share)).toList());
    return described;
  }
}
