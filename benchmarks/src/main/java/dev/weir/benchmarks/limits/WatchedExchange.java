package dev.weir.benchmarks.limits;

import dev.weir.limits.event.LimitEvent;
import dev.weir.limits.exchange.Exchange;
import dev.weir.limits.pace.Observation;
import dev.weir.limits.pace.PaceMemory;
import dev.weir.limits.pace.Slice;
import java.util.List;
import java.util.Optional;

/** An exchange with somebody who sees all that goes through it. */
final class WatchedExchange implements Exchange {

  /** Sees what was handed in, and what came back. */
  interface Watcher {
    void exchanged(long now, List<Observation> happened, Slice slice);
  }

  private final Exchange exchange;
  private final Watcher watcher;

  WatchedExchange(Exchange exchange, Watcher watcher) {
    this.exchange = exchange;
    this.watcher = watcher;
  }

  @Override
  public Slice exchange(long now, List<Observation> happened) {
    Slice slice = exchange.exchange(now, happened);
    watcher.exchanged(now, happened, slice);
    return slice;
  }

  @Override
  public List<LimitEvent> drainEvents() {
    return exchange.drainEvents();
  }

  @Override
  public Optional<PaceMemory> memory(long epochMillis) {
    return exchange.memory(epochMillis);
  }

  @Override
  public void whenBetter(Runnable wake) {
    exchange.whenBetter(wake);
  }

  @Override
  public void release(long now) {
    exchange.release(now);
  }
}
