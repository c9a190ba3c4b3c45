package dev.weir.simulator.server;

import dev.weir.limits.LimitKey;
import dev.weir.limits.header.BodyHints;
import dev.weir.limits.header.ResponseFacts;
import dev.weir.limits.header.ResponseFactsParser;
import dev.weir.limits.retry.Outcome;
import dev.weir.model.Adapter;
import dev.weir.model.ExchangeListener;
import dev.weir.model.GenerationSettings;
import dev.weir.model.Message;
import dev.weir.model.ModelName;
import dev.weir.model.Origin;
import dev.weir.model.Request;
import dev.weir.model.Response;
import dev.weir.model.StopReason;
import dev.weir.model.Tool;
import dev.weir.model.ToolCall;
import dev.weir.model.Usage;
import dev.weir.simulator.provider.Admission;
import dev.weir.simulator.provider.HeaderStyle;
import dev.weir.simulator.provider.ProviderModel;
import dev.weir.simulator.provider.RefusalCause;
import dev.weir.simulator.provider.Work;
import dev.weir.time.Signal;
import dev.weir.time.Time;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Models of a simulated tier, in process: what a run rehearses with instead of calling anybody.
 *
 * <p>Each model has the limits of the tier to itself. Answers are right, and count as many tokens
 * as they are expected to have. A model that has tools calls one in each of its first turns, and
 * then answers; a tool called {@code submit} gets the answer. Thread-safe.
 */
public final class Rehearsal {

  private static final String ANSWER = "Yes.";
  private static final int CHARACTERS_PER_TOKEN = 4;
  private static final int IDS = 1_000_000;
  private static final Duration MEMORY = Duration.ofMinutes(2);

  private final Simulation simulation;
  private final Time time;
  private final int outputTokens;
  private final int toolTurns;
  private final Map<LimitKey, RehearsedModel> models = new ConcurrentHashMap<>();

  /**
   * @param outputTokens how many tokens answers are expected to have
   * @param toolTurns how many turns a model with tools calls one
   */
  public Rehearsal(Simulation simulation, Time time, int outputTokens, int toolTurns) {
    this.simulation = simulation;
    this.time = time;
    this.outputTokens = outputTokens;
    this.toolTurns = toolTurns;
  }

  /**
   * A tier without limits, whose answers take as long as those of a provider usually do.
   *
   * @param latency the median of an answer
   */
  public static Simulation unlimited(Duration latency, long seed) {
    return Simulation.of(
        Optional.empty(),
        Map.of(Setting.LATENCY, List.of(new Given("the latency", latency.toMillis() + "ms:0.4"))),
        seed);
  }

  /**
   * The model of a name, as the tier would serve it.
   *
   * @param maxTokens what its provider would be told that an answer may have, by settings
   * @param isLimited whether anybody would limit its calls
   */
  public Adapter open(
      ModelName name,
      LimitKey key,
      Function<GenerationSettings, OptionalInt> maxTokens,
      boolean isLimited) {
    // Whoever asks for it, in whatever role: the limits are those of the model.
    return models.computeIfAbsent(key, _ -> new RehearsedModel(name, key, maxTokens, isLimited));
  }

  /** Why a call to a model was last refused, in words; empty if none was. */
  public Optional<String> refusedFor(LimitKey key) {
    return Optional.ofNullable(models.get(key))
        .flatMap(RehearsedModel::lastRefusal)
        .map(
            cause ->
                switch (cause) {
                  case REQUESTS -> "requests per minute";
                  case TOKENS -> "tokens per minute";
                  case INPUT_TOKENS -> "input tokens per minute";
                  case OUTPUT_TOKENS -> "output tokens per minute";
                  case CONCURRENCY -> SERVED_AT_ONCE;
                  case GROWTH -> "how fast the provider lets calls become more";
                  case STRAY -> "refusals at random";
                });
  }

  /** What a provider with slots is short of, in words. */
  public static final String SERVED_AT_ONCE = "calls that the provider serves at once";

  /** Whether the provider serves as many calls to a model as it ever does at once. */
  public boolean isFull(LimitKey key) {
    return Optional.ofNullable(models.get(key)).filter(RehearsedModel::isFull).isPresent();
  }

  /**
   * Calls that never pass, because each is larger than all that a quota holds.
   *
   * @param quota in words
   */
  public record NeverPassed(String quota, int calls) {}

  /** What the tier would take at no time; empty if there was no such call. */
  public Optional<NeverPassed> neverPassed(LimitKey key) {
    return Optional.ofNullable(models.get(key)).flatMap(RehearsedModel::neverPassed);
  }

  private final class RehearsedModel implements Adapter {

    private final ModelName name;
    private final LimitKey key;
    private final Function<GenerationSettings, OptionalInt> maxTokens;
    private final boolean isLimited;
    private final long start;
    // Guarded by this.
    private final ProviderModel provider;
    private final SplittableRandom random;
    private final Map<Work, Signal> queued = new HashMap<>();
    private int nextId;
    private int tooLarge;
    private @Nullable TooLarge lastTooLarge;

    RehearsedModel(
        ModelName name,
        LimitKey key,
        Function<GenerationSettings, OptionalInt> maxTokens,
        boolean isLimited) {
      this.name = name;
      this.key = key;
      this.maxTokens = maxTokens;
      this.isLimited = isLimited;
      this.start = time.nanos();
      this.provider = new ProviderModel(simulation.settings(), simulation.seed());
      this.random = new SplittableRandom(~simulation.seed());
    }

    @Override
    public LimitKey key() {
      return key;
    }

    @Override
    public boolean isLimited() {
      return isLimited;
    }

    @Override
    public OptionalInt maxTokens(Request request) {
      return maxTokens.apply(request.settings());
    }

    @Override
    public Response exchange(Request request, ExchangeListener listener)
        throws InterruptedException {
      int prompt = prompt(request);
      int output = Math.min(maxTokens(request).orElse(outputTokens), outputTokens);
      int most = simulation.reserved(maxTokens(request));
      Optional<TooLarge> never = simulation.tooLarge(prompt, most);
      if (never.isPresent()) {
        note(never.get());
        return new Response.InvalidRequest(
            "429: " + never.get().words(), Outcome.Reach.REQUEST, origin());
      }
      Signal turn = time.signal("a slot of the rehearsed provider");
      Admission admission = arrive(prompt, output, most, turn);
      return switch (admission) {
        case Admission.Accepted(Work work) -> serve(request, work, prompt, output, listener);
        case Admission.Queued(Work work) -> {
          awaitTurn(work, turn);
          yield serve(request, work, prompt, output, listener);
        }
        case Admission.Hung(Work work) -> {
          awaitTurn(work, turn);
          throw new IllegalStateException("hung work is never served");
        }
        case Admission.Refused(var refusal, long after) -> {
          time.sleep(Duration.ofNanos(after));
          ResponseFacts facts = facts(refusal);
          listener.facts(facts);
          yield new Response.RateLimited("429: the rehearsed limit is reached", facts, origin());
        }
        case Admission.Failed(var failure, long after) -> {
          time.sleep(Duration.ofNanos(after));
          yield failure.status() == dev.weir.simulator.provider.Response.Failure.OVERLOAD
              ? new Response.Overloaded("529: overloaded", ResponseFacts.NONE, origin())
              : new Response.Transient(failure.status() + ": a rehearsed fault", origin());
        }
      };
    }

    private synchronized Admission arrive(int prompt, int output, int most, Signal turn) {
      long now = now();
      provider.forgetBefore(now - MEMORY.toNanos());
      Admission admission =
          provider.admit(
              now,
              dev.weir.simulator.provider.Request.exactlyEstimated(
                  nextId++ % IDS, simulation.latency().draw(random), prompt, output, most));
      if (admission instanceof Admission.Queued(Work work)) {
        queued.put(work, turn);
      }
      return admission;
    }

    private Response serve(
        Request request, Work work, int prompt, int output, ExchangeListener listener)
        throws InterruptedException {
      boolean done = false;
      try {
        time.sleep(Duration.ofNanos(work.request().latencyNanos()));
        done = true;
      } finally {
        end(work, done);
      }
      listener.facts(facts(work.answer()));
      return reply(request, new Usage(prompt, output));
    }

    private void awaitTurn(Work work, Signal turn) throws InterruptedException {
      boolean served = false;
      try {
        turn.await();
        served = true;
      } finally {
        if (!served) {
          end(work, false);
        }
      }
    }

    private void end(Work work, boolean done) {
      Optional<Signal> next;
      synchronized (this) {
        queued.remove(work);
        next =
            (done ? provider.finished(now(), work) : provider.abandoned(now(), work))
                .map(queued::remove);
      }
      next.ifPresent(Signal::send);
    }

    private ResponseFacts facts(dev.weir.simulator.provider.Response response) {
      HeaderStyle style = simulation.headers(HeaderStyle.OPENAI);
      Map<String, List<String>> headers = new HashMap<>();
      style
          .render(response, time.instant())
          .forEach((header, value) -> headers.put(header, List.of(value)));
      return ResponseFactsParser.parse(headers, BodyHints.NONE, time.instant());
    }

    private Response.Reply reply(Request request, Usage usage) {
      String answer = answer(request);
      long turns = request.messages().stream().filter(Message.Assistant.class::isInstance).count();
      Optional<ToolCall> call = RehearsedCalls.next(request, turns < toolTurns, answer);
      return call.isPresent()
          ? new Response.Reply(
              new Message.Assistant("", "", List.of(call.get()), Optional.empty()),
              StopReason.TOOL_CALLS,
              usage,
              origin())
          : new Response.Reply(Message.assistant(answer), StopReason.STOP, usage, origin());
    }

    private synchronized void note(TooLarge never) {
      tooLarge++;
      lastTooLarge = never;
    }

    synchronized Optional<NeverPassed> neverPassed() {
      return Optional.ofNullable(lastTooLarge)
          .map(
              never ->
                  new NeverPassed(
                      never.quota().word().replace('-', ' ') + " per minute", tooLarge));
    }

    synchronized Optional<RefusalCause> lastRefusal() {
      return provider.lastRefusal();
    }

    synchronized boolean isFull() {
      return simulation.isFull(provider.inFlight());
    }

    private Origin origin() {
      return Origin.of(name);
    }

    private long now() {
      return time.nanos() - start;
    }
  }

  /** A right one: what it costs is asked, not how well anybody does. */
  private static String answer(Request request) {
    return request
        .settings()
        .responseSchema()
        .map(schema -> SchemaSample.of(Json.objectOf(schema.schema())))
        .orElseGet(() -> request.target().filter(target -> !target.isEmpty()).orElse(ANSWER));
  }

  /** The definitions of tools are sent with each call, and so is what was answered before. */
  private int prompt(Request request) {
    int said = 0;
    for (Message message : request.messages()) {
      boolean isOurs =
          message instanceof Message.Assistant assistant
              && assistant.toolCalls().stream()
                  .anyMatch(call -> call.id().startsWith(RehearsedCalls.ID));
      said += isOurs ? outputTokens : tokens(message.text());
    }
    for (Tool tool : request.tools()) {
      said += tokens(tool.name() + tool.description() + tool.parameters());
    }
    return said;
  }

  private static int tokens(String text) {
    return Math.ceilDiv(text.length(), CHARACTERS_PER_TOKEN);
  }
}
