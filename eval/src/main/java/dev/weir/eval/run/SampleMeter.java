package dev.weir.eval.run;

import dev.weir.eval.sample.SampleLimitExceededException;
import dev.weir.eval.sample.SampleLimits;
import dev.weir.eval.sample.SampleState;
import dev.weir.eval.sample.Used;
import dev.weir.eval.sandbox.Waits;
import dev.weir.limits.Call;
import dev.weir.limits.CutOff;
import dev.weir.log.Times;
import dev.weir.model.Response;
import dev.weir.model.Usage;
import dev.weir.model.price.Spend;
import dev.weir.time.Time;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What one sample has used: time, tokens, money; and the limits that bound it. Thread-safe: a
 * solver may ask several models at once.
 */
final class SampleMeter {

  /** Enough to complain with. */
  private static final int MOST_REQUEST_IDS = 100;

  private final Time time;
  private final long begun;
  // Guarded by this.
  private final Intervals idle = new Intervals();
  private final List<Long> openWaits = new ArrayList<>();
  private final List<LimitScope> scopes = new ArrayList<>();
  private final List<String> requestIds = new ArrayList<>();
  private Usage usage = Usage.NONE;
  private Spend spend = Spend.NONE;
  private @Nullable SampleLimitExceededException wholeExceeded;
  private long cachedAnswers;
  private long retries;
  private int calling;
  private long queued;
  private long paced;
  private long backedOff;
  private long failed;
  private long called;
  private long shared;

  SampleMeter(Time time) {
    this.time = time;
    this.begun = time.nanos();
  }

  /** The limits of all solvers together, which the state may change. */
  LimitScope openWhole(SampleLimits limits) {
    return open(limits, true);
  }

  /** The limits of a part of the work. */
  LimitScope open(SampleLimits limits) {
    return open(limits, false);
  }

  private synchronized LimitScope open(SampleLimits limits, boolean isWhole) {
    var scope = new LimitScope(limits, isWhole, time.nanos(), idle());
    scopes.add(scope);
    return scope;
  }

  synchronized void close(LimitScope scope) {
    scopes.remove(scope);
  }

  /** Before the evaluated model is asked; throws if it must not be. */
  synchronized void requireTurn(SampleState state, int messages) {
    requireWithin(state);
    for (LimitScope scope : scopes) {
      scope.beforeTurn(state, messages).ifPresent(over -> exceeded(scope, over));
    }
  }

  /** Throws if too much was used already; the outermost limit tells. */
  synchronized void requireWithin(SampleState state) {
    for (LimitScope scope : scopes) {
      scope.afterAnswer(state).ifPresent(over -> exceeded(scope, over));
      scope.overtime(time.nanos(), idle(), calling > 0).ifPresent(over -> exceeded(scope, over));
    }
  }

  private void exceeded(LimitScope scope, SampleLimitExceededException over) {
    if (scope.isWhole()) {
      wholeExceeded = over;
    }
    throw over;
  }

  /** The limit of the whole sample that was exceeded, even if a part of the work went on. */
  synchronized Optional<SampleLimitExceededException> wholeExceeded() {
    return Optional.ofNullable(wholeExceeded);
  }

  synchronized void callBegins() {
    calling++;
  }

  /**
   * @param begin when the call was asked for
   * @param isTurn whether it was the evaluated model that was asked
   */
  synchronized void callEnded(long begin, Call<Response> call, Spend cost, boolean isTurn) {
    long now = time.nanos();
    Call.Times times = call.times();
    tried(call.attempts(), times);
    call.value().origin().requestId().ifPresent(this::remember);
    switch (call.value()) {
      case Response.Reply reply -> {
        called += times.called().toNanos();
        // Whatever came before the attempt that was answered was waiting, or in vain.
        idle.add(begin, now - times.called().toNanos());
        usage = usage.plus(reply.usage());
        spend = spend.plus(cost);
        cachedAnswers += reply.origin().fromCache() ? 1 : 0;
        scopes.forEach(scope -> scope.used(reply.usage(), cost, isTurn));
      }
      case Response.Failure _ -> {
        failed += times.called().toNanos();
        idle.add(begin, now);
      }
    }
  }

  private void tried(int attempts, Call.Times times) {
    retries += Math.max(0, attempts - 1);
    queued += times.queued().toNanos();
    paced += times.paced().toNanos();
    backedOff += times.backedOff().toNanos();
    failed += times.failed().toNanos();
  }

  /** A call ended before it was answered: nothing came of the time. */
  synchronized void callCutOff(long begin, Exception by) {
    if (by instanceof CutOff call) {
      tried(call.attempts(), call.times());
      failed += call.times().called().toNanos();
    }
    idle.add(begin, time.nanos());
  }

  synchronized void callOver() {
    calling--;
  }

  /** Time spent waiting for something that samples share. */
  synchronized Waits.Wait waitBegan(long begin) {
    openWaits.add(begin);
    return end -> waited(begin, end);
  }

  private synchronized void waited(long begin, long end) {
    openWaits.remove((Long) begin);
    shared += end - begin;
    idle.add(begin, end);
  }

  /** What was not worked so far, including waits that still go on. */
  private long idle() {
    return openWaits.isEmpty()
        ? idle.total()
        : idle.totalWith(Collections.min(openWaits), time.nanos());
  }

  private void remember(String id) {
    if (requestIds.size() < MOST_REQUEST_IDS) {
      requestIds.add(id);
    }
  }

  synchronized Optional<SampleLimitExceededException> overtime(LimitScope scope) {
    return scope.overtime(time.nanos(), idle(), calling > 0);
  }

  synchronized long nextLook(LimitScope scope) {
    return scope.nextLook(time.nanos(), idle(), calling > 0, !openWaits.isEmpty());
  }

  synchronized Usage usage() {
    return usage;
  }

  synchronized Spend spend() {
    return spend;
  }

  synchronized Used used() {
    return new Used(Duration.ofNanos(called), spend);
  }

  synchronized long cachedAnswers() {
    return cachedAnswers;
  }

  synchronized long retries() {
    return retries;
  }

  synchronized List<String> requestIds() {
    return List.copyOf(requestIds);
  }

  /** How many seconds it has worked: those it did not wait. */
  synchronized double working() {
    return seconds(Math.max(0, time.nanos() - begun - idle()));
  }

  synchronized Times times() {
    long total = time.nanos() - begun;
    return new Times(
        seconds(queued),
        seconds(paced),
        seconds(backedOff),
        seconds(failed),
        seconds(called),
        seconds(shared),
        seconds(Math.max(0, total - idle())),
        seconds(total));
  }

  private static double seconds(long nanos) {
    return nanos / 1e9;
  }
}
