package dev.weir.eval;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.weir.eval.WitnessProvider.Seen;
import dev.weir.eval.option.Settings;
import dev.weir.eval.option.TraceOptions.LogLevel;
import dev.weir.log.RunLogReader;
import dev.weir.log.SampleResult;
import dev.weir.log.trace.TraceFile;
import dev.weir.log.trace.TraceRecord;
import dev.weir.telemetry.Saturation;
import dev.weir.telemetry.Telemetry;
import dev.weir.time.Task;
import dev.weir.time.virtual.VirtualTime;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Ceilings and saturation of whole evaluations on virtual time, by what the provider has written
 * down itself and by the trace, and not by what telemetry holds.
 */
class CeilingProofTest {

  private static final long SECOND = 1_000_000_000L;
  private static final long MINUTE = 60 * SECOND;

  private static final int ENGINE_LIMIT = 9;
  private static final int ONE_LIMIT = 6;
  private static final int TWO_LIMIT = 5;
  private static final int ONE_REQUESTS = 240;
  private static final int ONE_OUTPUT_TOKENS = 3_000;
  private static final int TWO_TOKENS = 5_000;

  private static final String LIMITS =
      """
      enforce: %s
      engines:
        witness:
          concurrency: 9
          models:
            one: {concurrency: 6, requests: 240, output_tokens: 3000}
            two: {concurrency: 5, total_tokens: 5000}
      """;

  @TempDir Path directory;

  private long start;
  private Instant startInstant = Instant.EPOCH;
  private String metrics = "";
  private final List<Reading> readings = new ArrayList<>();
  private final List<String> warnings = new ArrayList<>();

  /** What telemetry says at a moment, since the start. */
  private record Reading(long at, Saturation saturation) {}

  @BeforeEach
  void reset() {
    WitnessProvider.reset();
  }

  private MetricsServer.Serving serve(VirtualTime time, Telemetry telemetry) {
    Task<?> reading =
        time.start(
            "scraper",
            () -> {
              while (true) {
                // At moments when nothing else happens.
                time.sleep(Duration.ofNanos(17 * SECOND + 13));
                readings.add(new Reading(time.nanos() - start, telemetry.saturation()));
              }
            });
    return () -> {
      reading.cancel();
      metrics = telemetry.expose(Optional.empty()).text();
    };
  }

  /** Long and short prompts to two models, which take a second or so. */
  private void run(String name, long seed, int samples, String limits) throws Exception {
    Path task = directory.resolve("task.yaml");
    StringBuilder text = new StringBuilder("task: small\ndataset:\n");
    for (int i = 0; i < samples; i++) {
      text.append(
          "  - {id: s%d, input: \"%s\", target: x%d}\n"
              .formatted(i, "word ".repeat(5 + i * 7 % 60), i));
    }
    Files.writeString(task, text + "solver: generate\nscorer: includes\n");
    VirtualTime time = VirtualTime.seeded(seed).thinlyChecked();
    Settings settings =
        Settings.NONE
            .model("witness/one,witness/two")
            .modelArgs(Map.of("rpm", 0, "latency", "1s", "error-rate", 0.03))
            .maxConnections(12)
            .seed(seed)
            .metricsPort(9464)
            .requestBackoff(Duration.ofSeconds(1))
            .logDir(directory.resolve(name));
    var host =
        new Host(
                Map.of(),
                Optional.of(directory.resolve(name + "-trace")),
                (level, record) -> {
                  if (level == LogLevel.WARNING) {
                    warnings.add(record.line());
                  }
                })
            .withMetrics((_, telemetry) -> serve(time, telemetry));
    Path file = Files.writeString(directory.resolve(name + ".yaml"), limits);
    Settings all = limits.isEmpty() ? settings : settings.with("engine-limits", file.toString());
    time.run(
        () -> {
          start = time.nanos();
          startInstant = time.instant();
          Evaluation.prepare(time, task, all, host).run();
        });
  }

  // What the provider saw.

  private static List<Seen> of(String model) {
    return WitnessProvider.seen().stream().filter(seen -> seen.model().equals(model)).toList();
  }

  /** The most at once. */
  private static int peak(List<Seen> seen) {
    record Step(long at, int change) {}
    int level = 0;
    int most = 0;
    for (Step step :
        seen.stream()
            .flatMap(each -> Stream.of(new Step(each.began(), 1), new Step(each.ended(), -1)))
            // What leaves at a moment makes room for what comes at it.
            .sorted(Comparator.comparingLong(Step::at).thenComparingInt(Step::change))
            .toList()) {
      level += step.change();
      most = Math.max(most, level);
    }
    return most;
  }

  /** The most of something within 60 s that begin anywhere, by when requests were received. */
  private static long mostInAMinute(List<Seen> seen, ToLongFunction<Seen> amount) {
    List<Seen> sorted = seen.stream().sorted(Comparator.comparingLong(Seen::began)).toList();
    long sum = 0;
    long most = 0;
    int first = 0;
    for (Seen last : sorted) {
      sum += amount.applyAsLong(last);
      while (sorted.get(first).began() <= last.began() - MINUTE) {
        sum -= amount.applyAsLong(sorted.get(first));
        first++;
      }
      most = Math.max(most, sum);
    }
    return most;
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void ceilingsOfTwoModelsOfAnEngineHoldForMinutes(long seed) throws Exception {
    run("enforced", seed, 900, LIMITS.formatted("true"));
    List<Seen> one = of("one");
    List<Seen> two = of("two");
    assertThat(one).hasSizeGreaterThanOrEqualTo(900);
    assertThat(two).hasSizeGreaterThanOrEqualTo(900);
    long seconds =
        WitnessProvider.seen().stream().mapToLong(Seen::ended).max().orElseThrow() / SECOND;
    assertThat(seconds).isGreaterThan(180);

    assertThat(peak(one)).isEqualTo(ONE_LIMIT);
    assertThat(peak(two)).isEqualTo(TWO_LIMIT);
    assertThat(peak(WitnessProvider.seen())).isEqualTo(ENGINE_LIMIT);

    assertThat(mostInAMinute(one, _ -> 1)).isBetween(ONE_REQUESTS * 9 / 10L, (long) ONE_REQUESTS);
    long largest = two.stream().mapToLong(Seen::tokens).max().orElseThrow();
    // One request more, since it is sent as a whole; and as much for what estimates are short.
    assertThat(mostInAMinute(two, Seen::tokens))
        .isBetween(TWO_TOKENS * 9 / 10L, TWO_TOKENS + 2 * largest);
    assertThat(mostInAMinute(one, Seen::outputTokens)).isLessThanOrEqualTo(ONE_OUTPUT_TOKENS);
  }

  @Test
  void limitsThatAreNotEnforcedChangeNothingButMetrics() throws Exception {
    run("without", 5, 450, "");
    List<Seen> without = WitnessProvider.seen();
    assertThat(metrics).doesNotContain("model_inferences_max_concurrent{");
    WitnessProvider.reset();
    run("observed", 5, 450, LIMITS.formatted("false"));
    List<Seen> observed = WitnessProvider.seen();
    assertThat(warnings).anyMatch(line -> line.contains("not enforced"));

    // Every request at the same nanosecond, in the same order: the makespan, too.
    assertThat(observed).isEqualTo(without).hasSizeGreaterThan(900);
    assertThat(logged("observed")).isEqualTo(logged("without")).hasSize(900);

    assertThat(value("model_inferences_max_concurrent", "one")).isEqualTo(ONE_LIMIT);
    assertThat(value("model_inferences_in_flight_peak", "one"))
        .isEqualTo(peak(of("one")))
        .isGreaterThan(ONE_LIMIT);
    assertThat(value("model_inferences_at_limit_seconds_total", "one")).isPositive();
    assertThat(mostInAMinute(of("one"), _ -> 1)).isGreaterThan(ONE_REQUESTS);
    assertThat(readings)
        .anySatisfy(
            reading ->
                assertThat(reading.saturation().points())
                    .anySatisfy(
                        point -> {
                          assertThat(point.model()).hasValue("one");
                          assertThat(point.resource().word()).isEqualTo("requests");
                          assertThat(point.use()).isGreaterThan(point.limit());
                        }));
  }

  private double value(String name, String model) {
    String series = "%s{model_engine=\"witness\",model_name=\"%s\"} ".formatted(name, model);
    return metrics
        .lines()
        .filter(line -> line.startsWith(series))
        .mapToDouble(line -> Double.parseDouble(line.substring(series.length())))
        .findFirst()
        .orElseThrow();
  }

  /** The samples of all logs of a run, without what names the run itself. */
  private List<String> logged(String name) throws Exception {
    List<String> samples = new ArrayList<>();
    try (Stream<Path> files = Files.list(directory.resolve(name))) {
      for (Path file : files.filter(each -> each.toString().endsWith(".eval")).sorted().toList()) {
        try (var reader = RunLogReader.open(file)) {
          Optional<SampleResult> next = reader.sample();
          while (next.isPresent()) {
            samples.add(next.get().toString());
            next = reader.sample();
          }
        }
      }
    }
    return samples;
  }

  // Saturation, computed again from the trace file.

  /** An attempt of the trace, in nanoseconds since the start. */
  private record Traced(String model, long began, long ended, long inputTokens, long outputTokens) {

    long tokens() {
      return inputTokens + outputTokens;
    }
  }

  private List<Traced> traced(String name) throws Exception {
    List<Traced> attempts = new ArrayList<>();
    for (Path file : TraceFile.list(directory.resolve(name + "-trace"))) {
      TraceFile.read(
          file,
          record -> {
            if (record.event().equals(TraceRecord.HTTP)) {
              Map<String, Object> details = record.details();
              long ended = Duration.between(startInstant, record.at()).toNanos();
              double took = (double) Objects.requireNonNull(details.get("took"));
              attempts.add(
                  new Traced(
                      String.valueOf(details.get("model")).replaceFirst("witness/", ""),
                      ended - Math.round(took * 1e9),
                      ended,
                      tokens(details, "input_tokens"),
                      tokens(details, "output_tokens")));
            }
          });
    }
    return attempts;
  }

  private static long tokens(Map<String, Object> details, String name) {
    return details.get(name) instanceof Number number ? number.longValue() : 0;
  }

  /** Attempts × nanoseconds between two moments. */
  private static long area(List<Traced> attempts, long from, long until) {
    return attempts.stream()
        .mapToLong(
            each -> Math.max(0, Math.min(until, each.ended()) - Math.max(from, each.began())))
        .sum();
  }

  /** The most at once between two moments: it rises only where an attempt begins. */
  private static long mostInFlight(List<Traced> attempts, long from, long until) {
    return Stream.concat(
            Stream.of(from),
            attempts.stream().map(Traced::began).filter(at -> at > from && at <= until))
        .mapToLong(
            at -> attempts.stream().filter(each -> each.began() <= at && each.ended() > at).count())
        .max()
        .orElse(0);
  }

  private static long sum(
      List<Traced> attempts,
      ToLongFunction<Traced> moment,
      ToLongFunction<Traced> amount,
      long from,
      long until) {
    return attempts.stream()
        .filter(each -> moment.applyAsLong(each) >= from && moment.applyAsLong(each) <= until)
        .mapToLong(amount)
        .sum();
  }

  /** Use and peak as docs/metrics.md says what they are. */
  private static double[] useAndPeak(List<Traced> attempts, Saturation.Point point, long at) {
    long slot = 5 * SECOND;
    long running = at / slot * slot;
    long oldest = Math.max(0, running - 600 * SECOND);
    if (point.resource().word().equals("concurrency")) {
      double use = (double) area(attempts, running - slot, running) / slot;
      return new double[] {use, (double) mostInFlight(attempts, oldest, at)};
    }
    ToLongFunction<Traced> moment = Traced::ended;
    ToLongFunction<Traced> amount =
        switch (point.resource().word()) {
          case "requests" -> _ -> 1;
          case "tokens" -> Traced::tokens;
          case "input_tokens" -> Traced::inputTokens;
          case "output_tokens" -> Traced::outputTokens;
          default -> throw new IllegalArgumentException(point.resource().word());
        };
    if (point.resource().word().equals("requests")) {
      moment = Traced::began;
    }
    double use = (double) sum(attempts, moment, amount, running - 55 * SECOND, at);
    double peak = use;
    for (long end = running; end > oldest; end -= slot) {
      peak = Math.max(peak, (double) sum(attempts, moment, amount, end - MINUTE, end - 1));
    }
    return new double[] {use, peak};
  }

  /** Limits below 20 are shown by their level only. */
  private static int percent(Saturation.Point point, double amount) {
    boolean isConcurrency = point.resource().word().equals("concurrency");
    double limit = point.limit();
    if (limit < 20) {
      int soft = isConcurrency ? 60 : 85;
      int hard = isConcurrency ? 80 : 90;
      double percent = 100 * amount / limit + 1e-9;
      return percent >= hard ? hard : percent >= soft ? soft : 0;
    }
    return 5 * (int) Math.floor(20 * Math.clamp(amount / limit, 0, 1) + 1e-9);
  }

  @ParameterizedTest
  @ValueSource(strings = {"true", "false"})
  void saturationIsWhatTheTraceAddsUpTo(String isEnforced) throws Exception {
    run("traced", 8, isEnforced.equals("true") ? 1_500 : 3_000, LIMITS.formatted(isEnforced));
    List<Traced> all = traced("traced");
    assertThat(all).hasSameSizeAs(WitnessProvider.seen());
    Map<String, List<Traced>> byModel = all.stream().collect(Collectors.groupingBy(Traced::model));
    int compared = 0;
    int saturated = 0;
    for (Reading reading : readings) {
      if (reading.at() < 5 * SECOND) {
        continue;
      }
      assertThat(reading.saturation().points()).hasSize(6);
      for (Saturation.Point point : reading.saturation().points()) {
        List<Traced> attempts =
            point.model().map(model -> byModel.getOrDefault(model, List.of())).orElse(all);
        double[] expected = useAndPeak(attempts, point, reading.at());
        String where = point.resource() + " of " + point.model() + " at " + reading.at();
        assertThat(point.use()).as(where).isCloseTo(expected[0], within(1e-9));
        assertThat(point.peak()).as(where).isEqualTo(expected[1]);
        assertThat(point.percent()).as(where).isEqualTo(percent(point, expected[0]));
        assertThat(point.peakPercent()).as(where).isEqualTo(percent(point, expected[1]));
        compared++;
        saturated += point.peakShare() == 1 ? 1 : 0;
      }
    }
    assertThat(compared).isGreaterThan(60);
    assertThat(saturated).isBetween(1, compared - 1);
  }
}
