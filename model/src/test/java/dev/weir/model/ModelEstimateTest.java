package dev.weir.model;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limits.Demand;
import dev.weir.limits.Lane;
import dev.weir.limits.LimitKey;
import dev.weir.limits.Mode;
import dev.weir.limits.Regulator;
import dev.weir.limits.header.Dimension;
import dev.weir.limits.header.QuotaSnapshot;
import dev.weir.limits.header.ResponseFacts;
import dev.weir.limits.pace.Cost;
import dev.weir.limits.pace.PaceSettings;
import dev.weir.limits.retry.RetryBounds;
import dev.weir.time.virtual.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** When a model counts tokens exactly: where they are limited. */
class ModelEstimateTest {

  private static final ModelName NAME = ModelName.parse("openai/gpt-4o");

  /** 800 tokens by characters, and 400 by the vocabulary. */
  private static final String TEXT = "a".repeat(3_200);

  private final VirtualTime time = VirtualTime.seeded(1);

  /** What was reserved for each of three calls, one after the other. */
  private List<Double> reserved(OptionalDouble tier, ResponseFacts facts) throws Exception {
    var mode = new Mode.Pace(new PaceSettings(10, OptionalDouble.empty(), tier, false));
    LimitKey key = LimitKey.named(NAME.toString());
    Lane lane =
        new Regulator(time, OptionalInt.empty(), Duration.ofMinutes(1), new SplittableRandom(1))
            .lane(key, mode, RetryBounds.NONE);
    List<Double> reserved = new ArrayList<>();
    Adapter adapter =
        new Adapter() {
          @Override
          public LimitKey key() {
            return key;
          }

          @Override
          public Response exchange(Request request, ExchangeListener listener)
              throws InterruptedException {
            reserved.add(lane.ledger().outstanding());
            listener.facts(facts);
            time.sleep(Duration.ofSeconds(1));
            return new Response.Reply(
                Message.assistant("yes"), StopReason.STOP, Usage.NONE, Origin.of(NAME));
          }
        };
    var model = new Model(time, NAME, adapter, lane, _ -> {});
    return time.run(
        () -> {
          for (int i = 0; i < 3; i++) {
            model.generate(Request.of(TEXT), Demand.of("test", Cost.ONE_REQUEST));
          }
          return reserved;
        });
  }

  private static ResponseFacts quotaOf(Dimension dimension) {
    return new ResponseFacts(
        List.of(
            new QuotaSnapshot(
                dimension,
                dimension.word(),
                OptionalDouble.of(1e9),
                OptionalDouble.of(1e9),
                Optional.empty(),
                Optional.empty(),
                1,
                "test")),
        Optional.empty(),
        Optional.empty());
  }

  @Test
  void charactersAreEnoughWhileNothingLimitsTokens() throws Exception {
    List<Double> calls = reserved(OptionalDouble.empty(), quotaOf(Dimension.REQUESTS));
    assertThat(calls).hasSize(3).containsOnly(calls.getFirst());
  }

  @Test
  void onceTokensAreLimitedTheyAreCountedExactly() throws Exception {
    List<Double> calls = reserved(OptionalDouble.empty(), quotaOf(Dimension.TOKENS));
    assertThat(calls.getFirst() - calls.get(1)).isEqualTo(400);
    assertThat(calls.get(2)).isEqualTo(calls.get(1));
  }

  @Test
  void aTierOfTokensThatTheUserStatesCounts() throws Exception {
    List<Double> calls = reserved(OptionalDouble.of(1e9), ResponseFacts.NONE);
    List<Double> rough = reserved(OptionalDouble.empty(), ResponseFacts.NONE);
    assertThat(rough.getLast() - calls.getLast()).isEqualTo(400);
  }
}
