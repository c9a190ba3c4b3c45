package dev.weir.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.limits.Call;
import dev.weir.limits.DeadlinePassedException;
import dev.weir.limits.Demand;
import dev.weir.limits.Lane;
import dev.weir.limits.LimitKey;
import dev.weir.limits.Mode;
import dev.weir.limits.Regulator;
import dev.weir.limits.pace.Cost;
import dev.weir.limits.retry.Outcome;
import dev.weir.limits.retry.RetryBounds;
import dev.weir.model.cache.CacheAge;
import dev.weir.model.cache.CacheKey;
import dev.weir.model.cache.ResponseCache;
import dev.weir.model.cache.ResponseCache.Lookup;
import dev.weir.model.cache.ResponseCache.Settings;
import dev.weir.time.Task;
import dev.weir.time.Time;
import dev.weir.time.virtual.VirtualTime;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SplittableRandom;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A model with a cache in front of a lane that is as slow as can be. */
class CachedModelTest {

  private static final ModelName NAME = ModelName.parse("fake/model");
  private static final Duration LATENCY = Duration.ofSeconds(10);

  @TempDir Path directory;

  private final VirtualTime time = VirtualTime.seeded(1);
  private final List<AttemptRecord> trace = new ArrayList<>();
  private final List<Request> asked = new ArrayList<>();
  private Function<Request, Response> answers = request -> reply(request, StopReason.STOP);

  private static Response.Reply reply(Request request, StopReason stop) {
    return new Response.Reply(
        new Message.Assistant(
            "answer to " + request.messages().getLast().text(),
            "thought",
            List.of(new ToolCall("1", "tool", "{}")),
            Optional.empty()),
        stop,
        new Usage(10, 20),
        Origin.of(NAME));
  }

  private Response.Failure failure() {
    return new Response.InvalidRequest("no", Outcome.Reach.REQUEST, Origin.of(NAME));
  }

  private final class Slow implements Adapter {

    @Override
    public LimitKey key() {
      return LimitKey.named(NAME.toString());
    }

    @Override
    public Response exchange(Request request, ExchangeListener listener)
        throws InterruptedException {
      asked.add(request);
      time.sleep(LATENCY);
      return answers.apply(request);
    }
  }

  /** One call at a time, and a minute between two. */
  private Lane lane() {
    return new Regulator(time, OptionalInt.empty(), Duration.ofMinutes(1), new SplittableRandom(1))
        .lane(LimitKey.named(NAME.toString()), new Mode.Static(1), RetryBounds.NONE);
  }

  private Model plain(Lane lane) {
    return new Model(time, NAME, new Slow(), lane, trace::add);
  }

  private Model model() throws IOException {
    return plain(lane()).with(cache(), Map.of());
  }

  private ResponseCache cache() throws IOException {
    return ResponseCache.open(time, directory, new Settings(CacheAge.DEFAULT, 1 << 30));
  }

  private static Call<Response> ask(Model model, String question) throws InterruptedException {
    return model.generate(Request.of(question), Demand.of("test", Cost.ONE_REQUEST));
  }

  private static boolean isHit(Call<Response> call) {
    return call.value() instanceof Response.Reply reply && reply.origin().fromCache();
  }

  @Test
  void aRunWhoseAnswersAreAllKnownIsNotThrottled() throws Exception {
    int questions = 30;
    time.run(
        () -> {
          Model first = model();
          for (int i = 0; i < questions; i++) {
            assertThat(isHit(ask(first, "question " + i))).isFalse();
          }
        });
    assertThat(asked).hasSize(questions);
    trace.clear();
    time.run(
        () -> {
          long begin = time.nanos();
          Lane lane = lane();
          Model second = plain(lane).with(cache(), Map.of());
          Lane.Status before = lane.status();
          List<Task<Call<Response>>> calls = new ArrayList<>();
          for (int i = 0; i < questions; i++) {
            String question = "question " + i;
            calls.add(time.start(question, () -> ask(second, question)));
          }
          for (int i = 0; i < questions; i++) {
            Call<Response> call = calls.get(i).join();
            assertThat(isHit(call)).isTrue();
            assertThat(call.outcome()).isEqualTo(new Outcome.Nothing());
            assertThat(call.times()).isEqualTo(Call.Times.NONE);
            Response.Reply reply = (Response.Reply) call.value();
            assertThat(reply.message().text()).isEqualTo("answer to question " + i);
            assertThat(reply.usage()).isEqualTo(new Usage(10, 20));
          }
          assertThat(time.nanos()).as("no time at all").isEqualTo(begin);
          assertThat(lane.status()).isEqualTo(before);
        });
    assertThat(asked).hasSize(questions);
    assertThat(trace).as("a hit is no attempt").isEmpty();
  }

  @Test
  void identicalCallsInProgressBecomeOne() throws Exception {
    time.run(
        () -> {
          Model model = model();
          long begin = time.nanos();
          List<Task<Call<Response>>> calls = new ArrayList<>();
          for (int i = 0; i < 20; i++) {
            calls.add(time.start("call " + i, () -> ask(model, "same")));
          }
          int hits = 0;
          for (Task<Call<Response>> call : calls) {
            hits += isHit(call.join()) ? 1 : 0;
          }
          assertThat(hits).isEqualTo(19);
          assertThat(Duration.ofNanos(time.nanos() - begin)).isEqualTo(LATENCY);
          // Waiting for another call is not the latency of the model.
          Call.Times times = calls.getLast().join().times();
          assertThat(times.queued()).isEqualTo(LATENCY);
          assertThat(times.called()).isZero();
        });
    assertThat(asked).hasSize(1);
  }

  @Test
  void anEntryOfAnUnknownFormIsAskedForOnceAndReplaced() throws Exception {
    time.run(
        () -> {
          ResponseCache cache = cache();
          CacheKey key = new CacheKeys(NAME, "", Map.of()).of(Request.of("a"));
          if (cache.look(key, Time.NEVER) instanceof Lookup.Miss(ResponseCache.Flight flight)) {
            try (flight) {
              flight.land(NAME.toString(), "{\"format\":99}");
            }
          }
          Model model = plain(lane()).with(cache, Map.of());
          List<Task<Call<Response>>> calls = new ArrayList<>();
          for (int i = 0; i < 3; i++) {
            calls.add(time.start("ask", () -> ask(model, "a")));
          }
          for (Task<Call<Response>> call : calls) {
            assertThat(call.join().value()).isInstanceOf(Response.Reply.class);
          }
          assertThat(asked).hasSize(1);
          assertThat(isHit(ask(model(), "a"))).isTrue();
        });
    assertThat(asked).hasSize(1);
  }

  @Test
  void failuresAreNotKept() throws Exception {
    answers = _ -> failure();
    time.run(
        () -> {
          Model model = model();
          assertThat(ask(model, "same").value()).isEqualTo(failure());
          answers = request -> reply(request, StopReason.STOP);
          assertThat(isHit(ask(model, "same"))).isFalse();
          assertThat(isHit(ask(model, "same"))).isTrue();
        });
    assertThat(asked).hasSize(2);
  }

  @Test
  void aFilteredAnswerIsNotKeptAndACutOneIs() throws Exception {
    time.run(
        () -> {
          Model model = model();
          answers = request -> reply(request, StopReason.CONTENT_FILTER);
          ask(model, "filtered");
          assertThat(isHit(ask(model, "filtered"))).isFalse();
          answers = request -> reply(request, StopReason.MAX_TOKENS);
          ask(model, "cut");
          assertThat(isHit(ask(model, "cut"))).isTrue();
        });
  }

  @Test
  void whenTheFirstFailsTheNextOneAsks() throws Exception {
    answers = request -> asked.size() < 3 ? failure() : reply(request, StopReason.STOP);
    time.run(
        () -> {
          Model model = model();
          List<Task<Call<Response>>> calls = new ArrayList<>();
          for (int i = 0; i < 6; i++) {
            calls.add(time.start("call " + i, () -> ask(model, "same")));
          }
          int failed = 0;
          int hits = 0;
          for (Task<Call<Response>> call : calls) {
            failed += call.join().value() instanceof Response.Failure ? 1 : 0;
            hits += isHit(call.join()) ? 1 : 0;
          }
          assertThat(failed).isEqualTo(2);
          assertThat(hits).isEqualTo(3);
        });
    assertThat(asked).hasSize(3);
  }

  @Test
  void anotherEpochIsAnotherAnswer() throws Exception {
    time.run(
        () -> {
          Model model = model();
          ask(model, "same");
          Call<Response> second =
              model.generate(Request.of("same").withEpoch(1), Demand.of("test", Cost.ONE_REQUEST));
          assertThat(isHit(second)).isFalse();
        });
    assertThat(asked).hasSize(2);
  }

  @Test
  void aHitIsToldInPieces() throws Exception {
    List<Chunk> pieces = new ArrayList<>();
    time.run(
        () -> {
          Model model = model();
          ask(model, "same");
          model.generate(Request.of("same"), Demand.of("test", Cost.ONE_REQUEST), pieces::add);
        });
    assertThat(pieces)
        .containsExactly(
            new Chunk.Reasoning("thought"),
            new Chunk.Text("answer to same"),
            new Chunk.ToolCallPart(0, "1", "tool", "{}"));
  }

  @Test
  void aFollowerKeepsItsDeadline() throws Exception {
    time.run(
        () -> {
          Model model = model();
          Task<Call<Response>> leader = time.start("leader", () -> ask(model, "same"));
          time.sleep(Duration.ofSeconds(1));
          long deadline = time.after(Duration.ofSeconds(2));
          assertThatThrownBy(
                  () ->
                      model.generate(
                          Request.of("same").until(deadline), Demand.of("test", Cost.ONE_REQUEST)))
              .isInstanceOf(DeadlinePassedException.class);
          assertThat(time.nanos()).isEqualTo(deadline);
          assertThat(isHit(leader.join())).isFalse();
        });
    assertThat(asked).hasSize(1);
  }

  @Test
  void withoutACacheNothingIsKept() throws Exception {
    time.run(
        () -> {
          Model model = plain(lane());
          ask(model, "same");
          assertThat(isHit(ask(model, "same"))).isFalse();
        });
    assertThat(directory).isEmptyDirectory();
  }
}
