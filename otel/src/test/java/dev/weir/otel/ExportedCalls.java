package dev.weir.otel;

import dev.weir.limits.Demand;
import dev.weir.limits.LimitKey;
import dev.weir.limits.Mode;
import dev.weir.limits.Regulator;
import dev.weir.limits.pace.Cost;
import dev.weir.limits.retry.RetryBounds;
import dev.weir.model.Adapter;
import dev.weir.model.ExchangeListener;
import dev.weir.model.Message;
import dev.weir.model.Model;
import dev.weir.model.ModelName;
import dev.weir.model.Origin;
import dev.weir.model.Request;
import dev.weir.model.Response;
import dev.weir.model.StopReason;
import dev.weir.model.Usage;
import dev.weir.telemetry.CallExporter;
import dev.weir.time.Task;
import dev.weir.time.Time;
import dev.weir.time.virtual.VirtualTime;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SplittableRandom;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CopyOnWriteArrayList;

/** Calls on virtual time that are exported, as an evaluation exports them. */
final class ExportedCalls {

  final Time time;
  // Those of exports come from threads of the SDK.
  final List<String> warnings = new CopyOnWriteArrayList<>();
  private final Map<String, String> environment;
  private CallExporter.Export export = CallExporter.Export.NONE;

  /** On virtual time. */
  ExportedCalls(Map<String, String> environment) {
    this(VirtualTime.seeded(1), environment);
  }

  ExportedCalls(Time time, Map<String, String> environment) {
    this.time = time;
    this.environment = environment;
  }

  /** Sends to a receiver, with more variables. */
  static ExportedCalls to(OtlpReceiver receiver, String... variables) {
    Map<String, String> environment = new HashMap<>();
    environment.put("OTEL_EXPORTER_OTLP_ENDPOINT", receiver.address());
    for (int i = 0; i < variables.length; i += 2) {
      environment.put(variables[i], variables[i + 1]);
    }
    return new ExportedCalls(environment);
  }

  static ExportedCalls ofLatest(OtlpReceiver receiver) {
    return to(receiver, "OTEL_SEMCONV_STABILITY_OPT_IN", "http,gen_ai_latest_experimental");
  }

  /** Work of a run. */
  interface Body {
    void run() throws Exception;
  }

  /** Runs to the end, with all that is exported by then. */
  void run(Body body) throws Exception {
    inTask(
        () -> {
          try (var _ = start()) {
            body.run();
          }
        });
  }

  /** As a task of virtual time, if that is what there is. */
  void inTask(Body body) throws Exception {
    if (time instanceof VirtualTime virtual) {
      virtual.run(body::run);
    } else {
      body.run();
    }
  }

  CallExporter.Export start() {
    export = CallExporter.find(environment).orElseThrow().start(time, environment, warnings::add);
    return export;
  }

  /** Answers a request, after waiting if it wants to. */
  interface Engine {
    Response answer(int attempt) throws InterruptedException;
  }

  Model model(String name, String endpoint, int inFlight, Engine engine) {
    ModelName model = ModelName.parse(name);
    LimitKey key = LimitKey.named(name);
    Adapter adapter =
        new Adapter() {
          private int attempts;

          @Override
          public LimitKey key() {
            return key;
          }

          @Override
          public String endpoint() {
            return endpoint;
          }

          @Override
          public Response exchange(Request request, ExchangeListener listener)
              throws InterruptedException {
            return engine.answer(++attempts);
          }
        };
    var lane =
        Regulator.unbounded(time, new SplittableRandom(1))
            .lane(key, new Mode.Static(inFlight), RetryBounds.NONE);
    return new Model(time, model, adapter, lane, _ -> {}).with(event -> export.on(event));
  }

  Task<?> start(Model model, Request request) {
    return time.start(
        "call",
        () -> {
          try {
            model.generate(request, Demand.of("test", Cost.ONE_REQUEST));
          } catch (InterruptedException | CancellationException taken) {
            // The events say so.
          }
        });
  }

  static Response.Reply reply(String text) {
    return new Response.Reply(
        Message.assistant(text), StopReason.MAX_TOKENS, new Usage(30, 10, 5, 4, 3), origin(200));
  }

  static Origin origin(int status) {
    return new Origin(
        ModelName.parse("openai/gpt-4o"),
        OptionalInt.of(status),
        "",
        Optional.empty(),
        0,
        0,
        Optional.empty());
  }
}
