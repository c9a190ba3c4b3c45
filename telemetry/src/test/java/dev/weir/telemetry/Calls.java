package dev.weir.telemetry;

import dev.weir.limits.Demand;
import dev.weir.limits.Lane;
import dev.weir.limits.LimitKey;
import dev.weir.limits.Mode;
import dev.weir.limits.Regulator;
import dev.weir.limits.pace.Cost;
import dev.weir.limits.retry.RetryBounds;
import dev.weir.model.Adapter;
import dev.weir.model.CallEvent;
import dev.weir.model.ExchangeListener;
import dev.weir.model.Message;
import dev.weir.model.Model;
import dev.weir.model.ModelName;
import dev.weir.model.Origin;
import dev.weir.model.Request;
import dev.weir.model.Response;
import dev.weir.model.StopReason;
import dev.weir.model.Usage;
import dev.weir.model.price.PriceTable;
import dev.weir.time.Task;
import dev.weir.time.Time;
import dev.weir.time.virtual.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CancellationException;

/** Models on virtual time that telemetry listens to, and a record of all their events. */
final class Calls {

  final VirtualTime time = VirtualTime.seeded(1);
  final List<CallEvent> events = new ArrayList<>();
  final Telemetry telemetry;
  final Regulator regulator = Regulator.unbounded(time, new SplittableRandom(1));
  private final Map<String, Lane> lanes = new LinkedHashMap<>();

  Calls() {
    this(Telemetry.MOST_MODEL_NAMES);
  }

  Calls(int mostNames) {
    telemetry = new Telemetry(time, PriceTable.builtIn()::priceOf, mostNames);
    var _ = regulator.subscribe(telemetry::noted);
  }

  /** What an engine makes of a request. */
  interface Engine {
    Response answer(ModelName model) throws InterruptedException;
  }

  static Response.Reply reply(ModelName model) {
    return new Response.Reply(
        Message.assistant("yes"), StopReason.STOP, new Usage(30, 10), Origin.of(model));
  }

  /** Answers after so long. */
  Engine after(Duration latency) {
    return model -> {
      time.sleep(latency);
      return reply(model);
    };
  }

  /** A lane that is watched, as an evaluation opens it. */
  Lane lane(String name, Mode mode) {
    return lanes.computeIfAbsent(
        name,
        word -> {
          Lane lane = regulator.lane(LimitKey.named(word), mode, RetryBounds.NONE);
          telemetry.watch(lane);
          return lane;
        });
  }

  Model model(String name, Lane lane, Engine engine) {
    ModelName model = ModelName.parse(name);
    Adapter adapter =
        new Adapter() {
          @Override
          public LimitKey key() {
            return LimitKey.named(name);
          }

          @Override
          public Response exchange(Request request, ExchangeListener listener)
              throws InterruptedException {
            return engine.answer(model);
          }
        };
    return new Model(time, model, adapter, lane, _ -> {}).with(telemetry.and(events::add));
  }

  Model model(String name, Engine engine) {
    return model(name, lane(name, new Mode.Static(100)), engine);
  }

  Task<?> start(Model model) {
    return time.start(
        "call",
        () -> {
          try {
            model.generate(Request.of("hello"), Demand.of("test", Cost.ONE_REQUEST));
          } catch (InterruptedException | CancellationException taken) {
            // The events say so.
          }
        });
  }

  void call(Model model) throws InterruptedException {
    start(model).join(Time.NEVER);
  }

  /** The lines of all metrics, but those about them. */
  List<String> lines() {
    return telemetry
        .expose(Optional.empty())
        .text()
        .lines()
        .filter(line -> !line.startsWith("#"))
        .toList();
  }

  /** The value of a series, as it is written: {@code name{label="value"}}. */
  double value(String series) {
    return lines().stream()
        .filter(line -> line.startsWith(series + " "))
        .mapToDouble(line -> Double.parseDouble(line.substring(series.length() + 1)))
        .findFirst()
        .orElse(Double.NaN);
  }
}
