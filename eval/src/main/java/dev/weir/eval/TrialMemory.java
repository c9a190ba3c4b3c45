package dev.weir.eval;

import dev.weir.eval.run.PricedModel;
import dev.weir.model.Recollection;
import dev.weir.model.Request;
import dev.weir.model.Response;
import dev.weir.model.price.Price;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What models remember for one trial, and how long the remembered calls took.
 *
 * <p>One that was alone is answered at once, and what it took is added to what the trial worked. If
 * the sample asked something else meanwhile, that would count time twice, and might let another
 * come first than did before: such an answer takes its time again, and is measured like any other.
 *
 * <p>Thread-safe.
 */
final class TrialMemory {

  private final Memory memory;
  // Guarded by itself: by epoch, who asks now.
  private final Map<Integer, Set<Asked>> asking = new HashMap<>();
  // Guarded by asking.
  private Duration remembered = Duration.ZERO;

  TrialMemory(Memory memory) {
    this.memory = memory;
  }

  Recollection of(Optional<Price> price, boolean batched) {
    return (request, asked) -> begin(new Asked(request, memory.ask(asked), price, batched));
  }

  private Asked begin(Asked one) {
    synchronized (asking) {
      Set<Asked> others = asking.computeIfAbsent(one.epoch, _ -> new HashSet<>());
      one.isBeside = !others.isEmpty();
      others.forEach(other -> other.isBeside = true);
      others.add(one);
    }
    return one;
  }

  /** That all epochs together have worked for, without doing it again. */
  double seconds() {
    synchronized (asking) {
      return remembered.toNanos() / 1e9;
    }
  }

  private final class Asked implements Recollection.Asking {

    private final int epoch;
    private final Memory.Asking turn;
    private final Optional<Memory.Answer> before;
    private final Optional<Price> price;
    private final boolean batched;
    // Guarded by asking.
    private boolean isBeside;

    Asked(Request request, Memory.Asking turn, Optional<Price> price, boolean batched) {
      this.epoch = request.epoch();
      this.turn = turn;
      this.before = turn.known();
      this.price = price;
      this.batched = batched;
    }

    @Override
    public Optional<Recollection.Before> known() {
      return before.map(
          answer ->
              new Recollection.Before(
                  answer.reply(), answer.beside() ? answer.took() : Duration.ZERO));
    }

    @Override
    public void taken() {
      turn.taken();
      synchronized (asking) {
        remembered =
            before
                .filter(answer -> !answer.beside())
                .map(answer -> remembered.plus(answer.took()))
                .orElse(remembered);
      }
    }

    @Override
    public void keep(Response.Reply reply, String text, Duration took) {
      turn.keep(
          new Memory.Answer(
              text, PricedModel.spend(price, batched, reply).known(), took, isBeside()));
    }

    private boolean isBeside() {
      synchronized (asking) {
        return isBeside;
      }
    }

    @Override
    public void close() {
      synchronized (asking) {
        asking.getOrDefault(epoch, Set.of()).remove(this);
      }
      turn.close();
    }
  }
}
