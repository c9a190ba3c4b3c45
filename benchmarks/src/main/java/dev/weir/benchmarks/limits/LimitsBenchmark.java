package dev.weir.benchmarks.limits;

import dev.weir.cli.Benchmark;
import dev.weir.simulator.provider.Scenario;
import dev.weir.simulator.provider.Scenarios;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * How fast each mode finishes, and how many refusals it costs, against providers with known limits:
 * the scenarios on a thread-free event loop, averaged over seeds, random configurations, and random
 * providers that advertise their quotas in any way.
 */
public final class LimitsBenchmark implements Benchmark {

  static final long[] SEEDS = {11, 12, 13, 14, 15};

  /** Not used while tuning. */
  static final long FIRST_RANDOM_SEED = 20_000;

  static final int RANDOM_CONFIGURATIONS = 200;

  /** Constants are set by the calibration section, and judged by the reported one. */
  private static final long FIRST_CALIBRATION_SEED = 1;

  private static final long FIRST_REPORTED_SEED = 100_001;

  private static final int PROVIDERS = 1_000;

  private final int providers;

  /** Found by {@link java.util.ServiceLoader}. */
  public LimitsBenchmark() {
    this(PROVIDERS);
  }

  /**
   * @param providers the number of random providers in each section
   */
  LimitsBenchmark(int providers) {
    this.providers = providers;
  }

  @Override
  public String name() {
    return "limits";
  }

  @Override
  public String description() {
    return "makespan by optimum and refusals per 1,000 requests, per scenario and mode";
  }

  @Override
  public Report run() throws InterruptedException {
    List<Map<String, Object>> rows = new ArrayList<>();
    StringBuilder text = new StringBuilder();
    text.append(header());
    for (Scenario scenario : Scenarios.all()) {
      List<Measurement> measured =
          ModeUnderTest.all().stream().map(mode -> Measurement.of(scenario, mode, SEEDS)).toList();
      rows.add(figures(scenario, measured));
      text.append(row(measured));
    }
    var random = RandomConfigurations.of(FIRST_RANDOM_SEED, RANDOM_CONFIGURATIONS);
    text.append(
        String.format(
            Locale.ROOT,
            "%nA cell is makespan ÷ optimum / refusals per 1,000 requests, means over seeds"
                + " 11–15;%n(-272): so many requests per 1,000 were given up; not finished: not in"
                + " 20,000 s.%npace on %d random configurations (seeds from %d): ratio median %.3f,"
                + " 90th percentile %.3f, worst %.2f (%s);%nrefusals per 1,000 median %.1f, 90th"
                + " percentile %.1f%n",
            RANDOM_CONFIGURATIONS,
            FIRST_RANDOM_SEED,
            random.ratioAt(0.5),
            random.ratioAt(0.9),
            random.ratioAt(1),
            random.worst(),
            random.refusalsAt(0.5),
            random.refusalsAt(0.9)));
    List<ProviderSurvey> surveys = surveys();
    surveys.forEach(survey -> text.append(survey.text()));
    Map<String, Object> figures = new LinkedHashMap<>();
    figures.put("seeds", SEEDS);
    figures.put("scenarios", rows);
    figures.put("random", figures(random));
    Map<String, Object> advertisement = new LinkedHashMap<>();
    surveys.forEach(survey -> advertisement.put(survey.name(), survey.figures()));
    figures.put("advertisement", advertisement);
    return new Report(figures, text.toString());
  }

  /** On seeds that are disjoint. */
  List<ProviderSurvey> surveys() throws InterruptedException {
    return List.of(
        ProviderSurvey.of("calibration", FIRST_CALIBRATION_SEED, providers),
        ProviderSurvey.of("reported", FIRST_REPORTED_SEED, providers));
  }

  private static Map<String, Object> figures(Scenario scenario, List<Measurement> measured) {
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("scenario", scenario.name());
    row.put("title", scenario.title());
    row.put("advertised", scenario.advertised());
    row.put("optimum_seconds", rounded(measured.getFirst().optimumSeconds()));
    Map<String, Object> modes = new LinkedHashMap<>();
    for (Measurement measurement : measured) {
      Map<String, Object> mode = new LinkedHashMap<>();
      mode.put("finished", Double.isFinite(measurement.ratio()));
      if (Double.isFinite(measurement.ratio())) {
        mode.put("ratio", rounded(measurement.ratio()));
        mode.put("worst_ratio", rounded(measurement.worstRatio()));
      }
      mode.put("refusals_per_thousand", rounded(measurement.refusalsPerThousand()));
      mode.put("gave_up_per_thousand", rounded(measurement.gaveUpPerThousand()));
      modes.put(measurement.mode(), mode);
    }
    row.put("modes", modes);
    return row;
  }

  private static Map<String, Object> figures(RandomConfigurations random) {
    Map<String, Object> figures = new LinkedHashMap<>();
    figures.put("first_seed", FIRST_RANDOM_SEED);
    figures.put("configurations", RANDOM_CONFIGURATIONS);
    figures.put("ratio_median", rounded(random.ratioAt(0.5)));
    figures.put("ratio_90th_percentile", rounded(random.ratioAt(0.9)));
    figures.put("ratio_worst", rounded(random.ratioAt(1)));
    figures.put("worst", random.worst());
    figures.put("refusals_per_thousand_median", rounded(random.refusalsAt(0.5)));
    figures.put("refusals_per_thousand_90th_percentile", rounded(random.refusalsAt(0.9)));
    return figures;
  }

  private static String header() {
    StringBuilder header = new StringBuilder(String.format(Locale.ROOT, "%-4s %6s", "", "opt s"));
    ModeUnderTest.all()
        .forEach(mode -> header.append(String.format(Locale.ROOT, "  %14s", mode.name())));
    return header.append(String.format("  scenario%n")).toString();
  }

  private static String row(List<Measurement> measured) {
    Measurement first = measured.getFirst();
    StringBuilder row =
        new StringBuilder(
            String.format(Locale.ROOT, "%-4s %6.0f", first.scenario(), first.optimumSeconds()));
    for (Measurement measurement : measured) {
      row.append(String.format(Locale.ROOT, "  %14s", cell(measurement)));
    }
    return row.append(String.format("  %s%n", first.title())).toString();
  }

  private static String cell(Measurement measurement) {
    String lost =
        measurement.gaveUpPerThousand() >= 0.5
            ? String.format(Locale.ROOT, " (-%.0f)", measurement.gaveUpPerThousand())
            : "";
    return Double.isFinite(measurement.ratio())
        ? String.format(
            Locale.ROOT,
            measurement.refusalsPerThousand() < 20 ? "%.2f / %.1f%s" : "%.2f / %.0f%s",
            measurement.ratio(),
            measurement.refusalsPerThousand(),
            lost)
        : "not finished";
  }

  private static double rounded(double value) {
    return Math.round(value * 1_000) / 1_000.0;
  }
}
