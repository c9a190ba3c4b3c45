package dev.weir.benchmarks.limits;

import dev.weir.limits.event.LimitEvent;
import dev.weir.limits.exchange.Exchange;
import dev.weir.limits.pace.Observation;
import dev.weir.limits.pace.PaceController;
import dev.weir.limits.pace.PaceMemory;
import dev.weir.limits.pace.PaceSettings;
import dev.weir.limits.pace.Slice;
import dev.weir.simulator.provider.EventLoop;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Several processes on one controller, each with an equal part and a short lease, which exchange
 * now and then: what a database between them would do.
 *
 * <p>A participant that is cut off keeps its part until its lease ends; then the others get it, and
 * what it had under way counts no more.
 */
final class SharedExchange {

  static final long EVERY_NANOS = 100_000_000L;
  static final long LEASE_NANOS = 1_000_000_000L;

  private final EventLoop loop;
  private final PaceController controller;
  final List<Participant> participants = new ArrayList<>();
  private long generation;

  SharedExchange(PaceSettings settings, long seed, EventLoop loop) {
    this.loop = loop;
    this.controller = new PaceController(settings, seed, loop.now());
    loop.after(EVERY_NANOS, this::exchangeAll);
  }

  Participant join() {
    var participant = new Participant(participants.size());
    participants.add(participant);
    return participant;
  }

  private void exchangeAll() {
    long now = loop.now();
    List<Observation> happened = new ArrayList<>();
    for (Participant participant : participants) {
      if (participant.connected) {
        happened.addAll(participant.outbox);
        participant.outbox.clear();
      } else if (now >= participant.slice.leaseUntil()) {
        // Whatever became of them, nobody will say in time.
        participant.underWay.forEach(id -> happened.add(new Observation.Cancelled(now, id)));
      }
    }
    happened.sort(Comparator.comparingLong(Observation::at));
    happened.forEach(controller::apply);
    List<Participant> sharing =
        participants.stream()
            .filter(participant -> participant.connected || now < participant.slice.leaseUntil())
            .toList();
    generation++;
    Slice whole = controller.slice(now, generation, now + LEASE_NANOS);
    for (int i = 0; i < sharing.size(); i++) {
      if (sharing.get(i).connected) {
        sharing.get(i).receive(whole.part(i, sharing.size(), sharing.get(i).underWay.size()));
      }
    }
    loop.after(EVERY_NANOS, this::exchangeAll);
  }

  /** The end of one process: it answers at once, from what it was last given. */
  final class Participant implements Exchange {

    private final long firstId;
    private final List<Observation> outbox = new ArrayList<>();
    private final Set<Long> underWay = new HashSet<>();
    private Runnable wake = () -> {};
    private Slice slice = new Slice(0, Long.MIN_VALUE, 0, 0, false, List.of(), List.of());
    boolean connected = true;
    final List<Long> sentAt = new ArrayList<>();

    Participant(int number) {
      firstId = (long) number << 48;
    }

    private void receive(Slice better) {
      slice = better;
      wake.run();
    }

    /** When nothing more may leave, unless the lease is renewed. */
    long leaseUntil() {
      return slice.leaseUntil();
    }

    @Override
    public Slice exchange(long now, List<Observation> happened) {
      happened.forEach(this::take);
      return slice;
    }

    private void take(Observation observation) {
      switch (observation) {
        case Observation.Waiting waiting -> outbox.add(waiting);
        case Observation.Retuned retuned -> outbox.add(retuned);
        case Observation.Sent(long at, long id, var cost) -> {
          sentAt.add(at);
          underWay.add(firstId + id);
          slice = slice.sent(at, cost);
          outbox.add(new Observation.Sent(at, firstId + id, cost));
        }
        case Observation.Headers(long at, long id, var facts) ->
            outbox.add(new Observation.Headers(at, firstId + id, facts));
        case Observation.Answered(long at, long id, var used) ->
            ended(id, new Observation.Answered(at, firstId + id, used));
        case Observation.Refused(long at, long id, var facts) ->
            ended(id, new Observation.Refused(at, firstId + id, facts));
        case Observation.Overloaded(long at, long id, var facts) ->
            ended(id, new Observation.Overloaded(at, firstId + id, facts));
        case Observation.Failed(long at, long id) ->
            ended(id, new Observation.Failed(at, firstId + id));
        case Observation.Unsent(long at, long id) ->
            ended(id, new Observation.Unsent(at, firstId + id));
        case Observation.Cancelled(long at, long id) ->
            ended(id, new Observation.Cancelled(at, firstId + id));
      }
    }

    private void ended(long id, Observation end) {
      underWay.remove(firstId + id);
      slice = slice.ended();
      outbox.add(end);
    }

    @Override
    public List<LimitEvent> drainEvents() {
      return List.of();
    }

    @Override
    public Optional<PaceMemory> memory(long epochMillis) {
      return controller.memory(epochMillis);
    }

    @Override
    public void whenBetter(Runnable callback) {
      wake = callback;
    }

    @Override
    public void release(long now) {
      slice = slice.leased(slice.generation(), now);
    }
  }
}
