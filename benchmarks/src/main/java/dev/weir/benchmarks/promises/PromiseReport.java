package dev.weir.benchmarks.promises;

import dev.weir.benchmarks.promises.Series.Measured;
import dev.weir.benchmarks.promises.Series.Promise;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What was measured of a promise.
 *
 * @param runs by setup, then by seed
 */
record PromiseReport(Promise promise, List<Run> runs) {

  private static final String ROW = "%-7s %-6s %9s %9s %18s  %s (%s)%n";

  static final String HEADER =
      String.format(
          Locale.ROOT, ROW, "item", "met", "runs met", "median", "worst", "figure", "target");

  PromiseReport {
    runs = List.copyOf(runs);
  }

  /** One run. */
  record Run(String setup, long seed, Measured measured) {}

  boolean isMet() {
    return runs.stream().allMatch(run -> run.measured().isMet());
  }

  String line() {
    Measured worst = worst(runs).measured();
    return String.format(
        Locale.ROOT,
        ROW,
        promise.item(),
        isMet() ? "met" : "MISSED",
        runsMet() + "/" + runs.size(),
        text(median()),
        text(worst.value()) + " of " + text(worst.allowed()),
        promise.figure(),
        promise.target());
  }

  /** A line for each setup that missed the target; nothing if none did. */
  String missed() {
    if (isMet()) {
      return "";
    }
    StringBuilder text =
        new StringBuilder(
            String.format(
                Locale.ROOT,
                "%n%s: %s (%s)%n",
                promise.item(),
                promise.figure(),
                promise.target()));
    for (String setup : runs.stream().map(Run::setup).distinct().toList()) {
      List<Run> own = runs.stream().filter(run -> run.setup().equals(setup)).toList();
      long missed = own.stream().filter(run -> !run.measured().isMet()).count();
      if (missed > 0) {
        Run worst = worst(own);
        text.append(
            String.format(
                Locale.ROOT,
                "  %3d of %3d runs  %9s, allowed %8s, seed %d: %s%n",
                missed,
                own.size(),
                text(worst.measured().value()),
                text(worst.measured().allowed()),
                worst.seed(),
                setup));
      }
    }
    return text.toString();
  }

  Map<String, Object> figures() {
    Map<String, Object> figures = new LinkedHashMap<>();
    figures.put("item", promise.item());
    figures.put("figure", promise.figure());
    figures.put("target", promise.target());
    figures.put("met", isMet());
    figures.put("runs", runs.size());
    figures.put("runs_met", runsMet());
    putFinite(figures, "median", median());
    Run worst = worst(runs);
    putFinite(figures, "worst", worst.measured().value());
    putFinite(figures, "worst_allowed", worst.measured().allowed());
    figures.put("worst_setup", worst.setup());
    figures.put("worst_seed", worst.seed());
    return figures;
  }

  private long runsMet() {
    return runs.stream().filter(run -> run.measured().isMet()).count();
  }

  private double median() {
    List<Double> values = runs.stream().map(run -> run.measured().value()).sorted().toList();
    return values.get(values.size() / 2);
  }

  private static Run worst(List<Run> of) {
    return of.stream()
        .max(Comparator.comparingDouble(run -> run.measured().excess()))
        .orElseThrow();
  }

  /** JSON has no infinity: what was never reached is left out. */
  private static void putFinite(Map<String, Object> figures, String name, double value) {
    if (Double.isFinite(value)) {
      figures.put(name, Math.round(value * 1_000) / 1_000.0);
    }
  }

  private static String text(double value) {
    if (!Double.isFinite(value)) {
      return "never";
    }
    return value == Math.rint(value)
        ? String.format(Locale.ROOT, "%.0f", value)
        : String.format(Locale.ROOT, "%.2f", value);
  }
}
