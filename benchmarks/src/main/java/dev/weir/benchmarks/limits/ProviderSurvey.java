package dev.weir.benchmarks.limits;

import dev.weir.simulator.provider.ProviderCounts;
import dev.weir.simulator.provider.RandomProviders;
import dev.weir.simulator.provider.Scenario;
import dev.weir.simulator.provider.ScenarioResult;
import dev.weir.simulator.provider.ScenarioRun;
import dev.weir.time.Task;
import dev.weir.time.Time;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Mode {@code pace} on the providers of a range of seeds, which advertise in any way.
 *
 * <p>The same seeds give the same survey, whatever the number of processors.
 *
 * @param measured in the order of the seeds
 */
record ProviderSurvey(String name, List<Measured> measured) {

  private static final int WORST_RATIOS = 10;
  private static final int WORST_REFUSALS = 5;

  /** Refusals that finding out a limit may cost, whatever the number of requests. */
  private static final double FREE_REFUSALS = 20;

  private static final double REFUSED_SHARE = 0.02;

  private static final List<Target> TARGETS =
      List.of(
          new Target("ratio_median", 1.03),
          new Target("ratio_90th_percentile", 1.12),
          new Target("ratio_99th_percentile", 1.6),
          new Target("refusals_per_thousand_median", 6),
          new Target("refusals_per_thousand_90th_percentile", 25));

  /** What a figure must not exceed. */
  private record Target(String figure, double most) {}

  /**
   * A provider and what the client came to there.
   *
   * @param ratio makespan by optimum; infinite if the client did not finish
   * @param aboveBound whether there were more refusals than 20, 2 % of the attempts and the strays
   */
  record Measured(
      long seed,
      String title,
      double ratio,
      double refusalsPerThousand,
      int gaveUp,
      boolean aboveBound) {

    private static Measured of(long seed) {
      Scenario scenario = RandomProviders.of(seed);
      var client = new FlowClient(ModeUnderTest.PACE.forScenario().apply(scenario));
      ScenarioResult result = new ScenarioRun(scenario, seed).run(client);
      return new Measured(
          seed,
          scenario.title(),
          result.ratio(),
          result.refusalsPerThousand(),
          result.gaveUp(),
          isAboveBound(result.provider()));
    }

    private String line() {
      return String.format(
          Locale.ROOT,
          "  %8s %8.1f  seed %d: %s%n",
          ProviderSurvey.text(ratio, 3),
          refusalsPerThousand,
          seed,
          title);
    }

    private Map<String, Object> figures() {
      Map<String, Object> figures = new LinkedHashMap<>();
      figures.put("seed", seed);
      figures.put("title", title);
      putFinite(figures, "ratio", ratio);
      putFinite(figures, "refusals_per_thousand", refusalsPerThousand);
      return figures;
    }
  }

  static boolean isAboveBound(ProviderCounts counts) {
    int attempts = counts.accepted() + counts.refusals() + counts.failures();
    return counts.refusals() > FREE_REFUSALS + REFUSED_SHARE * attempts + counts.strays();
  }

  /** Runs on all processors. */
  static ProviderSurvey of(String name, long firstSeed, int count) throws InterruptedException {
    Time time = Time.system();
    var next = new AtomicInteger();
    var results = new AtomicReferenceArray<Measured>(count);
    List<Task<?>> workers = new ArrayList<>();
    for (int i = 0; i < Runtime.getRuntime().availableProcessors(); i++) {
      workers.add(
          time.start(
              "survey " + i,
              () -> {
                for (int at = next.getAndIncrement(); at < count; at = next.getAndIncrement()) {
                  results.set(at, Measured.of(firstSeed + at));
                }
              }));
    }
    for (Task<?> worker : workers) {
      worker.join();
    }
    List<Measured> measured = new ArrayList<>();
    for (int at = 0; at < count; at++) {
      measured.add(results.get(at));
    }
    return new ProviderSurvey(name, List.copyOf(measured));
  }

  Map<String, Object> figures() {
    Map<String, Object> figures = new LinkedHashMap<>();
    figures.put("first_seed", measured.getFirst().seed());
    figures.put("last_seed", measured.getLast().seed());
    Map<String, Double> summary = summary();
    summary.forEach((figure, value) -> putFinite(figures, figure, value));
    figures.put("above_refusal_bound", aboveBound());
    figures.put("unfinished", unfinished());
    figures.put("gave_up", gaveUp());
    Map<String, Object> targets = new LinkedHashMap<>();
    for (Target target : TARGETS) {
      Map<String, Object> entry = new LinkedHashMap<>();
      entry.put("target", target.most);
      entry.put("met", summary.getOrDefault(target.figure, Double.NaN) <= target.most);
      targets.put(target.figure, entry);
    }
    figures.put("targets", targets);
    figures.put("worst_by_ratio", worstByRatio().stream().map(Measured::figures).toList());
    figures.put("worst_by_refusals", worstByRefusals().stream().map(Measured::figures).toList());
    return figures;
  }

  String text() {
    Map<String, Double> summary = summary();
    StringBuilder text = new StringBuilder();
    text.append(
        String.format(
            Locale.ROOT,
            "%nAdvertisement, %s: pace on %d random providers (seeds %d–%d)%n",
            name,
            measured.size(),
            measured.getFirst().seed(),
            measured.getLast().seed()));
    text.append(line("ratio", summary, "ratio_", 3));
    text.append(line("refusals per 1,000", summary, "refusals_per_thousand_", 1));
    text.append(
        String.format(
            Locale.ROOT,
            "  %d with more refusals than 20 + 2 %% of the attempts + strays; %d not finished; %d"
                + " requests given up%n",
            aboveBound(),
            unfinished(),
            gaveUp()));
    text.append(String.format("  worst by ratio (ratio, refusals per 1,000):%n"));
    worstByRatio().forEach(worst -> text.append(worst.line()));
    text.append(String.format("  worst by refusals (ratio, refusals per 1,000):%n"));
    worstByRefusals().forEach(worst -> text.append(worst.line()));
    return text.toString();
  }

  private static String line(
      String label, Map<String, Double> summary, String prefix, int decimals) {
    List<String> parts = new ArrayList<>();
    summary.forEach(
        (figure, value) -> {
          if (figure.startsWith(prefix)) {
            String word = figure.substring(prefix.length()).replace('_', ' ');
            String target =
                TARGETS.stream()
                    .filter(known -> known.figure.equals(figure))
                    .map(
                        known ->
                            String.format(
                                Locale.ROOT,
                                " (≤ %s: %s)",
                                known.most,
                                value <= known.most ? "met" : "missed"))
                    .findFirst()
                    .orElse("");
            parts.add(word + " " + text(value, decimals) + target);
          }
        });
    return String.format("  %s: %s%n", label, String.join(", ", parts));
  }

  private Map<String, Double> summary() {
    List<Double> ratios = measured.stream().map(Measured::ratio).sorted().toList();
    List<Double> refusals = measured.stream().map(Measured::refusalsPerThousand).sorted().toList();
    Map<String, Double> summary = new LinkedHashMap<>();
    summary.put("ratio_median", RandomConfigurations.at(ratios, 0.5));
    summary.put("ratio_90th_percentile", RandomConfigurations.at(ratios, 0.9));
    summary.put("ratio_99th_percentile", RandomConfigurations.at(ratios, 0.99));
    summary.put("ratio_worst", RandomConfigurations.at(ratios, 1));
    summary.put("refusals_per_thousand_median", RandomConfigurations.at(refusals, 0.5));
    summary.put("refusals_per_thousand_90th_percentile", RandomConfigurations.at(refusals, 0.9));
    summary.put("refusals_per_thousand_worst", RandomConfigurations.at(refusals, 1));
    return summary;
  }

  private List<Measured> worstByRatio() {
    return worst(Comparator.comparingDouble(Measured::ratio), WORST_RATIOS);
  }

  private List<Measured> worstByRefusals() {
    return worst(Comparator.comparingDouble(Measured::refusalsPerThousand), WORST_REFUSALS);
  }

  private List<Measured> worst(Comparator<Measured> order, int count) {
    return measured.stream().sorted(order.reversed()).limit(count).toList();
  }

  private long aboveBound() {
    return measured.stream().filter(Measured::aboveBound).count();
  }

  private long unfinished() {
    return measured.stream().filter(one -> Double.isInfinite(one.ratio())).count();
  }

  private int gaveUp() {
    return measured.stream().mapToInt(Measured::gaveUp).sum();
  }

  /** JSON has no infinity: a ratio without an end is left out. */
  private static void putFinite(Map<String, Object> figures, String name, double value) {
    if (Double.isFinite(value)) {
      figures.put(name, Math.round(value * 1_000) / 1_000.0);
    }
  }

  private static String text(double value, int decimals) {
    return Double.isFinite(value)
        ? String.format(Locale.ROOT, "%." + decimals + "f", value)
        : "not finished";
  }
}
