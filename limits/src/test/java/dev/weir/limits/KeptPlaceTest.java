package dev.weir.limits;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limits.control.AimdSettings;
import dev.weir.limits.header.ResponseFacts;
import dev.weir.limits.pace.Cost;
import dev.weir.limits.retry.Outcome;
import dev.weir.time.Task;
import dev.weir.time.virtual.VirtualTime;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** In mode {@code aimd} a refused request keeps its place in the window while it waits. */
class KeptPlaceTest {

  private static final Demand DEMAND = Demand.of("task", Cost.ONE_REQUEST);

  private final VirtualTime time = VirtualTime.seeded(1);
  private final Lane lane =
      Regulator.unbounded(time, new SplittableRandom(1))
          .lane("sim/test", new Mode.Aimd(AimdSettings.parse("1-1").orElseThrow()));

  private int attempts;

  /** After a minute in the queue the others come before a retry, but they wait for its place. */
  @Test
  void comesBackBeforeThoseWhoNeedItsPlace() throws Exception {
    time.run(
        () -> {
          Task<Call<String>> refused = time.start("refused", this::refusedOnce);
          time.sleep(Duration.ofMillis(1));
          Task<Call<String>> other = time.start("other", () -> lane.call(DEMAND, _ -> clean()));
          assertThat(refused.join().attempts()).isEqualTo(2);
          assertThat(other.join().attempts()).isEqualTo(1);
        });
  }

  @Test
  void goesToTheNextWhenItsRequestIsCancelled() throws Exception {
    time.run(
        () -> {
          Task<Call<String>> refused = time.start("refused", this::refusedOnce);
          time.sleep(Duration.ofMillis(1));
          Task<Call<String>> other = time.start("other", () -> lane.call(DEMAND, _ -> clean()));
          time.sleep(Duration.ofSeconds(1));
          refused.cancel();
          assertThat(other.join().attempts()).isEqualTo(1);
          assertThat(Duration.ofNanos(time.nanos())).isLessThan(Duration.ofSeconds(2));
        });
  }

  private Call<String> refusedOnce() throws InterruptedException {
    var wait = new ResponseFacts(List.of(), Optional.of(Duration.ofSeconds(100)), Optional.empty());
    return lane.call(
        DEMAND,
        _ ->
            attempts++ == 0
                ? new Attempt.Result<>(new Outcome.RateLimited(wait), Cost.ONE_REQUEST, "no")
                : clean());
  }

  private static Attempt.Result<String> clean() {
    return new Attempt.Result<>(new Outcome.Clean(), Cost.ONE_REQUEST, "answer");
  }
}
