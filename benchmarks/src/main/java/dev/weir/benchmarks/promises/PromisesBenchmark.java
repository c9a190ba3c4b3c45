package dev.weir.benchmarks.promises;

import dev.weir.benchmarks.promises.PromiseReport.Run;
import dev.weir.benchmarks.promises.Series.Measured;
import dev.weir.benchmarks.promises.Series.Setup;
import dev.weir.cli.Benchmark;
import dev.weir.time.Task;
import dev.weir.time.Time;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Each promise of mode {@code pace} beside what was measured.
 *
 * <p>System properties select a part of it: {@code weir.promises.item} (an item), {@code
 * weir.promises.setup} (a part of a setup's name) and {@code weir.promises.seed} (one seed, with
 * the traffic of each run).
 */
public final class PromisesBenchmark implements Benchmark {

  private record Job(Series series, Setup setup, long seed) {}

  private record Result(Job job, List<Measured> measured, String timeline) {}

  private final List<Series> measured;

  /** Found by {@link java.util.ServiceLoader}. */
  public PromisesBenchmark() {
    this(Promises.all());
  }

  PromisesBenchmark(List<Series> measured) {
    this.measured = measured;
  }

  @Override
  public String name() {
    return "promises";
  }

  @Override
  public String description() {
    return "what mode pace promises about refusals and rates, beside what a provider records";
  }

  @Override
  public Report run() throws InterruptedException {
    String item = System.getProperty("weir.promises.item", "");
    String setup = System.getProperty("weir.promises.setup", "");
    Long seed = Long.getLong("weir.promises.seed");
    List<Job> jobs = new ArrayList<>();
    for (Series series : measured) {
      boolean wanted =
          item.isEmpty()
              || series.promises().stream().anyMatch(promise -> promise.item().equals(item));
      for (Setup each : series.setups()) {
        if (wanted && each.name().contains(setup)) {
          if (seed != null) {
            jobs.add(new Job(series, each, seed));
          } else {
            for (int i = 0; i < series.seeds(); i++) {
              jobs.add(new Job(series, each, series.firstSeed() + i));
            }
          }
        }
      }
    }
    List<Result> results = run(jobs, seed != null);
    List<PromiseReport> reports = reports(results);
    StringBuilder text = new StringBuilder(PromiseReport.HEADER);
    reports.forEach(report -> text.append(report.line()));
    text.append(String.format("%nMissed, by provider (worst seed of each):%n"));
    reports.forEach(report -> text.append(report.missed()));
    results.forEach(result -> text.append(result.timeline));
    Map<String, Object> figures = new LinkedHashMap<>();
    figures.put("promises", reports.stream().map(PromiseReport::figures).toList());
    return new Report(figures, text.toString());
  }

  private static List<PromiseReport> reports(List<Result> results) {
    List<PromiseReport> reports = new ArrayList<>();
    for (Series series : results.stream().map(result -> result.job.series).distinct().toList()) {
      for (int i = 0; i < series.promises().size(); i++) {
        List<Run> runs = new ArrayList<>();
        for (Result result : results) {
          if (result.job.series.equals(series)) {
            runs.add(new Run(result.job.setup.name(), result.job.seed, result.measured.get(i)));
          }
        }
        reports.add(new PromiseReport(series.promises().get(i), runs));
      }
    }
    return reports;
  }

  /** On all processors; the same jobs give the same results. */
  private static List<Result> run(List<Job> jobs, boolean withTimelines)
      throws InterruptedException {
    Time time = Time.system();
    var next = new AtomicInteger();
    var results = new AtomicReferenceArray<Result>(jobs.size());
    List<Task<?>> workers = new ArrayList<>();
    for (int i = 0; i < Runtime.getRuntime().availableProcessors(); i++) {
      workers.add(
          time.start(
              "promises " + i,
              () -> {
                for (int at = next.getAndIncrement();
                    at < jobs.size();
                    at = next.getAndIncrement()) {
                  Job job = jobs.get(at);
                  Traffic traffic = job.setup.run().apply(job.seed);
                  String timeline =
                      withTimelines ? job.setup.name() + "\n" + traffic.timeline() : "";
                  results.set(
                      at, new Result(job, job.setup.judge().measure(traffic, job.seed), timeline));
                }
              }));
    }
    for (Task<?> worker : workers) {
      worker.join();
    }
    List<Result> all = new ArrayList<>();
    for (int i = 0; i < jobs.size(); i++) {
      all.add(results.get(i));
    }
    return all;
  }
}
