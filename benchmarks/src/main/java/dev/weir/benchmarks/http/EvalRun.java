package dev.weir.benchmarks.http;

import dev.weir.benchmarks.eval.Watched;
import dev.weir.simulator.server.SimulatorServer;
import dev.weir.simulator.server.Stats;
import dev.weir.time.Time;
import dev.weir.web.WebSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * One {@code weir eval} in its own process against the server of {@code weir simulate} on loopback:
 * mode {@code pace}, the adapter of the provider, nothing remembered from earlier runs.
 *
 * @param ended false if it was stopped because it took too long
 * @param scored samples, as the evaluation reports them
 * @param firstRequest since the start of the server
 * @param stats what the server saw
 */
record EvalRun(boolean ended, long scored, Duration firstRequest, Stats stats) {

  /**
   * @param directory does not exist yet, and does not remain
   * @param patience the evaluation is stopped after this time
   */
  static EvalRun of(Time time, HttpProvider provider, Path directory, Duration patience)
      throws IOException, InterruptedException {
    Files.createDirectories(directory);
    Instant started = time.instant();
    try (var server = SimulatorServer.start(time, WebSettings.loopback(0), provider.simulation())) {
      String base = server.address().resolve("/").toString().replaceAll("/$", "");
      boolean ended;
      long scored = 0;
      try (Watched eval =
          Watched.start(
              time,
              directory,
              "",
              List.of(
                  "eval",
                  task(directory, provider.requests()).toString(),
                  "--model",
                  provider.api().model(),
                  "--model-base-url",
                  base + provider.api().path(),
                  "--concurrency-mode",
                  "pace",
                  "--no-memory",
                  "--log-dir",
                  directory.resolve("logs").toString(),
                  "--display",
                  "none",
                  "--json"))) {
        ended = hasEnded(time, eval, time.after(patience));
        if (ended) {
          scored = scored(eval.result(directory));
        }
      }
      Stats stats = server.stats();
      Instant first = stats.firstRequest() == null ? started : stats.firstRequest();
      return new EvalRun(ended, scored, Duration.between(started, first), stats);
    } finally {
      delete(directory);
    }
  }

  private static boolean hasEnded(Time time, Watched eval, long deadline)
      throws IOException, InterruptedException {
    while (eval.look()) {
      if (time.nanos() >= deadline) {
        return false;
      }
    }
    return true;
  }

  private static long scored(Map<String, Object> result) {
    return result.get("samples") instanceof Map<?, ?> counts
            && counts.get("scored") instanceof Number number
        ? number.longValue()
        : 0;
  }

  /** Each prompt is unique. */
  private static Path task(Path directory, int requests) throws IOException {
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < requests; i++) {
      lines.add(
          "{\"input\":\"Say item-%1$05d. [[target: item-%1$05d]]\",\"target\":\"item-%1$05d\"}"
              .formatted(i));
    }
    Files.write(directory.resolve("samples.jsonl"), lines);
    return Files.writeString(
        directory.resolve("row.yaml"),
        """
        task: row
        dataset: samples.jsonl
        solver: [generate]
        scorer: includes
        """);
  }

  private static void delete(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
