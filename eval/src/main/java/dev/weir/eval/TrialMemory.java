package dev.weir.eval;

import dev.weir.eval.run.Intervals;
import dev.weir.eval.run.PricedModel;
import dev.weir.model.Recollection;
import dev.weir.model.Request;
import dev.weir.model.Response;
import dev.weir.model.price.Price;
import dev.weir.time.Time;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** What models remember for one trial, and how long the remembered calls took. Thread-safe. */
final class TrialMemory {

  private final Time time;
  private final Memory memory;
  private final long begun;
  // Guarded by itself: by epoch, when the remembered calls were in flight.
  private final Map<Integer, Intervals> remembered = new HashMap<>();

  TrialMemory(Time time, Memory memory) {
    this.time = time;
    this.memory = memory;
    this.begun = time.nanos();
  }

  Recollection of(Optional<Price> price, boolean batched) {
    return new Recollection() {
      @Override
      public Optional<String> take(Request request, String asked) {
        return memory.take(asked).map(answer -> remembered(answer).reply());
      }

      @Override
      public void keep(
          Request request, String asked, Response.Reply reply, String text, Duration took) {
        Duration now = Duration.ofNanos(time.nanos() - begun + rememberedNanos(request.epoch()));
        memory.keep(
            asked,
            new Memory.Answer(
                request.epoch(),
                text,
                PricedModel.spend(price, batched, reply).known(),
                now.minus(took),
                took));
      }
    };
  }

  private Memory.Answer remembered(Memory.Answer answer) {
    synchronized (remembered) {
      remembered
          .computeIfAbsent(answer.epoch(), _ -> new Intervals())
          .add(answer.began().toNanos(), answer.began().plus(answer.took()).toNanos());
    }
    return answer;
  }

  private long rememberedNanos(int epoch) {
    synchronized (remembered) {
      Intervals known = remembered.get(epoch);
      return known == null ? 0 : known.total();
    }
  }

  /** That all epochs together have worked for, without doing it again. */
  double seconds() {
    synchronized (remembered) {
      return remembered.values().stream().mapToLong(Intervals::total).sum() / 1e9;
    }
  }
}
