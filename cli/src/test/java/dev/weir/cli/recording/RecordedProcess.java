package dev.weir.cli.recording;

import dev.weir.limits.Demand;
import dev.weir.limits.EngineLimits;
import dev.weir.limits.Lane;
import dev.weir.limits.LimitKey;
import dev.weir.limits.Regulator;
import dev.weir.limits.pace.Cost;
import dev.weir.limits.retry.RetryBounds;
import dev.weir.model.Adapter;
import dev.weir.model.ExchangeListener;
import dev.weir.model.Model;
import dev.weir.model.ModelName;
import dev.weir.model.Request;
import dev.weir.model.Response;
import dev.weir.model.engine.EngineLimitSource;
import dev.weir.model.engine.EngineLimitWatch;
import dev.weir.model.price.Price;
import dev.weir.telemetry.Telemetry;
import dev.weir.time.Action;
import dev.weir.time.Task;
import dev.weir.time.Time;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CancellationException;
import java.util.function.BooleanSupplier;

/**
 * One process of the recorded run: Weir's own models, regulator, limits and telemetry, as an
 * evaluation puts them together. It has three telemetries of the same calls, since each is scraped
 * at intervals of its own.
 */
final class RecordedProcess implements AutoCloseable {

  /** One call in so many is taken back half a second later. */
  private static final int IMPATIENT = 97;

  private final String instance;
  private final Time time;
  private final Recorder recorder;
  private final Map<RecordedModel, Model> models = new LinkedHashMap<>();
  private final Map<Recorder.Scrapes, Telemetry> telemetries = new LinkedHashMap<>();
  private final EngineLimitWatch limits;
  private final List<Task<?>> tasks = new ArrayList<>();
  private int calls;

  RecordedProcess(
      String instance,
      Time time,
      Path limitFile,
      Map<RecordedModel, RecordedProvider> providers,
      Recorder recorder) {
    this.instance = instance;
    this.time = time;
    this.recorder = recorder;
    Map<ModelName, Price> prices = new LinkedHashMap<>();
    providers.keySet().stream()
        .filter(model -> !model.usdPerMillion().isEmpty())
        .forEach(model -> prices.put(model.name(), price(model.usdPerMillion())));
    var regulator = Regulator.unbounded(time, new SplittableRandom(instance.hashCode()));
    for (Recorder.Scrapes scrapes : Recorder.Scrapes.values()) {
      var telemetry = new Telemetry(time, name -> Optional.ofNullable(prices.get(name)));
      var _ = regulator.subscribe(telemetry::noted);
      telemetries.put(scrapes, telemetry);
    }
    var _ = regulator.subscribe(notice -> recorder.noted(instance, notice));
    this.limits =
        new EngineLimitWatch(
            time,
            new EngineLimitSource(Map.of(), Optional.of(limitFile)),
            new LimitsInUse(regulator),
            _ -> {});
    limits.begin();
    providers.forEach((model, provider) -> models.put(model, open(model, provider, regulator)));
  }

  private final class LimitsInUse implements EngineLimitWatch.Listener {

    private final Regulator regulator;

    LimitsInUse(Regulator regulator) {
      this.regulator = regulator;
    }

    @Override
    public void changed(EngineLimits newLimits) {
      regulator.limitEngines(newLimits);
      telemetries.values().forEach(telemetry -> telemetry.limitTo(newLimits));
    }

    @Override
    public void looked(EngineLimitWatch.Status status) {
      telemetries
          .values()
          .forEach(telemetry -> telemetry.configured(status.isHealthy(), status.loadedAt()));
    }
  }

  private static Price price(Map<String, Double> usd) {
    var rates =
        new Price.Rates(
            BigDecimal.valueOf(usd.getOrDefault("input", 0.0)),
            Optional.ofNullable(usd.get("cached")).map(BigDecimal::valueOf),
            Optional.empty(),
            BigDecimal.valueOf(usd.getOrDefault("output", 0.0)));
    return new Price(
        rates, Optional.empty(), Optional.empty(), LocalDate.of(2026, 1, 1), "simulated");
  }

  private Model open(RecordedModel model, RecordedProvider provider, Regulator regulator) {
    LimitKey key = LimitKey.named(model.name().toString());
    Adapter adapter =
        new Adapter() {
          @Override
          public LimitKey key() {
            return key;
          }

          @Override
          public Response exchange(Request request, ExchangeListener listener)
              throws InterruptedException {
            return provider.exchange(instance, request, listener);
          }
        };
    Lane lane = regulator.lane(key, model.mode(), RetryBounds.NONE);
    telemetries.values().forEach(telemetry -> telemetry.watch(lane));
    return new Model(time, model.name(), adapter, lane, _ -> {})
        .with(event -> telemetries.values().forEach(telemetry -> telemetry.on(event)));
  }

  String instance() {
    return instance;
  }

  Telemetry telemetry(Recorder.Scrapes scrapes) {
    return Objects.requireNonNull(telemetries.get(scrapes));
  }

  /** Begins half a second later, so that metrics are there before the first call. */
  void load(Action action) {
    start(
        "load",
        () -> {
          time.sleep(Duration.ofMillis(510));
          action.run();
        });
  }

  /** Calls a model again and again, one call after the other, for as long as that is wanted. */
  void work(RecordedModel model, BooleanSupplier isWanted) {
    start(
        "worker",
        () -> {
          while (isWanted.getAsBoolean()) {
            call(model, "");
          }
        });
  }

  /** Calls a model once. */
  void callOnce(RecordedModel model, boolean isShort) {
    Task<?> call = start("call", () -> call(model, isShort ? " short" : ""));
    if (calls % IMPATIENT == 0) {
      start(
          "impatience",
          () -> {
            time.sleep(Duration.ofMillis(500));
            call.cancel();
          });
    }
  }

  private void call(RecordedModel model, String detail) throws InterruptedException {
    int call = calls++;
    long start = time.nanos();
    boolean isReturned = false;
    try {
      var _ =
          Objects.requireNonNull(models.get(model))
              .generate(Request.of(call + detail), Demand.of("recording", Cost.ONE_REQUEST));
      isReturned = true;
    } finally {
      recorder.called(instance, model.name(), call, start, isReturned);
    }
  }

  private Task<?> start(String name, Action action) {
    tasks.removeIf(Task::isDone);
    Task<?> task =
        time.start(
            name,
            () -> {
              try {
                action.run();
              } catch (InterruptedException | CancellationException taken) {
                // The process ends, or the call was taken back: the record says so.
              }
            });
    tasks.add(task);
    return task;
  }

  /** Ends as a killed process does: what is in flight gets no answer. */
  @Override
  public void close() {
    limits.close();
    List.copyOf(tasks).forEach(Task::cancel);
  }
}
