package dev.weir.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.weir.limits.DeadlinePassedException;
import dev.weir.limits.Demand;
import dev.weir.limits.Lane;
import dev.weir.limits.LimitKey;
import dev.weir.limits.Mode;
import dev.weir.limits.Regulator;
import dev.weir.limits.pace.Cost;
import dev.weir.limits.retry.RetryBounds;
import dev.weir.time.virtual.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** How events of calls reach a listener; CallEventsTest of the simulator checks what they say. */
class CallListenerTest {

  private static final ModelName NAME = ModelName.parse("openai/gpt-4o");
  private static final LimitKey KEY = LimitKey.of("openai", "0123", "gpt-4o");

  private final VirtualTime time = VirtualTime.seeded(1);
  private final List<CallEvent> events = new ArrayList<>();

  private interface Exchange {
    Response make(int attempt) throws InterruptedException;
  }

  private Model model(Lane lane, Exchange exchange) {
    var attempts = new AtomicInteger();
    Adapter adapter =
        new Adapter() {
          @Override
          public LimitKey key() {
            return KEY;
          }

          @Override
          public Response exchange(Request request, ExchangeListener listener)
              throws InterruptedException {
            return exchange.make(attempts.incrementAndGet());
          }
        };
    return new Model(time, NAME, adapter, lane, _ -> {});
  }

  private Regulator regulator() {
    return Regulator.unbounded(time, new SplittableRandom(1));
  }

  private Model model(Exchange exchange) {
    return model(regulator().lane(KEY, new Mode.Static(1), RetryBounds.NONE), exchange);
  }

  private static Response reply() {
    return new Response.Reply(
        Message.assistant("yes"), StopReason.STOP, new Usage(3, 1), Origin.of(NAME));
  }

  private static Demand demand() {
    return Demand.of("test", Cost.ONE_REQUEST);
  }

  @Test
  void eachAttemptIsSentAndAnswered() throws Exception {
    Model model =
        model(
                attempt -> {
                  time.sleep(Duration.ofSeconds(2));
                  return attempt == 1 ? new Response.Transient("500", Origin.of(NAME)) : reply();
                })
            .with(events::add);
    time.run(() -> model.generate(Request.of("hello"), demand()));
    assertThat(events)
        .extracting(event -> event.getClass().getSimpleName())
        .containsExactly("Queued", "Sent", "Answered", "Sent", "Answered", "Ended");
    assertThat(events).extracting(CallEvent::call).containsOnly(events.getFirst().call());
    assertThat(((CallEvent.Answered) events.get(2)).took()).isEqualTo(Duration.ofSeconds(2));
    var again = (CallEvent.Sent) events.get(3);
    assertThat(again.attempt()).isEqualTo(2);
    assertThat(again.waited()).isPositive();
    var ended = (CallEvent.Ended) events.getLast();
    assertThat(ended.result()).isEqualTo(CallEvent.Result.ANSWERED);
    assertThat(ended.attempts()).isEqualTo(2);
    assertThat(ended.times().backedOff()).isEqualTo(again.waited());
  }

  @Test
  void aDefectEndsTheAttemptAndTheCall() throws Exception {
    Model model =
        model(
                _ -> {
                  throw new IllegalStateException("a defect");
                })
            .with(events::add);
    time.run(
        () ->
            assertThatIllegalStateException()
                .isThrownBy(() -> model.generate(Request.of("hello"), demand())));
    assertThat(events).hasSize(4);
    assertThat(((CallEvent.Abandoned) events.get(2)).cause()).isEqualTo(CallEvent.Cause.DEFECT);
    assertThat(((CallEvent.Ended) events.get(3)).result()).isEqualTo(CallEvent.Result.DEFECT);
  }

  @Test
  void aListenerThatFailsHarmsNoCall() throws Exception {
    List<Throwable> uncaught = new ArrayList<>();
    Model model =
        model(_ -> reply())
            .with(
                event -> {
                  events.add(event);
                  throw new IllegalStateException("of the listener");
                });
    time.run(
        () -> {
          Thread.currentThread().setUncaughtExceptionHandler((_, problem) -> uncaught.add(problem));
          assertThat(model.generate(Request.of("hello"), demand()).value()).isEqualTo(reply());
        });
    assertThat(events).hasSize(4);
    assertThat(uncaught).hasSize(4);
  }

  @Test
  void callsOfBatchesAreMarked() throws Exception {
    Regulator regulator = regulator();
    Lane lane = regulator.batchLane(KEY, new Mode.Static(1), RetryBounds.NONE);
    time.run(
        () -> model(lane, _ -> reply()).with(events::add).generate(Request.of("hello"), demand()));
    assertThat(events).extracting(event -> event.call().isBatched()).containsOnly(true);
  }

  /** Its engine would answer and bill what no caller waits for, and what no event says. */
  @Test
  void anAttemptThatBeginsAfterTheEndOfItsCallIsNotSent() throws Exception {
    var exchanges = new AtomicInteger();
    Adapter adapter =
        new Adapter() {
          @Override
          public LimitKey key() {
            return KEY;
          }

          @Override
          public Response exchange(Request request, ExchangeListener listener)
              throws InterruptedException {
            exchanges.incrementAndGet();
            listener.chunk(new Chunk.Text("y"));
            return new Response.Transient("500", Origin.of(NAME));
          }
        };
    Lane lane = regulator().lane(KEY, new Mode.Static(1), RetryBounds.NONE);
    Model model = new Model(time, NAME, adapter, lane, _ -> {}).with(events::add);
    Model.Reader slow =
        chunk -> {
          if (chunk instanceof Chunk.Restart) {
            try {
              time.sleep(Duration.ofHours(1));
            } catch (InterruptedException ignored) {
              // A program that ignores interruptions.
            }
          }
        };
    time.run(
        () -> {
          long deadline = time.after(Duration.ofMinutes(30));
          assertThatExceptionOfType(DeadlinePassedException.class)
              .isThrownBy(
                  () -> model.generate(Request.of("hello").until(deadline), demand(), slow));
          time.sleep(Duration.ofHours(2));
        });
    assertThat(exchanges).hasValue(1);
    assertThat(events).filteredOn(event -> event instanceof CallEvent.Sent).hasSize(1);
    assertThat(events.getLast()).isInstanceOf(CallEvent.Ended.class);
  }

  @Test
  void anErrorOfTheListenerLosesNoLaterEvent() throws Exception {
    var failed = new AtomicInteger();
    Model model =
        model(
                attempt -> {
                  time.sleep(Duration.ofSeconds(2));
                  return reply();
                })
            .with(
                event -> {
                  events.add(event);
                  throw new AssertionError("a defect");
                });
    time.run(
        () -> {
          Thread.currentThread().setUncaughtExceptionHandler((_, _) -> failed.incrementAndGet());
          assertThat(model.generate(Request.of("hello"), demand()).value())
              .isInstanceOf(Response.Reply.class);
        });
    assertThat(events)
        .extracting(event -> event.getClass().getSimpleName())
        .containsExactly("Queued", "Sent", "Answered", "Ended");
    assertThat(failed).hasValueGreaterThan(0);
  }
}
