package dev.weir.benchmarks.http;

import dev.weir.time.Time;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * A provider over HTTP and what {@code weir eval} reached there, as the server counted it.
 *
 * @param optimumSeconds where the provider refuses without a limit, the makespan of the same client
 *     without such refusals
 * @param attempts requests that reached the server
 * @param ended false if the run was stopped because it took too long
 * @param unanswered requests without an answer, or samples without a score
 */
record HttpProviderRun(
    HttpProvider provider,
    double optimumSeconds,
    double seconds,
    long attempts,
    long refusals,
    boolean ended,
    long unanswered) {

  /** A run that takes longer than so many optimums, and a while, is stopped. */
  private static final double MOST_OPTIMUMS = 2;

  private static final Duration WHILE = Duration.ofSeconds(150);

  static HttpProviderRun of(Time time, HttpProvider provider, Path directory)
      throws IOException, InterruptedException {
    double expected = provider.optimumSeconds(Duration.ZERO);
    return of(
        time, provider, directory, WHILE.plusNanos(Math.round(MOST_OPTIMUMS * expected * 1e9)));
  }

  static HttpProviderRun of(Time time, HttpProvider provider, Path directory, Duration patience)
      throws IOException, InterruptedException {
    Path own = directory.resolve("row-" + provider.number());
    double optimum = Double.NaN;
    if (provider.strayRate() > 0) {
      EvalRun without = EvalRun.of(time, provider.withoutStrays(), own, patience);
      optimum = without.ended() ? without.stats().makespanSeconds() : Double.NaN;
    }
    EvalRun run = EvalRun.of(time, provider, own, patience);
    if (provider.strayRate() == 0) {
      optimum = provider.optimumSeconds(run.firstRequest());
    }
    long distinct = run.stats().answers() - run.stats().duplicates();
    return new HttpProviderRun(
        provider,
        optimum,
        run.stats().makespanSeconds(),
        run.stats().requests(),
        run.stats().allRefusals(),
        run.ended(),
        Math.max(0, provider.requests() - Math.min(distinct, run.scored())));
  }

  double ratio() {
    return seconds / optimumSeconds;
  }

  double refusalsPerThousand() {
    return 1_000.0 * refusals / provider.requests();
  }

  boolean isMet() {
    return ended
        && unanswered == 0
        && seconds <= provider.target().seconds(optimumSeconds)
        && refusalsPerThousand() <= provider.target().refusals();
  }

  static String header() {
    return String.format(
        Locale.ROOT,
        "%3s  %-30s %8s %8s %7s %7s %6s %13s  %-18s %s%n",
        "row",
        "provider",
        "requests",
        "attempts",
        "opt s",
        "span s",
        "ratio",
        "refused/1,000",
        "target",
        "");
  }

  String text() {
    return String.format(
        Locale.ROOT,
        "%3d  %-30s %8d %8d %7.1f %7.1f %6.3f %13.1f  %-18s %s%s%n",
        provider.number(),
        provider.title(),
        provider.requests(),
        attempts,
        optimumSeconds,
        seconds,
        ratio(),
        refusalsPerThousand(),
        provider.target().text(),
        isMet() ? "met" : "missed",
        remark());
  }

  private String remark() {
    if (!ended) {
      return ", stopped with %d unanswered".formatted(unanswered);
    }
    return unanswered > 0 ? ", %d unanswered".formatted(unanswered) : "";
  }

  Map<String, Object> figures() {
    Map<String, Object> figures = new LinkedHashMap<>();
    figures.put("row", provider.number());
    figures.put("title", provider.title());
    figures.put("simulate", provider.options());
    figures.put("model", provider.api().model());
    figures.put("requests", provider.requests());
    figures.put("attempts", attempts);
    figures.put(
        provider.strayRate() > 0 ? "seconds_without_strays" : "optimum_seconds",
        rounded(optimumSeconds));
    figures.put("makespan_seconds", rounded(seconds));
    figures.put("ratio", rounded(ratio()));
    figures.put("most_seconds", rounded(provider.target().seconds(optimumSeconds)));
    figures.put("refusals", refusals);
    figures.put("refusals_per_thousand", rounded(refusalsPerThousand()));
    figures.put("most_refusals_per_thousand", provider.target().refusals());
    figures.put("ended", ended);
    figures.put("unanswered", unanswered);
    figures.put("met", isMet());
    return figures;
  }

  private static double rounded(double value) {
    return Math.round(value * 1_000) / 1_000.0;
  }
}
