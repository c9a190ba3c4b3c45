package dev.weir.limits;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limits.event.Constraint;
import dev.weir.limits.event.LimitEvent;
import dev.weir.limits.exchange.Exchange;
import dev.weir.limits.exchange.Exchanges;
import dev.weir.limits.header.ResponseFacts;
import dev.weir.limits.pace.Cost;
import dev.weir.limits.pace.Observation;
import dev.weir.limits.pace.PaceMemory;
import dev.weir.limits.pace.PaceSettings;
import dev.weir.limits.pace.Slice;
import dev.weir.limits.retry.Outcome;
import dev.weir.time.Task;
import dev.weir.time.virtual.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** The shell enforces the slice that it has leased, and starts from what was remembered. */
class ExchangeTest {

  private static final Demand DEMAND = Demand.of("task", Cost.ONE_REQUEST);

  private final VirtualTime time = VirtualTime.seeded(1);

  /** An exchange far away: it leases a few places for a while, until somebody renews it. */
  private static final class Remote implements Exchange {

    private long leaseUntil;
    private int window;
    private int inFlight;
    private final List<Observation> handedIn = new ArrayList<>();
    private final AtomicReference<Runnable> wake = new AtomicReference<>(() -> {});

    @Override
    public Slice exchange(long now, List<Observation> happened) {
      handedIn.addAll(happened);
      for (Observation observation : happened) {
        switch (observation) {
          case Observation.Sent _ -> inFlight++;
          case Observation.Answered _, Observation.Cancelled _, Observation.Unsent _ -> inFlight--;
          default -> {}
        }
      }
      return new Slice(1, leaseUntil, window, inFlight, false, List.of(), List.of());
    }

    void grant(int newWindow, long until) {
      window = newWindow;
      leaseUntil = until;
      wake.get().run();
    }

    @Override
    public List<LimitEvent> drainEvents() {
      return List.of();
    }

    @Override
    public Optional<PaceMemory> memory(long epochMillis) {
      return Optional.empty();
    }

    @Override
    public void whenBetter(Runnable newWake) {
      wake.set(newWake);
    }

    @Override
    public void release(long now) {}
  }

  private Regulator regulator(Exchanges exchanges) {
    return new Regulator(
        time, OptionalInt.empty(), Duration.ZERO, new SplittableRandom(1), exchanges);
  }

  @Test
  void nothingLeavesBeyondTheSliceOrAfterItsLease() throws Exception {
    var remote = new Remote();
    remote.grant(2, Duration.ofSeconds(10).toNanos());
    Lane lane =
        regulator((_, _, _, _, _, _) -> remote)
            .lane("sim/test", new Mode.Pace(PaceSettings.defaults()));
    time.run(
        () -> {
          Permit first = lane.acquire(DEMAND);
          lane.acquire(DEMAND);
          assertThat(lane.tryAcquire(DEMAND)).as("beyond the slice").isEmpty();
          first.settle(new Outcome.Clean(), Cost.ONE_REQUEST);
          time.sleep(Duration.ofSeconds(11));
          Task<Permit> late = time.start("late", () -> lane.acquire(DEMAND));
          time.sleep(Duration.ofSeconds(5));
          assertThat(late.isDone()).as("after the lease").isFalse();
          assertThat(lane.waitingFor().constraint()).isEqualTo(Constraint.LEASE);
          long renewedAt = time.nanos();
          remote.grant(2, Duration.ofSeconds(60).toNanos());
          late.join();
          assertThat(time.nanos()).isEqualTo(renewedAt);
        });
    assertThat(remote.handedIn.stream().filter(Observation.Sent.class::isInstance)).hasSize(3);
  }

  /** Two runs against a limit that nobody advertises: the second begins where the first ended. */
  @Test
  void whatWasLearnedIsRememberedBetweenRuns() throws Exception {
    Regulator first = regulator(Exchanges.local());
    Lane learning = first.lane("sim/test", new Mode.Pace(PaceSettings.defaults()));
    int refusedWhileLearning = refusals(learning);
    Map<String, PaceMemory> memories = first.memories();
    assertThat(memories).containsOnlyKeys("sim/test");
    PaceMemory learned = memories.values().iterator().next();
    double rate = learned.requestsPerSecond().orElseThrow();
    assertThat(rate).isBetween(9.0, 11.0);

    Regulator second = regulator(Exchanges.local());
    second.recall(Map.of("sim/test", PaceMemory.parse(learned.encode()).orElseThrow()));
    List<LimitEvent> told = new ArrayList<>();
    second.subscribe(notice -> told.add(notice.event()));
    Lane remembering = second.lane("sim/test", new Mode.Pace(PaceSettings.defaults()));
    int refused = refusals(remembering);
    assertThat(told)
        .anyMatch(
            event ->
                event instanceof LimitEvent.LimitLearned(_, double perSecond, var source)
                    && source == LimitEvent.Source.REMEMBERED
                    && Math.abs(perSecond / (0.8 * rate) - 1) < 0.01);
    // Twenty per thousand is the promise for a limit that nobody advertises.
    assertThat(refused).isLessThanOrEqualTo(12);
    assertThat(refusedWhileLearning).isLessThanOrEqualTo(12);
  }

  @Test
  void aModeThatComesBackBeginsWhereItWas() throws Exception {
    Regulator regulator = regulator(Exchanges.local());
    var pace = new Mode.Pace(PaceSettings.defaults());
    Lane lane = regulator.lane("sim/test", pace);
    refusals(lane);
    List<LimitEvent> told = new ArrayList<>();
    regulator.subscribe(notice -> told.add(notice.event()));
    VirtualTime.seeded(2)
        .run(
            () -> {
              lane.retune(new Mode.Static(4));
              lane.retune(pace);
            });
    assertThat(told)
        .anyMatch(
            event ->
                event instanceof LimitEvent.LimitLearned(_, _, var source)
                    && source == LimitEvent.Source.REMEMBERED);
  }

  @Test
  void aTierThatIsStatedLaterIsTakenUp() throws Exception {
    Lane lane =
        regulator(Exchanges.local()).lane("sim/test", new Mode.Pace(PaceSettings.defaults()));
    time.run(
        () -> {
          var stated = new PaceSettings(100, OptionalDouble.of(60), OptionalDouble.empty(), false);
          lane.retune(new Mode.Pace(stated));
          long begun = time.nanos();
          for (int i = 0; i < 5; i++) {
            lane.acquire(DEMAND).settle(new Outcome.Clean(), Cost.ONE_REQUEST);
          }
          assertThat(Duration.ofNanos(time.nanos() - begun))
              .isBetween(Duration.ofSeconds(3), Duration.ofSeconds(5));
        });
  }

  /** Ten a second with a burst of ten, and 600 requests; says how many were refused. */
  private int refusals(Lane lane) throws Exception {
    var bucket = new double[] {10, 0};
    var refused = new int[1];
    VirtualTime clock = time;
    clock.run(
        () -> {
          bucket[1] = clock.nanos();
          List<Task<?>> tasks = new ArrayList<>();
          for (int i = 0; i < 600; i++) {
            tasks.add(
                clock.start(
                    "request-" + i,
                    () ->
                        lane.call(
                            DEMAND,
                            _ -> {
                              clock.sleep(Duration.ofMillis(30));
                              bucket[0] =
                                  Math.min(10, bucket[0] + (clock.nanos() - bucket[1]) / 1e8);
                              bucket[1] = clock.nanos();
                              if (bucket[0] < 1) {
                                refused[0]++;
                                return new Attempt.Result<>(
                                    new Outcome.RateLimited(ResponseFacts.NONE),
                                    Cost.ONE_REQUEST,
                                    "no");
                              }
                              bucket[0]--;
                              clock.sleep(Duration.ofMillis(500));
                              return new Attempt.Result<>(
                                  new Outcome.Clean(), Cost.ONE_REQUEST, "yes");
                            })));
          }
          for (Task<?> task : tasks) {
            task.join();
          }
        });
    return refused[0];
  }
}
