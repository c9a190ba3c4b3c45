package dev.weir.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.limits.control.AimdSettings;
import dev.weir.limits.control.WindowChange.Reason;
import dev.weir.limits.event.LimitEvent;
import dev.weir.limits.event.Notice;
import dev.weir.limits.header.Dimension;
import dev.weir.limits.header.QuotaSnapshot;
import dev.weir.limits.header.ResponseFacts;
import dev.weir.limits.pace.Cost;
import dev.weir.limits.retry.Outcome;
import dev.weir.time.Task;
import dev.weir.time.virtual.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What a listener is told, and how. */
class NoticesTest {

  private static final Demand DEMAND = Demand.of("task", new Cost(100, 50));

  private final VirtualTime time = VirtualTime.seeded(1);
  private final Regulator regulator = Regulator.unbounded(time, new SplittableRandom(1));
  private final List<Notice> told = new ArrayList<>();

  private static Attempt.Result<String> refusal(Optional<Duration> wait) {
    var facts = new ResponseFacts(List.of(), wait, Optional.of("requests"));
    return new Attempt.Result<>(new Outcome.RateLimited(facts), Cost.ONE_REQUEST, "no");
  }

  private static Attempt.Result<String> answer() {
    return new Attempt.Result<>(new Outcome.Clean(), new Cost(90, 10), "answer");
  }

  @Test
  void aRefusalIsToldWithItsCutAndItsRetry() throws Exception {
    Lane lane = regulator.lane("sim/test", new Mode.Aimd(AimdSettings.defaults()));
    var attempts = new AtomicInteger();
    time.run(
        () -> {
          try (var _ = regulator.subscribe(told::add)) {
            lane.call(
                DEMAND,
                _ ->
                    attempts.getAndIncrement() == 0
                        ? refusal(Optional.of(Duration.ofSeconds(2)))
                        : answer());
          }
        });
    assertThat(told).allSatisfy(notice -> assertThat(notice.scope()).isEqualTo("sim/test"));
    assertThat(told).allSatisfy(notice -> assertThat(notice.nanos()).isZero());
    assertThat(told.get(0).event())
        .isEqualTo(
            new LimitEvent.RateLimitHit(
                Optional.of(Duration.ofSeconds(2)), Optional.of("requests")));
    assertThat(told.get(1).event()).isInstanceOf(LimitEvent.Retrying.class);
    assertThat(told.get(2).event())
        .isEqualTo(new LimitEvent.WindowChanged(20, 16, Reason.RATE_LIMIT));
    assertThat(told).hasSize(3);
  }

  /** A header that says little is left, and the refusal that carries it, are one signal. */
  @Test
  void halvingCutsOncePerResponse() throws Exception {
    Lane lane = regulator.lane("sim/test", new Mode.Halving(8));
    var empty =
        new ResponseFacts(
            List.of(
                new QuotaSnapshot(
                    Dimension.REQUESTS,
                    "requests",
                    OptionalDouble.of(100),
                    OptionalDouble.of(0),
                    Optional.empty(),
                    Optional.empty(),
                    1,
                    "test")),
            Optional.empty(),
            Optional.empty());
    time.run(
        () -> {
          Permit permit = lane.acquire(DEMAND);
          permit.observe(empty);
          permit.settle(new Outcome.RateLimited(empty), Cost.ONE_REQUEST);
          assertThat(lane.status().window()).isEqualTo(4);
          Permit next = lane.acquire(DEMAND);
          next.settle(new Outcome.RateLimited(ResponseFacts.NONE), Cost.ONE_REQUEST);
          assertThat(lane.status().window()).isEqualTo(2);
        });
  }

  /** A listener may use the limiter: nothing is locked while it is told. */
  @Test
  void aListenerMayAskAndActFromAnotherThread() throws Exception {
    Lane lane = regulator.lane("sim/test", new Mode.Static(2));
    List<Integer> seen = new ArrayList<>();
    regulator.subscribe(
        notice -> {
          Thread asker = new Thread(() -> seen.add(lane.status().window()));
          asker.start();
          try {
            asker.join();
          } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
          }
          if (notice.event() instanceof LimitEvent.WindowChanged(_, int after, _) && after < 5) {
            lane.retune(new Mode.Static(after + 1));
          }
        });
    time.run(() -> lane.retune(new Mode.Static(3)));
    assertThat(seen).containsExactly(3, 4, 5);
  }

  @Test
  void aListenerThatFailsFailsNoCall() throws Exception {
    Lane lane = regulator.lane("sim/test", new Mode.Static(2));
    regulator.subscribe(
        _ -> {
          throw new IllegalStateException("broken listener");
        });
    regulator.subscribe(told::add);
    List<Throwable> uncaught = new ArrayList<>();
    time.run(
        () -> {
          Thread.currentThread().setUncaughtExceptionHandler((_, failure) -> uncaught.add(failure));
          lane.retune(new Mode.Static(3));
        });
    assertThat(told).hasSize(1);
    assertThat(uncaught).singleElement().isInstanceOf(IllegalStateException.class);
  }

  @Test
  void anErrorOfAListenerEndsNothingButItself() throws Exception {
    Lane lane = regulator.lane("sim/test", new Mode.Static(2));
    var broken =
        regulator.subscribe(
            _ -> {
              throw new AssertionError("broken listener");
            });
    time.run(
        () ->
            assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> lane.retune(new Mode.Static(3))));
    broken.close();
    regulator.subscribe(told::add);
    time.run(() -> lane.retune(new Mode.Static(4)));
    assertThat(told).hasSize(1);
  }

  @Test
  void whoeverComesLateIsNotToldOldNewsAsNew() throws Exception {
    Lane lane = regulator.lane("sim/test", new Mode.Static(2));
    time.run(
        () -> {
          lane.retune(new Mode.Static(3));
          regulator.subscribe(told::add);
          lane.retune(new Mode.Static(4));
        });
    assertThat(told).hasSize(1);
    assertThat(lane.history()).hasSize(2);
  }

  @Test
  void theLedgerBalances() throws Exception {
    Lane lane = regulator.lane("sim/test", new Mode.Static(5));
    time.run(
        () -> {
          List<Permit> held = new ArrayList<>();
          for (int i = 0; i < 4; i++) {
            held.add(lane.acquire(DEMAND));
          }
          assertThat(lane.ledger()).isEqualTo(new Ledger(600, 0, 0, 600));
          held.get(0).settle(new Outcome.Clean(), new Cost(90, 10));
          held.get(1).settle(new Outcome.Clean(), new Cost(100, 150));
          held.get(2).close();
          held.get(2).close();
          assertThat(lane.ledger()).isEqualTo(new Ledger(700, 350, 200, 150));
        });
  }

  @Test
  void noticesComeInOrderFromManyTasks() throws Exception {
    Lane lane = regulator.lane("sim/test", new Mode.Static(10));
    try (var _ = regulator.subscribe(told::add)) {
      time.run(
          () -> {
            List<Task<?>> tasks = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
              var attempts = new AtomicInteger();
              tasks.add(
                  time.start(
                      "request-" + i,
                      () ->
                          lane.call(
                              DEMAND,
                              _ ->
                                  attempts.getAndIncrement() < 3
                                      ? refusal(Optional.empty())
                                      : answer())));
            }
            for (Task<?> task : tasks) {
              task.join();
            }
          });
    }
    assertThat(told).isSortedAccordingTo(java.util.Comparator.comparingLong(Notice::nanos));
    assertThat(told.stream().filter(n -> n.event() instanceof LimitEvent.RateLimitHit))
        .hasSize(150);
    assertThat(told.stream().filter(n -> n.event() instanceof LimitEvent.Retrying)).hasSize(150);
    assertThat(regulator.droppedNotices()).isZero();
  }
}
