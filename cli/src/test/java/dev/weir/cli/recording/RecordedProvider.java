package dev.weir.cli.recording;

import dev.weir.limits.header.Dimension;
import dev.weir.limits.header.QuotaSnapshot;
import dev.weir.limits.header.Reset;
import dev.weir.limits.header.ResponseFacts;
import dev.weir.model.ExchangeListener;
import dev.weir.model.Message;
import dev.weir.model.Origin;
import dev.weir.model.Request;
import dev.weir.model.Response;
import dev.weir.model.StopReason;
import dev.weir.model.Usage;
import dev.weir.simulator.provider.Admission;
import dev.weir.simulator.provider.ProviderModel;
import dev.weir.simulator.provider.QuotaHeader;
import dev.weir.simulator.provider.QuotaHeaders;
import dev.weir.simulator.provider.RefusalCause;
import dev.weir.simulator.provider.RefusalKind;
import dev.weir.simulator.provider.Work;
import dev.weir.time.Time;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.SplittableRandom;

/**
 * A simulated provider of one model, which all processes call, and which records what it does.
 *
 * <p>For one virtual time, where one task runs at a time.
 */
final class RecordedProvider {

  /** One in twenty answers takes more than about twice the median. */
  private static final double LATENCY_SIGMA = 0.4;

  private static final Duration SHORT = Duration.ofSeconds(3);

  private final RecordedModel model;
  private final Time time;
  private final Recorder recorder;
  private final ProviderModel provider;
  private final SplittableRandom random;
  private int requests;

  RecordedProvider(RecordedModel model, Time time, Recorder recorder, long seed) {
    this.model = model;
    this.time = time;
    this.recorder = recorder;
    this.provider = new ProviderModel(model.provider(), seed);
    this.random = new SplittableRandom(seed);
  }

  /**
   * Answers one attempt.
   *
   * @param request its text is the number of the call, and {@code short} if it is a short one
   */
  Response exchange(String process, Request request, ExchangeListener listener)
      throws InterruptedException {
    String[] words = request.messages().getFirst().text().split(" ", -1);
    var attempt = new Attempt(process, Integer.parseInt(words[0]), time.nanos());
    var drawn = draw(words.length > 1);
    switch (provider.admit(recorder.since(attempt.sent), drawn)) {
      case Admission.Accepted(Work work) -> {
        var response = serve(attempt, work);
        listener.facts(new ResponseFacts(quotas(work.answer().quota()), none(), none()));
        return response;
      }
      case Admission.Refused(var refusal, long after) -> {
        Optional<String> kind =
            provider.lastRefusal().filter(cause -> cause == RefusalCause.CONCURRENCY).isPresent()
                ? Optional.of(ResponseFacts.CONCURRENCY)
                : refusal.kind().map(RefusalKind::word);
        time.sleep(Duration.ofNanos(after));
        record(attempt, "rate_limited", kind.orElse("rate_limit").replace('-', '_'), Usage.NONE);
        var facts = new ResponseFacts(quotas(refusal.quota()), refusal.retryAfter(), kind);
        listener.facts(facts);
        return new Response.RateLimited("429", facts, Origin.of(model.name()));
      }
      case Admission.Failed(var failure, long after) -> {
        time.sleep(Duration.ofNanos(after));
        record(attempt, "failed", "", Usage.NONE);
        return new Response.Transient(String.valueOf(failure.status()), Origin.of(model.name()));
      }
      case Admission.Queued _, Admission.Hung _ ->
          throw new IllegalStateException("cannot queue or hang: the provider does neither");
    }
  }

  private static <T> Optional<T> none() {
    return Optional.empty();
  }

  private record Attempt(String process, int call, long sent) {}

  private dev.weir.simulator.provider.Request draw(boolean isShort) {
    double factor = Math.exp(LATENCY_SIGMA * random.nextGaussian());
    Duration latency =
        isShort ? SHORT : Duration.ofNanos((long) (model.latency().toNanos() * factor));
    int input = around(model.inputTokens());
    int output = around(model.outputTokens());
    return dev.weir.simulator.provider.Request.exactlyEstimated(
        requests++, latency.toNanos(), input, output, output);
  }

  /** Within a tenth. */
  private int around(int tokens) {
    return tokens * 9 / 10 + random.nextInt(tokens / 5 + 1);
  }

  private Response serve(Attempt attempt, Work work) throws InterruptedException {
    boolean isServed = false;
    try {
      time.sleep(Duration.ofNanos(work.request().latencyNanos()));
      isServed = true;
    } finally {
      if (!isServed) {
        var _ = provider.abandoned(recorder.since(time.nanos()), work);
        record(attempt, "cancelled", "", Usage.NONE);
      }
    }
    var _ = provider.finished(recorder.since(time.nanos()), work);
    var usage =
        new Usage(
            work.request().promptTokens(),
            work.request().outputTokens(),
            model.cachedTokens(),
            0,
            0);
    record(attempt, "answered", "", usage);
    return new Response.Reply(
        Message.assistant("yes"), StopReason.STOP, usage, Origin.of(model.name()));
  }

  private void record(Attempt attempt, String outcome, String reason, Usage usage) {
    recorder.attempted(
        attempt.process, model.name(), attempt.call, attempt.sent, outcome, reason, usage);
  }

  private static List<QuotaSnapshot> quotas(QuotaHeaders headers) {
    List<QuotaSnapshot> quotas = new ArrayList<>();
    headers.quotas().forEach((kind, header) -> quotas.add(quota(kind, header)));
    return quotas;
  }

  private static QuotaSnapshot quota(RefusalKind kind, QuotaHeader header) {
    return new QuotaSnapshot(
        Dimension.valueOf(kind.name()),
        kind.word(),
        OptionalDouble.of((double) header.limit()),
        OptionalDouble.of((double) header.remaining()),
        Optional.of(Reset.in(header.reset())),
        Optional.of(Duration.ofMinutes(1)),
        1,
        "simulated");
  }
}
