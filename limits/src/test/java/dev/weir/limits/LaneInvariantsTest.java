package dev.weir.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.limits.Demand.Standing;
import dev.weir.limits.control.AimdSettings;
import dev.weir.limits.header.Dimension;
import dev.weir.limits.header.QuotaSnapshot;
import dev.weir.limits.header.Reset;
import dev.weir.limits.header.ResponseFacts;
import dev.weir.limits.pace.Cost;
import dev.weir.limits.pace.PaceSettings;
import dev.weir.limits.retry.Outcome;
import dev.weir.limits.retry.RetryBounds;
import dev.weir.time.Task;
import dev.weir.time.Time;
import dev.weir.time.virtual.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Thousands of random schedules over all modes: the invariants hold at every step. */
class LaneInvariantsTest {

  private static final int SCHEDULES = 2_000;

  @Test
  void allModesKeepThem() throws Exception {
    long checks = 0;
    for (long seed = 1; seed <= SCHEDULES; seed++) {
      try {
        checks += new Schedule(seed).run();
      } catch (Exception | AssertionError broken) {
        throw new AssertionError("seed " + seed + ": " + broken.getMessage(), broken);
      }
    }
    assertThat(checks).isGreaterThan(SCHEDULES * 100L);
  }

  /** A window that is ignored would be noticed. */
  @Test
  void theyCanBeBroken() throws Exception {
    VirtualTime time = VirtualTime.seeded(1);
    Lane lane =
        Regulator.unbounded(time, new SplittableRandom(1)).lane("sim/a", new Mode.Static(2));
    time.run(
        () -> {
          var invariants = new LaneInvariants(1, false);
          var demand = Demand.of("flow", new Cost(10, 10));
          lane.acquire(demand);
          invariants.attemptBegins(invariants.queued(lane, demand, 0), 0);
          lane.acquire(demand);
          assertThatExceptionOfType(AssertionError.class)
              .isThrownBy(() -> invariants.attemptBegins(invariants.queued(lane, demand, 0), 0))
              .withMessage("broken: 2 in flight over all lanes");
          assertThatExceptionOfType(AssertionError.class)
              .isThrownBy(() -> invariants.atTheEnd(lane))
              .withMessage("broken: 2 permits are left");
        });
  }

  /** One random history: lanes, arrivals, outcomes, cancellations, retunes. */
  private static final class Schedule {

    private static final List<Standing> STANDINGS = List.of(Standing.values());
    private static final List<Outcome.Reach> REACHES = List.of(Outcome.Reach.values());

    private final SplittableRandom random;
    private final VirtualTime time;
    private final Regulator regulator;
    private final LaneInvariants invariants;
    private final List<Lane> lanes = new ArrayList<>();
    private final boolean retunes;
    private final boolean timeouts;

    Schedule(long seed) {
      random = new SplittableRandom(seed);
      time = VirtualTime.seeded(seed).thinlyChecked();
      int maxConcurrency = random.nextInt(4) == 0 ? 1 + random.nextInt(6) : Integer.MAX_VALUE;
      Duration delay =
          random.nextInt(4) == 0 ? Duration.ofMillis(random.nextInt(500)) : Duration.ZERO;
      regulator =
          new Regulator(
              time,
              maxConcurrency == Integer.MAX_VALUE
                  ? OptionalInt.empty()
                  : OptionalInt.of(maxConcurrency),
              delay,
              random.split());
      timeouts = random.nextBoolean();
      invariants = new LaneInvariants(maxConcurrency, timeouts);
      retunes = random.nextInt(3) == 0;
      regulator.subscribe(invariants::notice);
    }

    long run() throws Exception {
      time.run(
          () -> {
            int count = 1 + random.nextInt(3);
            for (int i = 0; i < count; i++) {
              lanes.add(lane(i));
            }
            List<Task<?>> requests = new ArrayList<>();
            for (int i = 0; i < 30; i++) {
              Lane lane = lanes.get(random.nextInt(lanes.size()));
              requests.add(time.start("request-" + i, () -> request(lane)));
              time.sleep(Duration.ofMillis(random.nextInt(300)));
              if (random.nextInt(8) == 0) {
                requests.get(random.nextInt(requests.size())).cancel();
              }
              if (retunes && random.nextInt(6) == 0) {
                Lane retuned = lanes.get(random.nextInt(lanes.size()));
                invariants.look(retuned, time.nanos());
                retuned.retune(mode());
                invariants.look(retuned, time.nanos());
              }
            }
            for (Task<?> request : requests) {
              request.join(Time.NEVER);
            }
          });
      lanes.forEach(invariants::atTheEnd);
      assertThat(Duration.ofNanos(time.nanos())).isLessThan(Duration.ofHours(12));
      return invariants.checks();
    }

    private Lane lane(int number) {
      Optional<String> family = random.nextInt(4) == 0 ? Optional.of("family") : Optional.empty();
      var bounds =
          new RetryBounds(
              OptionalInt.of(1 + random.nextInt(6)),
              timeouts && random.nextBoolean()
                  ? Optional.of(Duration.ofSeconds(1 + random.nextInt(60)))
                  : Optional.empty(),
              timeouts && random.nextBoolean()
                  ? Optional.of(Duration.ofMillis(500 + random.nextInt(3_000)))
                  : Optional.empty());
      Mode mode = mode();
      if (mode instanceof Mode.Aimd && !retunes) {
        regulator.subscribe(
            notice -> {
              if (notice.scope().endsWith("/model-" + number)) {
                invariants.aimdNotice(notice);
              }
            });
      }
      return regulator.lane(
          new LimitKey("engine", "account-" + random.nextInt(2), family, "model-" + number),
          mode,
          bounds);
    }

    private Mode mode() {
      return switch (random.nextInt(4)) {
        case 0 -> new Mode.Static(1 + random.nextInt(6));
        case 1 -> {
          invariants.expectKeptPlaces();
          int min = 1 + random.nextInt(3);
          int start = min + random.nextInt(4);
          yield new Mode.Aimd(
              AimdSettings.defaults().withBounds(min, start, start + random.nextInt(10)));
        }
        case 2 -> new Mode.Halving(1 + random.nextInt(8));
        default ->
            new Mode.Pace(
                new PaceSettings(
                    1 + random.nextInt(20),
                    random.nextBoolean()
                        ? OptionalDouble.of(30 + random.nextInt(600))
                        : OptionalDouble.empty(),
                    OptionalDouble.empty(),
                    random.nextInt(4) == 0));
      };
    }

    private void request(Lane lane) throws InterruptedException {
      Standing standing = STANDINGS.get(random.nextInt(STANDINGS.size()));
      var demand =
          new Demand(
              "flow-" + random.nextInt(2),
              1 + random.nextInt(3),
              standing,
              new Cost(random.nextInt(100), random.nextInt(100)),
              timeouts && random.nextInt(4) == 0
                  ? time.after(Duration.ofMillis(random.nextInt(20_000)))
                  : Time.NEVER);
      try {
        if (random.nextInt(4) == 0) {
          byOwnLoop(lane, demand);
        } else {
          var attempts = new AtomicReference<>(demand);
          lane.call(demand, _ -> attempt(lane, attempts.getAndUpdate(Demand::again)));
        }
      } catch (DeadlinePassedException | StoppedException | IllegalStateException ended) {
        if (ended instanceof StoppedException stop && random.nextBoolean()) {
          regulator.resume(stop.scope());
          invariants.resumed(stop.scope());
        }
      }
    }

    /** As a program with a loop of its own: here the queue is seen from outside. */
    private void byOwnLoop(Lane lane, Demand demand) throws InterruptedException {
      LaneInvariants.Queued queued = invariants.queued(lane, demand, time.nanos());
      try {
        Permit permit = lane.acquire(demand);
        invariants.attemptBegins(queued, time.nanos());
        try {
          time.sleep(Duration.ofMillis(random.nextInt(2_000)));
          ResponseFacts facts = facts();
          invariants.look(lane, time.nanos());
          permit.observe(facts);
          if (random.nextBoolean()) {
            permit.settle(outcome(facts), new Cost(random.nextInt(200), 0));
          }
        } finally {
          permit.close();
          permit.close();
          invariants.attemptEnds(lane, demand, time.nanos());
        }
      } finally {
        invariants.left(queued);
      }
    }

    private Attempt.Result<String> attempt(Lane lane, Demand demand) throws InterruptedException {
      // Its place in the queue is not known here: each attempt of a call has one of its own.
      invariants.attemptBegins(invariants.queued(lane, demand, Long.MIN_VALUE), time.nanos());
      try {
        time.sleep(Duration.ofMillis(random.nextInt(4_000)));
        if (random.nextInt(40) == 0) {
          throw new IllegalStateException("broken adapter");
        }
        return new Attempt.Result<>(outcome(facts()), new Cost(random.nextInt(200), 0), "said");
      } finally {
        invariants.attemptEnds(lane, demand, time.nanos());
      }
    }

    private Outcome outcome(ResponseFacts facts) {
      int draw = random.nextInt(100);
      if (draw < 55) {
        return new Outcome.Clean();
      }
      if (draw < 80) {
        return new Outcome.RateLimited(facts);
      }
      if (draw < 88) {
        return new Outcome.Transient();
      }
      if (draw < 94) {
        return new Outcome.Overloaded(facts);
      }
      if (draw < 97) {
        return new Outcome.Nothing();
      }
      return new Outcome.Terminal(REACHES.get(random.nextInt(REACHES.size())), "refused for good");
    }

    private ResponseFacts facts() {
      if (random.nextInt(3) == 0) {
        return ResponseFacts.NONE;
      }
      double limit = 1 + random.nextInt(50);
      var quota =
          new QuotaSnapshot(
              Dimension.REQUESTS,
              "requests",
              OptionalDouble.of(limit),
              OptionalDouble.of(random.nextInt((int) limit + 1)),
              random.nextBoolean()
                  ? Optional.of(Reset.in(Duration.ofMillis(random.nextInt(60_000))))
                  : Optional.empty(),
              Optional.empty(),
              1,
              "test");
      return new ResponseFacts(
          List.of(quota),
          random.nextBoolean()
              ? Optional.of(Duration.ofMillis(random.nextInt(10_000)))
              : Optional.empty(),
          Optional.empty());
    }
  }
}
