package dev.weir.cli.recording;

import dev.weir.limits.Mode;
import dev.weir.limits.control.AimdSettings;
import dev.weir.simulator.provider.ProviderSettings;
import dev.weir.simulator.provider.ProviderSettings.Quota;
import dev.weir.simulator.provider.ProviderSettings.RetryAfter;
import dev.weir.time.Time;
import dev.weir.time.virtual.VirtualTime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import tools.jackson.databind.json.JsonMapper;

/**
 * Two hours of two processes that call seven models of five engines, on virtual time, for
 * ops/replay.
 *
 * <p>Load rises from 40 % of all limits to 97 %, stays there for three quarters of an hour and
 * falls to 30 %. Bursts of a few seconds fall between scrapes. The second process restarts, and
 * cannot read its limits for a while. Limits change, and a model is without any for an hour.
 */
public final class Recording {

  /**
   * When scrapes are made, in seconds of a minute, and a quarter more: no event is at that time.
   */
  static final long PHASE = 7;

  private static final Duration AFTER_THE_SECOND = Duration.ofMillis(250);
  private static final int SECONDS = 7_200;
  private static final int RESTARTED = 80 * 60;
  private static final int DOWN = 12;
  private static final long SEED = 20_261_119;
  private static final JsonMapper JSON = new JsonMapper();

  private static final Mode WIDE = new Mode.Static(60);

  private static final RecordedModel SONNET =
      RecordedModel.of("anthropic/claude-sonnet", Duration.ofSeconds(8), WIDE).busy(20);
  private static final RecordedModel HAIKU =
      RecordedModel.of("anthropic/claude-haiku", Duration.ofSeconds(5), WIDE).busy(10);
  private static final RecordedModel GPT =
      RecordedModel.of("openai/gpt", Duration.ofSeconds(4), new Mode.Aimd(AimdSettings.defaults()))
          .called(110)
          .using(400, 100, 150)
          .priced(Map.of("input", 2.5, "cached", 0.25, "output", 10.0))
          .allowed(
              RecordedModel.allowing()
                  .requests(Quota.perMinute(120, 120))
                  .inputTokens(Quota.perMinute(80_000, 80_000))
                  .quotaHeaders()
                  .tellsKind()
                  .retryAfter(RetryAfter.WHOLE_SECONDS)
                  .build());
  private static final RecordedModel FLASH =
      RecordedModel.of("vertex/gemini-flash", Duration.ofSeconds(3), WIDE).called(80);
  private static final RecordedModel PRO =
      RecordedModel.of("vertex/gemini-pro", Duration.ofSeconds(6), WIDE).called(60);
  private static final RecordedModel NOVA =
      RecordedModel.of("bedrock/nova", Duration.ofSeconds(4), WIDE).called(50).using(350, 0, 150);
  private static final RecordedModel MISTRAL =
      RecordedModel.of(
              "mistral/large",
              Duration.ofSeconds(5),
              new Mode.Aimd(new AimdSettings(1, 4, 12, Duration.ofSeconds(15), 0.8, 0.05, false)))
          .busy(9)
          .priced(Map.of())
          .allowed(capped());

  private static ProviderSettings capped() {
    return RecordedModel.allowing().refusesAbove(5).build();
  }

  private static final List<RecordedModel> MODELS =
      List.of(SONNET, HAIKU, GPT, FLASH, PRO, NOVA, MISTRAL);

  private final Time time;
  private final long start;
  private final Path directory;
  private final Recorder recorder;
  private final Map<RecordedModel, RecordedProvider> providers = new LinkedHashMap<>();
  private final List<RecordedProcess> processes = new ArrayList<>();
  private final SplittableRandom random = new SplittableRandom(SEED);

  private Recording(Time time, Path directory) throws IOException {
    this.time = time;
    this.start = time.nanos();
    this.directory = directory;
    this.recorder = new Recorder(directory, time);
    MODELS.forEach(
        model ->
            providers.put(
                model, new RecordedProvider(model, time, recorder, SEED + providers.size())));
  }

  /** Writes a recording into a directory: {@code run.json}, {@code trace.jsonl} and scrapes. */
  public static void write(Path directory) throws Exception {
    VirtualTime time = VirtualTime.seeded(SEED).thinlyChecked();
    time.run(
        () -> {
          var recording = new Recording(time, directory);
          recording.run();
          recording.recorder.close();
        });
  }

  /** How full all limits are to be. */
  private static double level(double second) {
    double[][] points = {{0, 0.4}, {15, 0.4}, {35, 0.7}, {50, 0.97}, {97, 0.97}, {112, 0.3}};
    double minute = second / 60;
    for (int i = 1; i < points.length; i++) {
      if (minute <= points[i][0]) {
        double part = (minute - points[i - 1][0]) / (points[i][0] - points[i - 1][0]);
        return points[i - 1][1] + (points[i][1] - points[i - 1][1]) * part;
      }
    }
    return points[points.length - 1][1];
  }

  private double second() {
    return (time.nanos() - start) / 1e9;
  }

  private void run() throws Exception {
    recorder.describe(
        Map.of(
            "start",
            time.instant().getEpochSecond(),
            "seconds",
            SECONDS,
            "models",
            MODELS.stream().map(Recording::described).toList()));
    limit("a:9464", limits(0.8, 10, false));
    limit("b:9464", limits(0.8, 10, false));
    begin("a:9464");
    begin("b:9464");
    for (int second = 0; second < SECONDS; second++) {
      time.sleepUntil(start + Duration.ofSeconds(second).toNanos());
      happen(second);
      time.sleep(AFTER_THE_SECOND);
      for (RecordedProcess process : processes) {
        recorder.scrape(process, second);
      }
    }
    processes.forEach(RecordedProcess::close);
    // What is cancelled is recorded, too.
    time.sleep(Duration.ofSeconds(1));
  }

  private static Map<String, Object> described(RecordedModel model) {
    Map<String, Object> described = new LinkedHashMap<>();
    described.put("name", model.name().toString());
    described.put("usd_per_million", model.usdPerMillion());
    described.put("most_in_flight", model.mode().mostInFlight());
    Map<String, Object> advertised = new LinkedHashMap<>();
    if (model.provider().advertising().quota()) {
      model
          .provider()
          .requests()
          .ifPresent(quota -> advertised.put("requests", 60 * quota.perSecond()));
      model
          .provider()
          .inputTokens()
          .ifPresent(quota -> advertised.put("input_tokens", 60 * quota.perSecond()));
    }
    described.put("advertised", advertised);
    return described;
  }

  // What happens to processes and limits.

  private void happen(int second) throws Exception {
    switch (second) {
      case 30 * 60 -> limit("b:9464", Optional.empty());
      case 42 * 60 -> limit("b:9464", limits(1, 10, false));
      case 38 * 60 -> limit("a:9464", limits(1, 10, false));
      case 60 * 60 -> {
        limit("a:9464", limits(1, 10, true));
        limit("b:9464", limits(1, 10, true));
      }
      case RESTARTED -> {
        RecordedProcess ended = processes.removeLast();
        recorder.turned(ended.instance(), false);
        ended.close();
      }
      case RESTARTED + DOWN -> begin("b:9464");
      case 114 * 60 -> {
        limit("a:9464", limits(1, 5, true));
        limit("b:9464", limits(1, 5, true));
      }
      default -> {}
    }
    // Between two scrapes, and over before the next one.
    if (second % 420 == 9) {
      for (RecordedProcess process : processes) {
        process.callOnce(SONNET, true);
        process.callOnce(HAIKU, true);
      }
    }
  }

  /**
   * @param nova the share of its usual limit
   * @param haiku calls in flight
   * @param withMistral whether that model has a limit
   */
  private static Optional<Map<String, Object>> limits(double nova, int haiku, boolean withMistral) {
    Map<String, Object> engines = new LinkedHashMap<>();
    engines.put(
        "anthropic",
        Map.of(
            "concurrency",
            28,
            "models",
            Map.of("claude-sonnet", 20, "claude-haiku", Map.of("concurrency", haiku))));
    engines.put(
        "openai",
        Map.of("models", Map.of("gpt", Map.of("input_tokens", 36_000, "output_tokens", 18_000))));
    engines.put(
        "vertex",
        Map.of(
            "models",
            Map.of(
                "gemini-flash",
                Map.of("requests", 90, "input_tokens", 20_000, "output_tokens", 9_500),
                "gemini-pro",
                Map.of("requests", 80, "output_tokens", 9_000))));
    engines.put(
        "bedrock", Map.of("models", Map.of("nova", Map.of("total_tokens", (int) (28_000 * nova)))));
    if (withMistral) {
      engines.put("mistral", Map.of("models", Map.of("large", Map.of("requests", 600))));
    }
    return Optional.of(engines);
  }

  private Path limitFile(String instance) {
    return directory.resolve("limits-" + instance.charAt(0) + ".json");
  }

  private void limit(String instance, Optional<Map<String, Object>> engines) throws IOException {
    Files.writeString(
        limitFile(instance),
        engines.isPresent()
            ? JSON.writeValueAsString(Map.of("engines", engines.get()))
            : "{\"engines\": [}");
    recorder.limited(instance, engines);
  }

  private void begin(String instance) {
    recorder.turned(instance, true);
    var process = new RecordedProcess(instance, time, limitFile(instance), providers, recorder);
    processes.add(process);
    MODELS.forEach(
        model ->
            process.load(
                model.workers() > 0 ? () -> keepBusy(process, model) : () -> call(process, model)));
  }

  // Load.

  /** The first process has the larger half of an odd number. */
  private static int workers(RecordedProcess process, RecordedModel model, double second) {
    int all = (int) Math.round(level(second) * model.workers());
    return process.instance().startsWith("a") ? (all + 1) / 2 : all / 2;
  }

  private void keepBusy(RecordedProcess process, RecordedModel model) throws InterruptedException {
    var working = new boolean[model.workers()];
    while (true) {
      int wanted = workers(process, model, second());
      for (int i = 0; i < wanted; i++) {
        if (!working[i]) {
          int number = i;
          working[i] = true;
          process.work(
              model,
              () -> {
                working[number] = number < workers(process, model, second());
                return working[number];
              });
        }
      }
      time.sleep(Duration.ofMillis(4_900));
    }
  }

  private void call(RecordedProcess process, RecordedModel model) throws InterruptedException {
    while (true) {
      double perSecond = level(second()) * model.perMinute() / 60 / 2;
      time.sleep(Duration.ofNanos((long) ((0.7 + 0.6 * random.nextDouble()) / perSecond * 1e9)));
      process.callOnce(model, false);
    }
  }
}
