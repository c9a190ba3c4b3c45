package dev.weir.eval.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.eval.option.Settings;
import dev.weir.eval.solver.Solver;
import dev.weir.limits.LimitKey;
import dev.weir.limits.Mode;
import dev.weir.limits.control.AimdSettings;
import dev.weir.limits.header.ResponseFacts;
import dev.weir.limits.pace.PaceSettings;
import dev.weir.log.RunResult;
import dev.weir.model.Adapter;
import dev.weir.model.ExchangeListener;
import dev.weir.model.Message;
import dev.weir.model.Origin;
import dev.weir.model.Request;
import dev.weir.model.Response;
import dev.weir.model.StopReason;
import dev.weir.model.Usage;
import dev.weir.time.virtual.VirtualTime;
import java.time.Duration;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Agents that spend most of their time in tools: 400 samples of 20 turns, each 4 s in the model and
 * 8 s in tools.
 */
class AgentAdmissionTest {

  private static final int SAMPLES = 400;
  private static final int TURNS = 20;
  private static final double MODEL_SECONDS = 4;
  private static final double TOOL_SECONDS = 8;

  private VirtualTime time = VirtualTime.seeded(1);
  private Provider provider = new Provider(Integer.MAX_VALUE, 1);
  private int mostOpen;
  private double longest;
  private Duration preparation = Duration.ZERO;

  private RunResult run(long seed, Mode mode, int cap, double spread) throws Exception {
    return run(seed, mode, cap, spread, Settings.NONE);
  }

  /**
   * @param spread of the times of model and tools: log-normal
   */
  private RunResult run(long seed, Mode mode, int cap, double spread, Settings settings)
      throws Exception {
    time = VirtualTime.seeded(seed);
    provider = new Provider(cap, seed);
    provider.spread = spread;
    mostOpen = 0;
    longest = 0;
    Solver agent =
        (state, context) -> {
          provider.open++;
          mostOpen = Math.max(mostOpen, provider.open);
          if (preparation.isPositive()) {
            context.time().sleep(preparation);
          }
          long begun = time.nanos();
          long waited = 0;
          for (int turn = 0; turn < TURNS; turn++) {
            long asked = time.nanos();
            state.generate(context.model());
            waited += time.nanos() - asked - provider.lastLatency;
            context.time().sleep(provider.drawn(TOOL_SECONDS));
          }
          longest = Math.max(longest, (time.nanos() - begun - waited) / 1e9);
          provider.open--;
        };
    return AdmittedRun.run(time, seed, SAMPLES, agent, provider, mode, settings);
  }

  /** Refuses what is beyond its cap. On virtual time only one task runs at a time. */
  private final class Provider implements Adapter {

    private final int cap;
    private double spread;
    private int inFlight;
    private int open;
    private long lastLatency;
    private final SplittableRandom random;

    Provider(int cap, long seed) {
      this.random = new SplittableRandom(seed);
      this.cap = cap;
    }

    Duration drawn(double seconds) {
      double factor = Math.exp(spread * random.nextGaussian() - spread * spread / 2);
      return Duration.ofNanos((long) (seconds * factor * 1e9));
    }

    @Override
    public LimitKey key() {
      return LimitKey.named(AdmittedRun.NAME.toString());
    }

    @Override
    public Response exchange(Request request, ExchangeListener listener)
        throws InterruptedException {
      if (inFlight >= cap) {
        time.sleep(Duration.ofMillis(100));
        return new Response.RateLimited(
            "too many at once", ResponseFacts.NONE, Origin.of(AdmittedRun.NAME));
      }
      inFlight++;
      try {
        Duration latency = drawn(MODEL_SECONDS);
        time.sleep(latency);
        lastLatency = latency.toNanos();
      } finally {
        inFlight--;
      }
      return new Response.Reply(
          Message.assistant("answer"),
          StopReason.STOP,
          new Usage(10, 10),
          Origin.of(AdmittedRun.NAME));
    }
  }

  private static final Mode PACE = new Mode.Pace(PaceSettings.defaults());

  @ParameterizedTest
  @ValueSource(doubles = {0, 0.4})
  void anUnlimitedProviderIsNotWaitedFor(double spread) throws Exception {
    for (long seed = 1; seed <= 3; seed++) {
      RunResult result = run(seed, PACE, Integer.MAX_VALUE, spread);
      assertThat(result.samples().scored()).isEqualTo(SAMPLES);
      // Healthy: 1.03; with samples tied to the window: 5.
      assertThat(result.seconds()).isLessThan(1.15 * longest);
    }
  }

  @ParameterizedTest
  @ValueSource(doubles = {0, 0.4})
  void noMoreSamplesAreOpenThanACapNeeds(double spread) throws Exception {
    int cap = 25;
    double needed = cap * (MODEL_SECONDS + TOOL_SECONDS) / MODEL_SECONDS;
    double ideal = SAMPLES * TURNS * MODEL_SECONDS / cap;
    for (long seed = 1; seed <= 3; seed++) {
      RunResult result = run(seed, PACE, cap, spread);
      assertThat(result.samples().scored()).isEqualTo(SAMPLES);
      // Healthy: 77 and 91 where 75 fill it; opened by the window: 400.
      assertThat((double) mostOpen).isBetween(needed, 1.5 * needed);
      assertThat(result.seconds()).isLessThan(1.2 * ideal);
    }
  }

  @Test
  void theUserBoundsOpenSamples() throws Exception {
    run(1, PACE, Integer.MAX_VALUE, 0.4, Settings.NONE.with("max_samples", 30));
    assertThat(mostOpen).isEqualTo(30);
  }

  @Test
  void samplesThatTakeLongToPrepareAreBegunInTime() throws Exception {
    preparation = Duration.ofSeconds(5);
    RunResult result = run(1, PACE, Integer.MAX_VALUE, 0);
    // One after the other, 400 preparations of 5 s would take 2,000 s.
    assertThat(result.seconds()).isLessThan(2 * longest);
  }

  @Test
  void adaptiveWindowsHaveAFewSamplesMore() throws Exception {
    AimdSettings settings = AimdSettings.parse("4-20-40").orElseThrow();
    run(1, new Mode.Aimd(settings), Integer.MAX_VALUE, 0.4);
    assertThat(mostOpen).isBetween(25, 45);
  }
}
