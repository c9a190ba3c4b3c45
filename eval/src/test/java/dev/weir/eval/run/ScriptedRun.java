package dev.weir.eval.run;

import dev.weir.eval.dataset.Dataset;
import dev.weir.eval.dataset.Sample;
import dev.weir.eval.option.RunOptions;
import dev.weir.eval.option.Secrets;
import dev.weir.eval.option.Settings;
import dev.weir.eval.sandbox.SandboxCaps;
import dev.weir.eval.sandbox.SandboxProvider;
import dev.weir.eval.sandbox.SandboxSpec;
import dev.weir.eval.sandbox.Sandboxes;
import dev.weir.eval.scorer.Score;
import dev.weir.eval.scorer.Scorer;
import dev.weir.eval.solver.Solver;
import dev.weir.eval.task.TaskDefinition;
import dev.weir.limits.Lane;
import dev.weir.limits.LimitKey;
import dev.weir.limits.Mode;
import dev.weir.limits.Regulator;
import dev.weir.limits.retry.RetryBounds;
import dev.weir.log.RunResult;
import dev.weir.log.SampleResult;
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
import dev.weir.model.price.Price;
import dev.weir.time.virtual.VirtualTime;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Runs on virtual time, against a model that does what a test wants. Not thread-safe. */
final class ScriptedRun {

  static final ModelName NAME = ModelName.parse("fake/model");

  final VirtualTime time = VirtualTime.seeded(1);
  final List<SampleResult> log = new ArrayList<>();
  final List<Request> requests = new ArrayList<>();

  int samples = 20;
  Mode mode = new Mode.Static(3);
  RetryBounds bounds = RetryBounds.NONE;
  Settings settings = Settings.NONE;

  /** Steps before the solver. */
  List<Solver> before = List.of();

  Solver solver = (state, context) -> state.generate(context.model());
  Scorer scorer = (_, _) -> Score.RIGHT;
  @Nullable Scorer otherScorer;

  /** Is told when an attempt has ended and still has its place. */
  Consumer<Budget> attempted = _ -> {};

  /** What another model of the same kind is called by. */
  Optional<String> role = Optional.empty();

  /** How the model answers; it takes a second unless told otherwise. */
  Function<Request, Response> model = _ -> reply("answer", new Usage(100, 10));

  Function<Request, Duration> latency = _ -> Duration.ofSeconds(1);

  /** Where tools run; the task has no sandbox otherwise. */
  Optional<SandboxProvider> sandboxes = Optional.empty();

  /** A dollar for a thousand tokens. */
  Optional<Price> price = Optional.empty();

  static Response.Reply reply(String text, Usage usage) {
    return new Response.Reply(Message.assistant(text), StopReason.STOP, usage, Origin.of(NAME));
  }

  static Response.Failure transientFailure() {
    return new Response.Transient("500", Origin.of(NAME));
  }

  Run prepare() {
    List<Sample> questions = new ArrayList<>();
    for (int i = 1; i <= samples; i++) {
      questions.add(new Sample("s" + i, "question " + i, "answer"));
    }
    TaskDefinition.Builder builder =
        TaskDefinition.named("test").dataset(new Dataset(questions)).scorer("test", scorer);
    before.forEach(builder::solver);
    builder.solver(solver);
    sandboxes.ifPresent(_ -> builder.sandbox(SandboxSpec.local()));
    TaskDefinition task =
        (otherScorer == null ? builder : builder.scorer("other", otherScorer)).build();
    var regulator = Regulator.unbounded(time, new SplittableRandom(1));
    Lane lane = regulator.lane(LimitKey.named(NAME.toString()), mode, bounds);
    Lane other = regulator.lane(LimitKey.named("fake/other"), mode, bounds);
    RunOptions options = RunOptions.parse(settings);
    var budget = new Budget(options.budget());
    var plan =
        new RunPlan(
            "id",
            "task",
            task,
            options,
            watch -> model(watch, lane, budget),
            watch -> role.map(name -> Map.of(name, model(watch, other, budget))).orElse(Map.of()),
            time,
            1,
            budget,
            sandboxes.orElseGet(() -> new Sandboxes(time, SandboxCaps.defaults(), Map.of())),
            false,
            KeptSamples.NONE,
            Secrets.NONE,
            log::add);
    return new Run(
        plan,
        RunStarts.of(
            "test",
            NAME.toString(),
            samples,
            options.samples().epochs().orElse(1),
            1,
            "test",
            time.instant()));
  }

  private PricedModel model(CallWatch watch, Lane lane, Budget budget) {
    return new PricedModel(
        new Model(
            time,
            NAME,
            watch.watched(new Scripted(), price, false),
            lane,
            _ -> attempted.accept(budget)),
        price,
        false);
  }

  RunResult run() throws Exception {
    log.clear();
    requests.clear();
    return time.run(() -> prepare().run());
  }

  /** The only sample of a run. */
  SampleResult runOne() throws Exception {
    samples = 1;
    run();
    return log.getFirst();
  }

  static Price aDollarPerThousand() {
    BigDecimal perMillion = BigDecimal.valueOf(1_000);
    return new Price(
        new Price.Rates(perMillion, Optional.empty(), Optional.empty(), perMillion),
        Optional.empty(),
        Optional.empty(),
        LocalDate.EPOCH,
        "a test");
  }

  private final class Scripted implements Adapter {

    @Override
    public LimitKey key() {
      return LimitKey.named(NAME.toString());
    }

    @Override
    public Response exchange(Request request, ExchangeListener listener)
        throws InterruptedException {
      requests.add(request);
      time.sleep(latency.apply(request));
      return model.apply(request);
    }
  }
}
