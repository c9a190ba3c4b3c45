package dev.weir.benchmarks.http;

import dev.weir.simulator.provider.ScenarioRun;
import dev.weir.time.Time;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * A provider over HTTP and what mode {@code pace} came to there.
 *
 * @param baselineSeconds the optimum; where the provider refuses without a limit, the makespan of
 *     the same client without such refusals
 * @param unanswered requests that the client gave up, or that had no end when the run was stopped
 */
record HttpProviderRun(
    HttpProvider provider,
    double baselineSeconds,
    double seconds,
    double refusalsPerThousand,
    long unanswered) {

  /** A run that takes longer than so many baselines, and a moment, is stopped. */
  private static final double PATIENCE = 5;

  private static final Duration MOMENT = Duration.ofSeconds(10);

  static HttpProviderRun of(Time time, HttpProvider provider)
      throws IOException, InterruptedException {
    double baseline =
        provider.strayRate() > 0
            ? measure(time, provider.withoutStrays(), Measured.LONGEST).seconds()
            : new ScenarioRun(provider.scenario(), HttpLimitsBenchmark.SEED)
                    .optimum()
                    .makespan()
                    .toNanos()
                / 1e9;
    Duration patience = MOMENT.plusNanos(Math.round(PATIENCE * baseline * 1e9));
    Measured measured = measure(time, provider, patience);
    return new HttpProviderRun(
        provider,
        baseline,
        measured.seconds(),
        1_000.0 * measured.stats().allRefusals() / provider.requests(),
        Math.max(
            0, provider.requests() - measured.stats().answers() + measured.stats().duplicates()));
  }

  private static Measured measure(Time time, HttpProvider provider, Duration patience)
      throws IOException, InterruptedException {
    return Measured.of(time, provider.simulation(), provider.scenario(), patience);
  }

  double ratio() {
    return seconds / baselineSeconds;
  }

  boolean isMet() {
    return ratio() <= provider.mostRatio()
        && refusalsPerThousand <= provider.mostRefusals()
        && unanswered == 0;
  }

  static String header() {
    return String.format(
        Locale.ROOT,
        "%n%3s %8s %6s %16s %15s  %-6s  %s%n",
        "row",
        "requests",
        "opt s",
        "over HTTP",
        "target",
        "",
        "advertisement and limit");
  }

  String text() {
    return String.format(
        Locale.ROOT,
        "%3d %8d %6.1f %7.3f / %6.1f   ≤ %.2f / %4.1f  %-6s  %s, latency %.1f s%s%n",
        provider.number(),
        provider.requests(),
        baselineSeconds,
        ratio(),
        refusalsPerThousand,
        provider.mostRatio(),
        provider.mostRefusals(),
        isMet() ? "met" : "missed",
        provider.title(),
        provider.latency().toNanos() / 1e9,
        unanswered > 0 ? ", %d unanswered".formatted(unanswered) : "");
  }

  Map<String, Object> figures() {
    Map<String, Object> figures = new LinkedHashMap<>();
    figures.put("row", provider.number());
    figures.put("title", provider.title());
    figures.put("settings", provider.settings());
    figures.put("stray_rate", provider.strayRate());
    figures.put("latency_seconds", provider.latency().toNanos() / 1e9);
    figures.put("requests", provider.requests());
    figures.put(
        provider.strayRate() > 0 ? "seconds_without_strays" : "optimum_seconds",
        rounded(baselineSeconds));
    figures.put("seconds", rounded(seconds));
    figures.put("ratio", rounded(ratio()));
    figures.put("ratio_target", provider.mostRatio());
    figures.put("refusals_per_thousand", rounded(refusalsPerThousand));
    figures.put("refusals_per_thousand_target", provider.mostRefusals());
    figures.put("unanswered", unanswered);
    figures.put("met", isMet());
    return figures;
  }

  private static double rounded(double value) {
    return Math.round(value * 1_000) / 1_000.0;
  }
}
