package dev.weir.simulator.server;

import dev.weir.simulator.provider.Admission;
import dev.weir.simulator.provider.Advertiser;
import dev.weir.simulator.provider.ProviderModel;
import dev.weir.simulator.provider.RefusalCause;
import dev.weir.simulator.provider.Request;
import dev.weir.simulator.provider.Response;
import dev.weir.simulator.provider.Work;
import dev.weir.time.Signal;
import dev.weir.time.Time;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SplittableRandom;

/**
 * The provider model on the clock of a {@link Time}, with what it has seen.
 *
 * <p>Decides; the tasks of the requests wait. Thread-safe.
 */
final class Desk {

  /** A limit on growth looks back 70 s; nothing looks further. */
  private static final Duration MEMORY = Duration.ofMinutes(2);

  /** Ids only tell requests apart in messages. */
  private static final int IDS = 1_000_000;

  private final Time time;
  private final long start;
  private final Simulation simulation;
  private final Latency latency;

  // Guarded by this: a decision, what it leaves behind and its count belong together.
  private final ProviderModel model;
  private final Optional<Advertiser> advertiser;
  private final SplittableRandom random;
  private final Map<Work, Signal> queued = new HashMap<>();
  private Tally tally = new Tally();
  private int nextId;

  Desk(Time time, Simulation simulation) {
    this.time = time;
    this.start = time.nanos();
    this.simulation = simulation;
    this.latency = simulation.latency();
    this.model = new ProviderModel(simulation.settings(), simulation.seed());
    this.advertiser =
        simulation
            .settings()
            .advertising()
            .as()
            .map(
                way ->
                    new Advertiser(way, simulation.settings(), time.instant(), simulation.seed()));
    // Not the model's own, so that latencies do not change what fails.
    this.random = new SplittableRandom(~simulation.seed());
  }

  /**
   * @param turn sent when queued work is served
   */
  record Visit(Admission admission, Signal turn) {}

  /**
   * @param given how long the answer takes; empty for what is drawn
   */
  Visit arrive(Call call, int outputTokens, Optional<Duration> given) {
    Signal turn = time.signal("a slot of the simulated provider");
    synchronized (this) {
      long now = now();
      tally.request(now, time.instant(), call);
      model.forgetBefore(now - MEMORY.toNanos());
      long drawn = latency.draw(random);
      Admission admission =
          model.admit(
              now,
              Request.exactlyEstimated(
                  nextId++ % IDS,
                  given.map(Duration::toNanos).orElse(drawn),
                  call.promptTokens(),
                  outputTokens,
                  simulation.reserved(call.maxTokens())));
      count(admission, now, call, outputTokens);
      if (admission instanceof Admission.Queued(Work work)) {
        queued.put(work, turn);
      }
      return new Visit(admission, turn);
    }
  }

  private void count(Admission admission, long now, Call call, int outputTokens) {
    switch (admission) {
      case Admission.Accepted _, Admission.Queued _ ->
          tally.accepted(now, model.inFlight(), call, outputTokens);
      case Admission.Hung _ -> {
        tally.accepted(now, model.inFlight(), call, outputTokens);
        tally.hung();
      }
      case Admission.Refused _ ->
          tally.refusal(now, model.lastRefusal().orElse(RefusalCause.REQUESTS));
      case Admission.Failed failed -> tally.failure(now, Fault.of(failed.response().status()));
    }
  }

  /** The answer is complete. */
  void finish(Work work, long fingerprint, Call call, int outputTokens) {
    Optional<Signal> next;
    synchronized (this) {
      next = model.finished(now(), work).map(queued::remove);
      tally.answer(now(), fingerprint, call, outputTokens);
    }
    next.ifPresent(Signal::send);
  }

  /** The client has left, whether the work was served, queued or hung. */
  void abandon(Work work, Call call) {
    Optional<Signal> next;
    synchronized (this) {
      queued.remove(work);
      next = model.abandoned(now(), work).map(queued::remove);
      tally.cancelled(now(), call);
    }
    next.ifPresent(Signal::send);
  }

  /** The server closes the connection of hung work. */
  void drop(Work work, Call call) {
    Optional<Signal> next;
    synchronized (this) {
      next = model.abandoned(now(), work).map(queued::remove);
      tally.dropped(now(), call);
    }
    next.ifPresent(Signal::send);
  }

  /**
   * The headers of a response as the provider advertises its quotas; empty if each API writes its
   * own.
   *
   * @param sentAt on the clock of the {@link Time}
   */
  synchronized Optional<Map<String, String>> advertised(Response response, long sentAt) {
    return advertiser.map(writer -> writer.headers(response, sentAt - start));
  }

  /** A client has left that was not admitted. */
  synchronized void left(Call call) {
    tally.cancelled(now(), call);
  }

  /** A request gets its refusal. */
  synchronized void refused(Call call) {
    tally.refused(now(), call);
  }

  /** A request gets its failure. */
  synchronized void failed(Call call) {
    tally.failed(now(), call);
  }

  /** A request gets the error of a script: it meets no limit. */
  synchronized void scripted(Call call) {
    tally.request(now(), time.instant(), call);
    tally.scripted(now());
  }

  /** The status with which a call about a batch fails, if it does: it meets no limit. */
  synchronized OptionalInt fault() {
    OptionalInt status = model.fault(now());
    status.ifPresent(found -> tally.failure(now(), Fault.of(found)));
    return status;
  }

  synchronized void badRequest() {
    tally.badRequest();
  }

  synchronized void unauthorized() {
    tally.unauthorized();
  }

  synchronized long drawLatency() {
    return latency.draw(random);
  }

  synchronized Stats stats() {
    return tally.stats(now(), model.inFlight());
  }

  /** Counts from zero again; quotas and what is in flight stay. */
  synchronized void reset() {
    tally = new Tally(tally, now());
  }

  private long now() {
    return time.nanos() - start;
  }
}
