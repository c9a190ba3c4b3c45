package dev.weir.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.weir.limits.event.Constraint;
import dev.weir.limits.pace.Cost;
import dev.weir.limits.pace.PaceSettings;
import dev.weir.time.Task;
import dev.weir.time.virtual.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class ReservationTest {

  private static final Demand DEMAND = Demand.of("task", Cost.ONE_REQUEST);

  private final VirtualTime time = VirtualTime.seeded(1);
  private final Regulator regulator = Regulator.unbounded(time, new SplittableRandom(1));

  @Test
  void itsPermitComesInTurnWithoutAnybodyWaiting() throws Exception {
    Lane lane = regulator.lane("sim/test", new Mode.Static(1));
    time.run(
        () -> {
          Permit held = lane.reserve(DEMAND).poll().orElseThrow();
          Reservation second = lane.reserve(DEMAND);
          Reservation third = lane.reserve(DEMAND);
          assertThat(second.poll()).isEmpty();
          assertThat(second.waitingFor())
              .isEqualTo(new Waiting(Constraint.WINDOW, "sim/test", OptionalLong.empty()));
          assertThat(third.waitingFor().constraint()).isEqualTo(Constraint.TURN);
          held.close();
          Permit next = second.poll().orElseThrow();
          assertThat(second.poll()).containsSame(next);
          assertThat(third.poll()).isEmpty();
          second.close();
          assertThat(lane.status().inFlight()).as("a permit that was taken stays").isEqualTo(1);
          next.close();
          third.close();
          assertThat(lane.status()).isEqualTo(new Lane.Status(0, 1, 0, 0, 0));
        });
  }

  @Test
  void saysWhenToAskAgain() throws Exception {
    var settings = new PaceSettings(10, OptionalDouble.of(60), OptionalDouble.empty(), false);
    Lane lane = regulator.lane("sim/paced", new Mode.Pace(settings));
    time.run(
        () -> {
          List<Long> left = new ArrayList<>();
          for (int i = 0; i < 5; i++) {
            Reservation reserved = lane.reserve(DEMAND);
            while (reserved.poll().isEmpty()) {
              Waiting waiting = reserved.waitingFor();
              assertThat(waiting.constraint()).isEqualTo(Constraint.PACE);
              time.sleepUntil(waiting.untilNanos().orElseThrow());
            }
            left.add(time.nanos());
          }
          assertThat(Duration.ofNanos(left.getLast()))
              .isBetween(Duration.ofSeconds(3), Duration.ofSeconds(5));
        });
  }

  @Test
  void canBeAwaitedAfterAll() throws Exception {
    Lane lane = regulator.lane("sim/test", new Mode.Static(1));
    time.run(
        () -> {
          Permit held = lane.acquire(DEMAND);
          Reservation reserved = lane.reserve(DEMAND);
          Task<Permit> waiting = time.start("waiting", reserved::await);
          time.sleep(Duration.ofSeconds(1));
          held.close();
          waiting.join();
        });
  }

  /** The reservation is first in line and nobody polls it: it must not hold up those behind it. */
  @Test
  void oneThatIsForgottenHoldsNobodyUpBeyondItsDeadline() throws Exception {
    Lane lane = regulator.lane("sim/test", new Mode.Static(1));
    time.run(
        () -> {
          Permit held = lane.acquire(DEMAND);
          Reservation forgotten = lane.reserve(DEMAND.until(time.after(Duration.ofSeconds(5))));
          Task<Permit> behind = time.start("behind", () -> lane.acquire(DEMAND));
          time.sleep(Duration.ofSeconds(10));
          held.close();
          behind.join();
          assertThat(Duration.ofNanos(time.nanos())).isEqualTo(Duration.ofSeconds(10));
          assertThatExceptionOfType(DeadlinePassedException.class).isThrownBy(forgotten::poll);
        });
  }

  /** What was never sent has used nothing: neither tokens nor its turn. */
  @Test
  void oneThatIsClosedUnusedLeavesNoTrace() throws Exception {
    var settings = new PaceSettings(10, OptionalDouble.of(6_000), OptionalDouble.of(60_000), false);
    Lane lane = regulator.lane("sim/paced", new Mode.Pace(settings));
    time.run(
        () -> {
          lane.reserve(Demand.of("task", new Cost(50_000, 10_000))).close();
          lane.acquire(Demand.of("task", new Cost(100, 0)));
          assertThat(Duration.ofNanos(time.nanos())).isLessThan(Duration.ofMillis(200));
          assertThat(lane.ledger()).isEqualTo(new Ledger(60_100, 0, 60_000, 100));
        });
  }

  @Test
  void oneThatWasClosedIsClosed() throws Exception {
    Lane lane = regulator.lane("sim/test", new Mode.Static(1));
    time.run(
        () -> {
          lane.acquire(DEMAND);
          Reservation reserved = lane.reserve(DEMAND);
          reserved.close();
          assertThatIllegalStateException().isThrownBy(reserved::poll);
          assertThatIllegalStateException().isThrownBy(reserved::await);
        });
  }

  @Test
  void aPermitWhoseOwnerDiedComesBackWithItsLease() throws Exception {
    Lane lane = regulator.lane("sim/test", new Mode.Static(1));
    time.run(
        () -> {
          Permit lost = lane.acquire(DEMAND);
          Permit next = lane.acquire(DEMAND);
          assertThat(Duration.ofNanos(time.nanos())).isEqualTo(Duration.ofHours(1));
          lost.close();
          assertThat(lane.status().inFlight()).as("the late close takes nothing").isEqualTo(1);
          next.close();
          assertThat(lane.status().inFlight()).isZero();
        });
  }

  @Test
  void aPermitThatCameAndWasNotTakenComesBackToo() throws Exception {
    Lane lane = regulator.lane("sim/test", new Mode.Static(1));
    time.run(
        () -> {
          lane.reserve(DEMAND);
          lane.acquire(DEMAND);
          assertThat(Duration.ofNanos(time.nanos())).isEqualTo(Duration.ofHours(1));
        });
  }

  /** Calls are closed by the loop itself, however long they take. */
  @Test
  void aCallHasNoLease() throws Exception {
    Lane lane = regulator.lane("sim/test", new Mode.Static(1));
    time.run(
        () -> {
          Task<?> slow =
              time.start(
                  "slow",
                  () ->
                      lane.call(
                          DEMAND,
                          _ -> {
                            time.sleep(Duration.ofHours(2));
                            return new Attempt.Result<>(
                                new dev.weir.limits.retry.Outcome.Clean(), Cost.ONE_REQUEST, "x");
                          }));
          time.sleep(Duration.ofSeconds(1));
          lane.acquire(DEMAND);
          assertThat(Duration.ofNanos(time.nanos())).isEqualTo(Duration.ofHours(2));
          slow.join();
        });
  }
}
