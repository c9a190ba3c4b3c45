package dev.weir.simulator.server;

import dev.weir.limits.DeadlinePassedException;
import dev.weir.limits.Demand;
import dev.weir.limits.Lane;
import dev.weir.limits.Mode;
import dev.weir.limits.Regulator;
import dev.weir.limits.control.AimdSettings;
import dev.weir.limits.pace.Cost;
import dev.weir.limits.pace.PaceSettings;
import dev.weir.limits.retry.AttemptTimeout;
import dev.weir.limits.retry.RetryBounds;
import dev.weir.model.CallListener;
import dev.weir.model.Model;
import dev.weir.model.ModelName;
import dev.weir.model.Request;
import dev.weir.time.Task;
import dev.weir.time.Time;
import dev.weir.time.virtual.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SplittableRandom;
import java.util.concurrent.CancellationException;
import java.util.function.Function;

/**
 * A random history of calls to two models of one engine, whose provider refuses, fails and hangs,
 * on virtual time.
 */
final class CallHistory {

  static final int CALLS = 120;

  /** Of one engine. */
  static final List<ModelName> NAMES =
      List.of(ModelName.parse("sim/one"), ModelName.parse("sim/two"));

  private CallHistory() {}

  /** What the provider has counted of the history of a seed, which the listener follows. */
  static Stats of(long seed, Function<VirtualTime, CallListener> listening) throws Exception {
    var random = new SplittableRandom(seed);
    VirtualTime time = VirtualTime.seeded(seed).thinlyChecked();
    var desk = new Desk(time, simulation(random, seed));
    CallListener listener = listening.apply(time);
    Regulator regulator = Regulator.unbounded(time, random.split());
    List<Model> models = new ArrayList<>();
    for (ModelName name : NAMES) {
      var adapter = new DeskAdapter(time, desk, name);
      Lane lane = regulator.lane(adapter.key(), mode(random), bounds(random));
      models.add(new Model(time, name, adapter, lane, _ -> {}).with(listener));
    }
    time.run(
        () -> {
          List<Task<?>> calls = new ArrayList<>();
          for (int i = 0; i < CALLS; i++) {
            String prompt = "number " + i;
            Model model = models.get(random.nextInt(models.size()));
            long deadline =
                random.nextInt(6) == 0
                    ? time.after(Duration.ofMillis(random.nextInt(30_000)))
                    : Time.NEVER;
            calls.add(time.start(prompt, () -> call(model, prompt, deadline)));
            time.sleep(Duration.ofMillis(random.nextInt(400)));
            if (random.nextInt(6) == 0) {
              calls.get(random.nextInt(calls.size())).cancel();
            }
          }
          for (Task<?> call : calls) {
            call.join(Time.NEVER);
          }
        });
    return desk.stats();
  }

  private static void call(Model model, String prompt, long deadline) {
    try {
      model.generate(Request.of(prompt).until(deadline), Demand.of("test", Cost.ONE_REQUEST));
    } catch (InterruptedException | CancellationException | DeadlinePassedException cutOff) {
      // The stream says so.
    }
  }

  private static Simulation simulation(SplittableRandom random, long seed) {
    List<String> settings =
        new ArrayList<>(List.of("latency=1s:0.8", "rpm=%d".formatted(60 + random.nextInt(600))));
    settings.add("burst=%d".formatted(1 + random.nextInt(20)));
    if (random.nextBoolean()) {
      settings.add("cap=%d".formatted(1 + random.nextInt(10)));
    }
    if (random.nextBoolean()) {
      settings.add("error-rate=0.1");
    }
    if (random.nextBoolean()) {
      settings.add("hang-rate=0.05");
    }
    return Simulation.of(
        Optional.empty(), RunningSimulator.given(settings.toArray(String[]::new)), seed);
  }

  private static Mode mode(SplittableRandom random) {
    return switch (random.nextInt(4)) {
      case 0 -> new Mode.Static(1 + random.nextInt(10));
      case 1 -> new Mode.Aimd(AimdSettings.defaults());
      case 2 -> new Mode.Halving(8);
      default -> new Mode.Pace(PaceSettings.defaults());
    };
  }

  private static RetryBounds bounds(SplittableRandom random) {
    return new RetryBounds(
        random.nextBoolean() ? OptionalInt.empty() : OptionalInt.of(random.nextInt(4)),
        Optional.empty(),
        random.nextBoolean()
            ? AttemptTimeout.AUTO
            : new AttemptTimeout.After(Duration.ofSeconds(20)),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        OptionalInt.empty());
  }
}
