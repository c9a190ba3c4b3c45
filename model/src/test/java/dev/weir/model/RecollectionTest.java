package dev.weir.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.limits.Call;
import dev.weir.limits.Demand;
import dev.weir.limits.LimitKey;
import dev.weir.limits.Mode;
import dev.weir.limits.Regulator;
import dev.weir.limits.pace.Cost;
import dev.weir.limits.retry.RetryBounds;
import dev.weir.time.virtual.VirtualTime;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SplittableRandom;
import java.util.concurrent.CancellationException;
import org.junit.jupiter.api.Test;

/** A model whose answers are kept, which takes as long as an answer itself. */
class RecollectionTest {

  private static final ModelName NAME = ModelName.parse("fake/model");
  private static final Duration LATENCY = Duration.ofSeconds(10);
  private static final Duration KEEPING = Duration.ofSeconds(7);

  private final VirtualTime time = VirtualTime.seeded(1);
  private final List<String> asked = new ArrayList<>();
  private final Kept kept = new Kept();

  private final class Kept implements Recollection {

    private Map<String, Deque<String>> before = new HashMap<>();
    private Map<String, Deque<String>> answers = new HashMap<>();
    private final List<Duration> took = new ArrayList<>();
    private Duration takes = Duration.ZERO;
    private int open;

    void beginAgain() {
      before = answers;
      answers = new HashMap<>();
    }

    @Override
    public Asking ask(Request request, String what) {
      open++;
      return new Asking() {
        private final Deque<String> left = before.getOrDefault(what, new ArrayDeque<>());

        @Override
        public Optional<Before> known() {
          return Optional.ofNullable(left.peek()).map(text -> new Before(text, takes));
        }

        @Override
        public void taken() {
          left.remove();
        }

        @Override
        public void keep(Response.Reply reply, String text, Duration duration) {
          try {
            time.sleep(KEEPING);
          } catch (InterruptedException cancelled) {
            throw new AssertionError(cancelled);
          }
          took.add(duration);
          answers.computeIfAbsent(what, _ -> new ArrayDeque<>()).add(text);
        }

        @Override
        public void close() {
          open--;
        }
      };
    }
  }

  private final class Slow implements Adapter {

    @Override
    public LimitKey key() {
      return LimitKey.named(NAME.toString());
    }

    @Override
    public Response exchange(Request request, ExchangeListener listener)
        throws InterruptedException {
      asked.add(request.messages().getLast().text());
      time.sleep(LATENCY);
      return new Response.Reply(
          Message.assistant("answer " + asked.size()),
          StopReason.CONTENT_FILTER,
          new Usage(10, 20),
          Origin.of(NAME));
    }
  }

  private Model model() {
    var lane =
        new Regulator(time, OptionalInt.empty(), Duration.ZERO, new SplittableRandom(1))
            .lane(LimitKey.named(NAME.toString()), new Mode.Static(1), RetryBounds.NONE);
    return new Model(time, NAME, new Slow(), lane, _ -> {}).with(kept, Map.of());
  }

  private static Call<Response> ask(Model model, String question) throws InterruptedException {
    return model.generate(Request.of(question), Demand.of("test", Cost.ONE_REQUEST));
  }

  private static String text(Call<Response> call) {
    return ((Response.Reply) call.value()).message().text();
  }

  @Test
  void whoAsksTheSameGetsTheSameAnswersInTheirOrderAndNobodyIsAsked() throws Exception {
    time.run(
        () -> {
          Model first = model();
          ask(first, "a");
          ask(first, "a");
          ask(first, "b");
        });
    kept.beginAgain();
    asked.clear();
    time.run(
        () -> {
          long begin = time.nanos();
          Model again = model();
          assertThat(text(ask(again, "a"))).isEqualTo("answer 1");
          assertThat(text(ask(again, "b"))).isEqualTo("answer 3");
          Call<Response> second = ask(again, "a");
          assertThat(text(second)).isEqualTo("answer 2");
          assertThat(second.times()).isEqualTo(Call.Times.NONE);
          // It was paid for, unlike one of a cache.
          assertThat(second.value().origin().fromCache()).isFalse();
          assertThat(time.nanos()).isEqualTo(begin);
          assertThat(asked).isEmpty();
          ask(again, "a");
          ask(again, "c");
        });
    assertThat(asked).containsExactly("a", "c");
    assertThat(kept.open).isZero();
  }

  @Test
  void anAnswerThatIsToTakeItsTimeAgainDoes() throws Exception {
    time.run(() -> ask(model(), "a"));
    kept.beginAgain();
    kept.takes = Duration.ofSeconds(4);
    time.run(
        () -> {
          long begin = time.nanos();
          Model again = model();
          var ended = time.start("ended", () -> ask(again, "a"));
          time.sleep(Duration.ofSeconds(1));
          ended.cancel();
          assertThatExceptionOfType(CancellationException.class).isThrownBy(ended::join);
          // Who did not wait for it has not had it.
          assertThat(ask(again, "a").times().called()).isEqualTo(kept.takes);
          assertThat(time.nanos() - begin).isEqualTo(Duration.ofSeconds(5).toNanos());
        });
    assertThat(asked).containsExactly("a");
    assertThat(kept.open).isZero();
  }

  @Test
  void aCallIsInFlightUntilItsAnswerIsKeptButTookNoLongerForThat() throws Exception {
    time.run(
        () -> {
          Model model = model();
          long begin = time.nanos();
          var first = time.start("first", () -> ask(model, "a"));
          var second = time.start("second", () -> ask(model, "b"));
          assertThat(first.join().times().called()).isEqualTo(LATENCY);
          assertThat(second.join().times().called()).isEqualTo(LATENCY);
          assertThat(second.join().times().queued()).isEqualTo(LATENCY.plus(KEEPING));
          assertThat(time.nanos() - begin)
              .isEqualTo(LATENCY.plus(KEEPING).multipliedBy(2).toNanos());
        });
    assertThat(kept.took).containsExactly(LATENCY, LATENCY);
  }
}
