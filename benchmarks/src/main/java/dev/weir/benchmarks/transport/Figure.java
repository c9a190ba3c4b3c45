package dev.weir.benchmarks.transport;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * One figure beside its target.
 *
 * @param best of the rounds, which says more than the median on a machine that does other things
 * @param isLeast whether the target is the least that is wanted, not the most
 */
public record Figure(
    String name, String unit, double best, double median, double target, boolean isLeast) {

  static List<Figure> ofRate(Map<String, Object> part) {
    List<Double> shares = column(part, "share_of_ideal");
    List<Double> micros = column(part, "client_cpu_micros");
    return List.of(
        new Figure("share of the ideal rate", "", shares.getLast(), median(shares), 0.90, true),
        new Figure("client CPU of a call", "µs", micros.getFirst(), median(micros), 150, false),
        errors("errors of the rate", part));
  }

  static List<Figure> ofMemory(Map<String, Object> part, int inFlight) {
    List<Figure> figures = new ArrayList<>();
    double mebibytes = 1 << 20;
    double heap = value(part, "heap_peak_bytes") / mebibytes;
    figures.add(new Figure("calls in flight at once", "", peak(part), peak(part), inFlight, true));
    figures.add(new Figure("heap at its peak", "MiB", heap, heap, 1_024, false));
    if (part.containsKey("resident_peak_bytes")) {
      double resident = value(part, "resident_peak_bytes") / mebibytes;
      figures.add(new Figure("process at its peak", "MiB", resident, resident, 1_024, false));
    }
    figures.add(errors("errors of the many", part));
    return figures;
  }

  static List<Figure> ofInterrupts(Map<String, Object> part) {
    List<Double> worst = column(part, "worst_millis");
    return List.of(
        new Figure("interrupt to end, worst", "ms", worst.getFirst(), median(worst), 50, false),
        errors("errors of the interrupted", part));
  }

  private static Figure errors(String name, Map<String, Object> part) {
    return new Figure(name, "", value(part, "errors"), value(part, "errors"), 0, false);
  }

  private static double peak(Map<String, Object> part) {
    return value(part, "peak_in_flight");
  }

  private static double value(Map<?, ?> figures, String name) {
    return figures.get(name) instanceof Number number ? number.doubleValue() : Double.NaN;
  }

  /** One figure of all rounds, in ascending order. */
  public static List<Double> column(Map<String, Object> part, String name) {
    List<Double> column = new ArrayList<>();
    for (Object round : (List<?>) part.getOrDefault("rounds", List.of())) {
      column.add(value((Map<?, ?>) round, name));
    }
    Collections.sort(column);
    return column;
  }

  public static double median(List<Double> sorted) {
    return sorted.get(sorted.size() / 2);
  }

  public boolean met() {
    return isLeast ? best >= target : best <= target;
  }

  public Map<String, Object> document() {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("name", name);
    document.put("unit", unit);
    document.put("best", rounded(best));
    document.put("median", rounded(median));
    document.put(isLeast ? "at_least" : "at_most", target);
    document.put("met", met());
    return document;
  }

  public static String table(List<Figure> figures) {
    var text = new StringBuilder();
    text.append(line("", "best", "median", "target", ""));
    for (Figure figure : figures) {
      text.append(
          line(
              figure.unit.isEmpty() ? figure.name : figure.name + ", " + figure.unit,
              number(figure.best),
              number(figure.median),
              (figure.isLeast ? ">= " : "<= ") + number(figure.target),
              figure.met() ? "met" : "NOT MET"));
    }
    return text.toString();
  }

  private static String line(String name, String best, String median, String target, String met) {
    return String.format(Locale.ROOT, "%-30s %10s %10s %12s  %s", name, best, median, target, met)
            .stripTrailing()
        + System.lineSeparator();
  }

  public static String number(double value) {
    return String.format(Locale.ROOT, value >= 100 ? "%.0f" : value >= 10 ? "%.1f" : "%.3f", value);
  }

  private static double rounded(double value) {
    return Math.round(value * 1_000) / 1_000.0;
  }
}
