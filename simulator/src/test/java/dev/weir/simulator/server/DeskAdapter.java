package dev.weir.simulator.server;

import dev.weir.limits.LimitKey;
import dev.weir.limits.header.ResponseFacts;
import dev.weir.model.Adapter;
import dev.weir.model.ExchangeListener;
import dev.weir.model.Message;
import dev.weir.model.ModelName;
import dev.weir.model.Origin;
import dev.weir.model.Request;
import dev.weir.model.Response;
import dev.weir.model.StopReason;
import dev.weir.model.Usage;
import dev.weir.simulator.provider.Admission;
import dev.weir.simulator.provider.HeaderStyle;
import dev.weir.simulator.provider.Work;
import dev.weir.time.Time;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;

/** The simulated provider without HTTP, on any clock: its own counts are in {@link Desk#stats}. */
final class DeskAdapter implements Adapter {

  private static final int OUTPUT_TOKENS = 7;

  private final Time time;
  private final Desk desk;
  private final ModelName name;

  DeskAdapter(Time time, Desk desk, ModelName name) {
    this.time = time;
    this.desk = desk;
    this.name = name;
  }

  @Override
  public LimitKey key() {
    return LimitKey.named(name.toString());
  }

  @Override
  public Response exchange(Request request, ExchangeListener listener) throws InterruptedException {
    Call call = call(request);
    Desk.Visit visit = desk.arrive(call, OUTPUT_TOKENS, Optional.empty());
    return switch (visit.admission()) {
      case Admission.Accepted(Work work) -> {
        sleep(Duration.ofNanos(work.request().latencyNanos()), work, call);
        desk.finish(work, work.hashCode(), call, OUTPUT_TOKENS);
        yield new Response.Reply(
            Message.assistant("yes"),
            StopReason.STOP,
            new Usage(call.promptTokens(), OUTPUT_TOKENS),
            Origin.of(name));
      }
      case Admission.Hung(Work work) -> {
        sleep(Duration.ofDays(1), work, call);
        throw new IllegalStateException("it was waited for too long");
      }
      case Admission.Queued(Work _) -> throw new IllegalStateException("the cap does not queue");
      case Admission.Refused(var _, long after) -> {
        sleep(after, call);
        desk.refused(call);
        yield new Response.RateLimited("429", ResponseFacts.NONE, Origin.of(name));
      }
      case Admission.Failed(var failure, long after) -> {
        sleep(after, call);
        desk.failed(call);
        yield failure.status() == dev.weir.simulator.provider.Response.Failure.OVERLOAD
            ? new Response.Overloaded("529", ResponseFacts.NONE, Origin.of(name))
            : new Response.Transient(String.valueOf(failure.status()), Origin.of(name));
      }
    };
  }

  private void sleep(Duration duration, Work work, Call call) throws InterruptedException {
    try {
      time.sleep(duration);
    } catch (InterruptedException gone) {
      desk.abandon(work, call);
      throw gone;
    }
  }

  /** The time that a provider takes to say no. */
  private void sleep(long nanos, Call call) throws InterruptedException {
    try {
      time.sleep(Duration.ofNanos(nanos));
    } catch (InterruptedException gone) {
      desk.left(call);
      throw gone;
    }
  }

  private Call call(Request request) {
    String body =
        "{\"model\":\"%s\",\"messages\":[{\"role\":\"user\",\"content\":\"%s\"}]}"
            .formatted(name.model(), request.messages().getFirst().text());
    return new ChatCompletions(HeaderStyle.OPENAI)
        .read(Fields.parse(body.getBytes(StandardCharsets.UTF_8)));
  }
}
