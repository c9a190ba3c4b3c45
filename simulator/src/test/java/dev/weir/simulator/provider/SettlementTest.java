package dev.weir.simulator.provider;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.weir.simulator.provider.ProviderSettings.Quota;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** What is reserved is settled, returned or outstanding, whatever happens in which order. */
class SettlementTest {

  private static final int SEEDS = 300;
  private static final long BURST = 1_000_000;

  @Test
  void nothingIsLostAndNothingAppears() {
    for (long seed = 1; seed <= SEEDS; seed++) {
      checkConservation(seed);
    }
  }

  /** A quota that hardly comes back, so that its level is the balance of all that happened. */
  private static void checkConservation(long seed) {
    var random = new SplittableRandom(seed);
    var settings = ProviderSettings.builder().tokens(new Quota(1e-6, BURST)).queuesAbove(4).build();
    var model = new ProviderModel(settings, seed);
    List<Work> serving = new ArrayList<>();
    long reserved = 0;
    long settled = 0;
    long returned = 0;
    long outstanding = 0;
    for (int step = 0; step < 200; step++) {
      if (serving.isEmpty() || random.nextBoolean()) {
        Request request = draw(step, random);
        switch (model.admit(step, request)) {
          case Admission.Accepted(Work work) -> serving.add(work);
          case Admission.Queued _ -> {}
          case Admission.Refused _ -> {
            continue;
          }
          case Admission.Failed _, Admission.Hung _ ->
              throw new AssertionError("seed %d: cannot fail".formatted(seed));
        }
        reserved += request.reservedTokens();
        outstanding += request.reservedTokens();
      } else {
        Work work = serving.remove(random.nextInt(serving.size()));
        Request request = work.request();
        model.finished(step, work).ifPresent(serving::add);
        settled += request.usedTokens();
        returned += request.reservedTokens() - request.usedTokens();
        outstanding -= request.reservedTokens();
      }
      assertThat(reserved).as("seed %d", seed).isEqualTo(settled + returned + outstanding);
      long expected = BURST - settled - outstanding;
      long remaining = model.quota(step).of(RefusalKind.TOKENS).orElseThrow().remaining();
      assertThat(remaining)
          .as("seed %d, step %d", seed, step)
          .isCloseTo(Math.max(0, expected), within(1L));
    }
  }

  /** Settled and outstanding tokens never exceed what the quota has given until then. */
  @Test
  void neverMoreThanBurstAndRefillIsGiven() {
    for (long seed = 1; seed <= SEEDS; seed++) {
      var random = new SplittableRandom(seed);
      double perSecond = random.nextDouble(10, 10_000);
      double burst = random.nextDouble(3_000, 50_000);
      var settings = ProviderSettings.builder().tokens(new Quota(perSecond, burst)).build();
      var model = new ProviderModel(settings, seed);
      List<Work> serving = new ArrayList<>();
      double given = 0;
      long now = 0;
      for (int step = 0; step < 300; step++) {
        now += random.nextLong(500_000_000);
        if (random.nextInt(3) > 0) {
          Request request = draw(step, random);
          if (model.admit(now, request) instanceof Admission.Accepted(Work work)) {
            serving.add(work);
            given += request.reservedTokens();
          }
        } else if (!serving.isEmpty()) {
          Work work = serving.remove(random.nextInt(serving.size()));
          model.finished(now, work);
          given -= work.request().reservedTokens() - work.request().usedTokens();
        }
        assertThat(given)
            .as("seed %d, step %d", seed, step)
            .isLessThanOrEqualTo(burst + perSecond * now / 1e9 + 1e-6);
      }
    }
  }

  /** Never uses more than was reserved, as a provider that counts max tokens sees it. */
  private static Request draw(int id, SplittableRandom random) {
    int max = random.nextInt(1, 2_000);
    return Request.exactlyEstimated(id, 1, random.nextInt(1, 1_000), random.nextInt(max), max);
  }
}
