package dev.weir.eval.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.eval.option.Settings;
import dev.weir.eval.solver.Solver;
import dev.weir.limits.LimitKey;
import dev.weir.limits.Mode;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Samples that work for a while before their first call, or make none. */
class AdmissionTest {

  private static final Mode PACE = new Mode.Pace(PaceSettings.defaults());

  /** So many calls may come at once. */
  private static final int BURST = 10;

  private VirtualTime time = VirtualTime.seeded(1);
  private SplittableRandom random = new SplittableRandom(1);
  private double preparation = 2;
  private double latency = 1;
  private double tools = 8;
  private int turns = 1;
  private double spread;
  private int cap = Integer.MAX_VALUE;
  private double perSecond = 1e9;
  private double tokens;
  private double filledAt;
  private int open;
  private int inFlight;
  private int mostOpen;

  private RunResult run(long seed, int samples, Mode mode, Settings settings) throws Exception {
    time = VirtualTime.seeded(seed);
    random = new SplittableRandom(seed);
    open = 0;
    tokens = BURST;
    filledAt = time.nanos() / 1e9;
    mostOpen = 0;
    Solver solver =
        (state, context) -> {
          open++;
          mostOpen = Math.max(mostOpen, open);
          try {
            time.sleep(drawn(preparation));
            for (int turn = 0; turn < turns; turn++) {
              if (turn > 0) {
                time.sleep(drawn(tools));
              }
              state.generate(context.model());
            }
          } finally {
            open--;
          }
        };
    RunResult result = AdmittedRun.run(time, seed, samples, solver, new Provider(), mode, settings);
    assertThat(result.samples().scored()).isEqualTo(samples);
    return result;
  }

  /** Log-normal. */
  private Duration drawn(double seconds) {
    double factor = Math.exp(spread * random.nextGaussian() - spread * spread / 2);
    return Duration.ofNanos((long) (seconds * factor * 1e9));
  }

  private boolean hasToken() {
    double now = time.nanos() / 1e9;
    tokens = Math.min(BURST, tokens + Math.min(BURST, (now - filledAt) * perSecond));
    filledAt = now;
    if (tokens < 1 && perSecond < 1e9) {
      return false;
    }
    tokens--;
    return true;
  }

  /** Refuses what is beyond its cap or its rate. On virtual time only one task runs at a time. */
  private final class Provider implements Adapter {

    @Override
    public LimitKey key() {
      return LimitKey.named(AdmittedRun.NAME.toString());
    }

    @Override
    public Response exchange(Request request, ExchangeListener listener)
        throws InterruptedException {
      var origin = Origin.of(AdmittedRun.NAME);
      if (inFlight >= cap || !hasToken()) {
        time.sleep(Duration.ofMillis(100));
        return new Response.RateLimited("too many at once", ResponseFacts.NONE, origin);
      }
      inFlight++;
      try {
        time.sleep(drawn(latency));
      } finally {
        inFlight--;
      }
      return new Response.Reply(
          Message.assistant("answer"), StopReason.STOP, new Usage(10, 10), origin);
    }
  }

  @ParameterizedTest
  @ValueSource(doubles = {0, 0.4})
  void samplesWithoutCallsFillWhatMayBeOpen(double spread) throws Exception {
    this.spread = spread;
    turns = 0;
    RunResult result = run(1, 1000, PACE, Settings.NONE.with("max_samples", 160));
    // 160 at a time: 12.5 s, and a few rounds to get there; sixteen at a time: 125 s.
    assertThat(mostOpen).isEqualTo(160);
    assertThat(result.seconds()).isLessThan(25);
  }

  @ParameterizedTest
  @ValueSource(doubles = {0, 0.4})
  void slowStartersAreNotHeldBackByAnUnlimitedProvider(double spread) throws Exception {
    this.spread = spread;
    for (long seed = 1; seed <= 3; seed++) {
      RunResult result = run(seed, 1000, PACE, Settings.NONE);
      // Healthy: 19 to 23 s; sixteen at a time: 125 s.
      assertThat(result.seconds()).isLessThan(30);
    }
  }

  @ParameterizedTest
  @ValueSource(doubles = {0, 0.4})
  void slowStartersFillACap(double spread) throws Exception {
    this.spread = spread;
    cap = 25;
    latency = 4;
    double needed = cap * (preparation + latency) / latency;
    for (long seed = 1; seed <= 3; seed++) {
      RunResult result = run(seed, 1000, PACE, Settings.NONE);
      // What is being prepared when the first is refused comes on top: 1.4 to 1.6 times.
      assertThat((double) mostOpen).isLessThan(1.7 * needed);
      assertThat(result.seconds()).isLessThan(1.2 * 1000 * latency / cap);
    }
  }

  @ParameterizedTest
  @ValueSource(doubles = {0, 0.4})
  void slowAgentsFillACap(double spread) throws Exception {
    this.spread = spread;
    cap = 25;
    latency = 4;
    turns = 20;
    preparation = 5;
    double needed = cap * (tools + latency) / latency;
    for (long seed = 1; seed <= 2; seed++) {
      RunResult result = run(seed, 400, PACE, Settings.NONE);
      // What is being prepared when the first is refused comes on top: 1.4 to 1.6 times.
      assertThat((double) mostOpen).isLessThan(1.7 * needed);
      assertThat(result.seconds()).isLessThan(1.2 * 400 * turns * latency / cap);
    }
  }

  @ParameterizedTest
  @ValueSource(doubles = {0, 0.4})
  void slowStartersFillAQuota(double spread) throws Exception {
    this.spread = spread;
    perSecond = 2;
    for (long seed = 1; seed <= 3; seed++) {
      RunResult result = run(seed, 400, PACE, Settings.NONE);
      assertThat(mostOpen).isLessThan(40);
      assertThat(result.seconds()).isLessThan(1.1 * 200);
    }
  }
}
