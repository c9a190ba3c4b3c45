package dev.weir.benchmarks.permits;

import com.netflix.concurrency.limits.Limiter;
import com.netflix.concurrency.limits.limit.FixedLimit;
import com.netflix.concurrency.limits.limiter.BlockingLimiter;
import com.netflix.concurrency.limits.limiter.SimpleLimiter;
import dev.weir.limits.Demand;
import dev.weir.limits.Lane;
import dev.weir.limits.Mode;
import dev.weir.limits.Permit;
import dev.weir.limits.Regulator;
import dev.weir.limits.header.Dimension;
import dev.weir.limits.header.QuotaSnapshot;
import dev.weir.limits.header.Reset;
import dev.weir.limits.header.ResponseFacts;
import dev.weir.limits.pace.Cost;
import dev.weir.limits.pace.PaceSettings;
import dev.weir.time.Time;
import io.github.resilience4j.bulkhead.Bulkhead;
import io.github.resilience4j.bulkhead.BulkheadConfig;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.SplittableRandom;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.LockSupport;

/** What is compared. Each has the same window and waits as long as it takes. */
public enum Subject {
  /** No limiter at all: what threads and work cost by themselves. */
  NONE {
    @Override
    Gate gate(int window) {
      return new Gate() {
        @Override
        public Object enter() {
          return this;
        }

        @Override
        public void leave(Object place) {}
      };
    }
  },

  /** Nobody gets in: what a waiting thread costs by itself. */
  PARKED {
    @Override
    Gate gate(int window) {
      return new Gate() {
        private boolean taken;

        @Override
        public Object enter() throws InterruptedException {
          if (!taken) {
            taken = true;
            return this;
          }
          while (!Thread.interrupted()) {
            LockSupport.park(this);
          }
          throw new InterruptedException();
        }

        @Override
        public void leave(Object place) {}
      };
    }
  },

  /** The JDK's. */
  SEMAPHORE {
    @Override
    Gate gate(int window) {
      return new SemaphoreGate(new Semaphore(window));
    }
  },

  /** The JDK's, first come, first served, as a lane is. */
  FAIR_SEMAPHORE {
    @Override
    Gate gate(int window) {
      return new SemaphoreGate(new Semaphore(window, true));
    }
  },

  /** Netflix's. */
  CONCURRENCY_LIMITS {
    @Override
    Gate gate(int window) {
      return new NetflixGate(window);
    }
  },

  /** Resilience4j's bulkhead. */
  RESILIENCE4J {
    @Override
    Gate gate(int window) {
      return new BulkheadGate(window);
    }
  },

  /** Ours, in mode {@code static}. */
  WEIR_STATIC {
    @Override
    Gate gate(int window) {
      return LaneGate.in(new Mode.Static(window));
    }
  },

  /**
   * Ours, in mode {@code pace}, with advertised quotas for requests and tokens that never bind.
   * With nothing known of the provider it would go at its first pace, eight a second.
   */
  WEIR_PACE {
    @Override
    Gate gate(int window) {
      return new PaceGate(LaneGate.in(pace(window)));
    }
  };

  /** The longest wait that all of them allow is an hour. */
  private static final Duration LONG = Duration.ofMinutes(59);

  abstract Gate gate(int window);

  private static Mode pace(int window) {
    return new Mode.Pace(
        new PaceSettings(window, OptionalDouble.empty(), OptionalDouble.empty(), false));
  }

  private static QuotaSnapshot ample(Dimension dimension) {
    return new QuotaSnapshot(
        dimension,
        dimension.word(),
        OptionalDouble.of(1e15),
        OptionalDouble.of(1e15),
        Optional.of(Reset.in(Duration.ofSeconds(1))),
        Optional.of(Duration.ofMinutes(1)),
        1,
        "benchmark");
  }

  private record SemaphoreGate(Semaphore semaphore) implements Gate {
    @Override
    public Object enter() throws InterruptedException {
      semaphore.acquire();
      return semaphore;
    }

    @Override
    public void leave(Object place) {
      semaphore.release();
    }
  }

  private static final class NetflixGate implements Gate {

    private final Limiter<String> limiter;

    NetflixGate(int window) {
      Limiter<String> simple =
          SimpleLimiter.newBuilder().limit(FixedLimit.of(window)).<String>build();
      limiter = BlockingLimiter.wrap(simple, LONG);
    }

    @Override
    public Object enter() throws InterruptedException {
      // It answers an interrupt with nothing.
      return limiter.acquire("benchmark").orElseThrow(InterruptedException::new);
    }

    @Override
    public void leave(Object place) {
      ((Limiter.Listener) place).onSuccess();
    }
  }

  private static final class BulkheadGate implements Gate {

    private final Bulkhead bulkhead;

    BulkheadGate(int window) {
      bulkhead =
          Bulkhead.of(
              "benchmark",
              BulkheadConfig.custom().maxConcurrentCalls(window).maxWaitDuration(LONG).build());
    }

    @Override
    public Object enter() {
      bulkhead.acquirePermission();
      return bulkhead;
    }

    @Override
    public void leave(Object place) {
      bulkhead.onComplete();
    }
  }

  /** For one thread. Headers arrive now and then: without them it would keep a log of all sends. */
  private static final class PaceGate implements Gate {

    private static final ResponseFacts AMPLE =
        new ResponseFacts(
            List.of(ample(Dimension.REQUESTS), ample(Dimension.TOKENS)),
            Optional.empty(),
            Optional.empty());

    private static final int BETWEEN_HEADERS = 100;

    private final LaneGate gate;
    private int untilHeaders;

    PaceGate(LaneGate gate) {
      this.gate = gate;
      gate.observe(AMPLE);
    }

    @Override
    public Object enter() throws InterruptedException {
      return gate.enter();
    }

    @Override
    public void leave(Object place) {
      if (untilHeaders-- == 0) {
        untilHeaders = BETWEEN_HEADERS;
        ((Permit) place).observe(AMPLE);
      }
      gate.leave(place);
    }
  }

  /** The one place here that makes lanes. */
  private static final class LaneGate implements Gate {

    private static final Demand DEMAND = Demand.of("benchmark", Cost.ONE_REQUEST);

    private final Lane lane;

    private LaneGate(Lane lane) {
      this.lane = lane;
    }

    static LaneGate in(Mode mode) {
      return new LaneGate(
          Regulator.unbounded(Time.system(), new SplittableRandom(1)).lane("sim/benchmark", mode));
    }

    void observe(ResponseFacts facts) {
      try (Permit permit = lane.tryAcquire(DEMAND).orElseThrow()) {
        permit.observe(facts);
      }
    }

    @Override
    public Object enter() throws InterruptedException {
      return lane.acquire(DEMAND);
    }

    @Override
    public void leave(Object place) {
      ((Permit) place).close();
    }
  }
}
