package dev.weir.eval.solver;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.eval.dataset.Dataset;
import dev.weir.eval.dataset.Sample;
import dev.weir.eval.option.RunOptions;
import dev.weir.eval.option.Secrets;
import dev.weir.eval.option.Settings;
import dev.weir.eval.run.Budget;
import dev.weir.eval.run.CallWatch;
import dev.weir.eval.run.KeptSamples;
import dev.weir.eval.run.PricedModel;
import dev.weir.eval.run.Run;
import dev.weir.eval.run.RunPlan;
import dev.weir.eval.run.RunStarts;
import dev.weir.eval.sandbox.SandboxCaps;
import dev.weir.eval.sandbox.Sandboxes;
import dev.weir.eval.scorer.Scorer;
import dev.weir.eval.scorer.Scorers;
import dev.weir.eval.task.TaskDefinition;
import dev.weir.limits.LimitKey;
import dev.weir.limits.Mode;
import dev.weir.limits.Regulator;
import dev.weir.limits.retry.Outcome;
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
import dev.weir.model.ToolCall;
import dev.weir.model.Usage;
import dev.weir.time.virtual.VirtualTime;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * Real runs of one sample on virtual time, against models that say what they were told to, one
 * answer a second. Keeps what they were asked.
 */
final class ScriptedRun {

  static final String EVALUATED = "evaluated";

  private static final Usage USAGE = new Usage(10, 5);

  private final VirtualTime time = VirtualTime.seeded(1);
  private final Map<String, Deque<Object>> scripts = new HashMap<>();
  private final Map<String, List<Request>> asked = new HashMap<>();
  private Settings settings = Settings.NONE;
  private Scorer scorer = Scorers.exact();
  private Sample sample = new Sample("s", "What is the capital of France?", "Paris");

  VirtualTime time() {
    return time;
  }

  /** What the evaluated model says next: text. */
  ScriptedRun says(String text) {
    return script(EVALUATED, Message.assistant(text));
  }

  /** What the evaluated model calls next; names and arguments in turn. */
  ScriptedRun calls(String... namesAndArguments) {
    List<ToolCall> calls = new ArrayList<>();
    for (int i = 0; i < namesAndArguments.length; i += 2) {
      calls.add(new ToolCall("call-" + i / 2, namesAndArguments[i], namesAndArguments[i + 1]));
    }
    return script(EVALUATED, new Message.Assistant("", "", calls, Optional.empty()));
  }

  /** The evaluated model does not understand what it is asked next. */
  ScriptedRun refuses(String message) {
    return script(EVALUATED, message);
  }

  ScriptedRun role(String role, String text) {
    return script(role, Message.assistant(text));
  }

  private ScriptedRun script(String role, Object answer) {
    scripts.computeIfAbsent(role, _ -> new ArrayDeque<>()).add(answer);
    return this;
  }

  ScriptedRun with(String option, Object value) {
    settings = settings.with(option, value);
    return this;
  }

  ScriptedRun with(Scorer changed) {
    scorer = changed;
    return this;
  }

  ScriptedRun with(Sample changed) {
    sample = changed;
    return this;
  }

  List<Request> asked() {
    return asked(EVALUATED);
  }

  List<Request> asked(String role) {
    return asked.getOrDefault(role, List.of());
  }

  /** What the evaluated model has seen last, a line for each message. */
  List<String> lastSeen() {
    return asked().getLast().messages().stream()
        .map(message -> "%s: %s".formatted(message.getClass().getSimpleName(), message.text()))
        .toList();
  }

  SampleResult run(Solver... solvers) throws Exception {
    TaskDefinition task =
        TaskDefinition.named("test")
            .dataset(Dataset.of(sample))
            .solver(solvers)
            .scorer("test", scorer)
            .build();
    var regulator = Regulator.unbounded(time, new SplittableRandom(1));
    RunOptions options = RunOptions.parse(settings);
    List<SampleResult> log = new ArrayList<>();
    var plan =
        new RunPlan(
            "id",
            "task-id",
            task,
            options,
            watch -> model(regulator, watch, EVALUATED),
            watch -> {
              Map<String, PricedModel> roles = new HashMap<>();
              scripts.keySet().stream()
                  .filter(role -> !role.equals(EVALUATED))
                  .forEach(role -> roles.put(role, model(regulator, watch, role)));
              return roles;
            },
            time,
            7,
            new Budget(options.budget()),
            new Sandboxes(time, SandboxCaps.defaults(), Map.of()),
            false,
            KeptSamples.NONE,
            Secrets.NONE,
            log::add);
    var start = RunStarts.of("test", "scripted/model", 1, 1, 7, "test", time.instant());
    time.run(() -> new Run(plan, start).run());
    assertThat(log).hasSize(1);
    return log.getFirst();
  }

  private PricedModel model(Regulator regulator, CallWatch watch, String role) {
    ModelName name = ModelName.parse("scripted/" + role);
    var lane = regulator.lane(name.toString(), new Mode.Static(5));
    return new PricedModel(
        new Model(
            time,
            name,
            watch.watched(new Scripted(name, role), Optional.empty(), false),
            lane,
            _ -> {}),
        Optional.empty(),
        false);
  }

  private final class Scripted implements Adapter {

    private final ModelName name;
    private final String role;

    Scripted(ModelName name, String role) {
      this.name = name;
      this.role = role;
    }

    @Override
    public LimitKey key() {
      return LimitKey.named(name.toString());
    }

    @Override
    public Response exchange(Request request, ExchangeListener listener)
        throws InterruptedException {
      asked.computeIfAbsent(role, _ -> new ArrayList<>()).add(request);
      time.sleep(Duration.ofSeconds(1));
      Object next = scripts.getOrDefault(role, new ArrayDeque<>()).poll();
      return switch (next) {
        case Message.Assistant message ->
            new Response.Reply(
                message,
                message.toolCalls().isEmpty() ? StopReason.STOP : StopReason.TOOL_CALLS,
                USAGE,
                Origin.of(name));
        case String refusal ->
            new Response.InvalidRequest(refusal, Outcome.Reach.REQUEST, Origin.of(name));
        case null, default ->
            new Response.InvalidRequest(
                "the script has ended", Outcome.Reach.REQUEST, Origin.of(name));
      };
    }
  }
}
