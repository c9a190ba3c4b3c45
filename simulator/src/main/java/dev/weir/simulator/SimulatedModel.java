package dev.weir.simulator;

import dev.weir.limits.LimitKey;
import dev.weir.limits.header.QuotaSnapshot;
import dev.weir.limits.header.ResponseFacts;
import dev.weir.limits.retry.Outcome;
import dev.weir.model.Adapter;
import dev.weir.model.Chunk;
import dev.weir.model.ExchangeListener;
import dev.weir.model.Message;
import dev.weir.model.ModelName;
import dev.weir.model.Origin;
import dev.weir.model.Request;
import dev.weir.model.Response;
import dev.weir.model.StopReason;
import dev.weir.model.Usage;
import dev.weir.simulator.answer.Coin;
import dev.weir.time.Time;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * One simulated model.
 *
 * <p>Whether it is right depends on the seed, its name, the prompt and the epoch alone, so a run
 * gives the same scores whatever the timing, and also when it is gone on with. Latency and faults
 * are drawn in the order of arrival.
 *
 * <p>Thread-safe.
 */
final class SimulatedModel implements Adapter {

  /** A provider answers a refusal faster than a question. */
  private static final Duration REFUSAL_LATENCY = Duration.ofMillis(50);

  /** The spread of log-normal latencies: one in twenty takes more than about twice the median. */
  private static final double LATENCY_SIGMA = 0.4;

  private static final int CHARACTERS_PER_TOKEN = 4;

  /** The model of examples, with the coin that no other name changes. */
  private static final String DEMO = "demo";

  private final Origin origin;
  private final SimulatedSettings settings;
  private final Time time;
  private final Coin coin;
  private final long seed;

  // Guarded by this: they change together with each arrival.
  private final SplittableRandom random;
  private final RequestBucket bucket;
  private int answered;

  SimulatedModel(ModelName name, SimulatedSettings settings, Time time, long seed) {
    this.origin = Origin.of(name);
    this.settings = settings;
    this.time = time;
    this.seed = seed;
    var plain = new Coin(seed, settings.accuracy());
    String own = name.plain();
    this.coin = own.equals(DEMO) ? plain : plain.of(own);
    this.random = new SplittableRandom(seed);
    this.bucket = new RequestBucket(settings.rpm(), settings.burst(), time.nanos());
  }

  @Override
  public LimitKey key() {
    return LimitKey.named(origin.model().toString());
  }

  /** Whether it is right, and what right means; speed and limits do not change what it says. */
  @Override
  public String shape(Request request) {
    return "seed %d, accuracy %s, target %s"
            .formatted(
                seed, settings.accuracy(), request.target().map(t -> "'" + t + "'").orElse("-"))
        + request.mistake().map(text -> ", mistake '" + text + "'").orElse("");
  }

  @Override
  public Response exchange(Request request, ExchangeListener listener) throws InterruptedException {
    Arrival arrival = arrive(request);
    time.sleep(arrival.latency());
    listener.facts(arrival.facts());
    if (listener.wantsChunks() && arrival.response() instanceof Response.Reply reply) {
      listener.chunk(new Chunk.Text(reply.message().text()));
    }
    return arrival.response();
  }

  /** Decides everything at the moment of arrival, as a provider's front door does. */
  private synchronized Arrival arrive(Request request) {
    if (settings.credit() > 0 && answered >= settings.credit()) {
      return new Arrival(
          REFUSAL_LATENCY,
          ResponseFacts.NONE,
          new Response.QuotaExhausted(
              "the credit of %s requests is used up".formatted(settings.credit()),
              Outcome.Reach.ACCOUNT,
              origin));
    }
    Optional<Duration> wait = settings.rpm() > 0 ? bucket.take(time.nanos()) : Optional.empty();
    if (wait.isPresent()) {
      Duration wholeSeconds = Duration.ofSeconds(wait.get().plusNanos(999_999_999).toSeconds());
      ResponseFacts facts = new ResponseFacts(quota(), Optional.of(wholeSeconds), Optional.empty());
      return new Arrival(
          REFUSAL_LATENCY,
          facts,
          new Response.RateLimited("429: too many requests", facts, origin));
    }
    if (random.nextDouble() < settings.errorRate()) {
      return new Arrival(
          REFUSAL_LATENCY,
          ResponseFacts.NONE,
          new Response.Transient("500: internal error", origin));
    }
    answered++;
    double factor = Math.exp(LATENCY_SIGMA * random.nextGaussian());
    Duration latency = Duration.ofNanos((long) (settings.latency().toNanos() * factor));
    var facts = new ResponseFacts(quota(), Optional.empty(), Optional.empty());
    return new Arrival(latency, facts, reply(request));
  }

  /** The quota as its headers would tell it at this moment. */
  private List<QuotaSnapshot> quota() {
    return settings.rpm() > 0 && settings.headers() ? List.of(bucket.snapshot()) : List.of();
  }

  private Response.Reply reply(Request request) {
    String prompt = String.join("\n", request.messages().stream().map(Message::text).toList());
    Coin tossed = request.epoch() == 0 ? coin : coin.of("epoch " + request.epoch());
    String text = tossed.answer(prompt, request.target(), request.mistake());
    var usage = new Usage(tokens(prompt), tokens(text));
    return new Response.Reply(Message.assistant(text), StopReason.STOP, usage, origin);
  }

  private static long tokens(String text) {
    return Math.ceilDiv(text.length(), CHARACTERS_PER_TOKEN);
  }

  private record Arrival(Duration latency, ResponseFacts facts, Response response) {}
}
