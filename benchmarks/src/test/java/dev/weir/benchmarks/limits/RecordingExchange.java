package dev.weir.benchmarks.limits;

import dev.weir.limits.event.LimitEvent;
import dev.weir.limits.exchange.Exchange;
import dev.weir.limits.exchange.LocalExchange;
import dev.weir.limits.pace.Observation;
import dev.weir.limits.pace.PaceMemory;
import dev.weir.limits.pace.Slice;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Remembers all that went through an exchange. */
final class RecordingExchange implements Exchange {

  /** One exchange: what was handed in, and what came back. */
  record Step(long now, List<Observation> happened, Slice slice) {}

  final LocalExchange live;
  final List<Step> steps = new ArrayList<>();
  final List<LimitEvent> events = new ArrayList<>();

  RecordingExchange(LocalExchange live) {
    this.live = live;
  }

  @Override
  public Slice exchange(long now, List<Observation> happened) {
    Slice slice = live.exchange(now, happened);
    steps.add(new Step(now, happened, slice));
    events.addAll(live.drainEvents());
    return slice;
  }

  @Override
  public List<LimitEvent> drainEvents() {
    return List.of();
  }

  @Override
  public Optional<PaceMemory> memory(long epochMillis) {
    return live.memory(epochMillis);
  }

  @Override
  public void whenBetter(Runnable wake) {
    live.whenBetter(wake);
  }

  @Override
  public void release(long now) {
    live.release(now);
  }
}
