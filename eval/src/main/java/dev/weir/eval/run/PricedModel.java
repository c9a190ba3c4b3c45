package dev.weir.eval.run;

import dev.weir.limits.Call;
import dev.weir.limits.CutOff;
import dev.weir.model.Model;
import dev.weir.model.Response;
import dev.weir.model.Usage;
import dev.weir.model.price.Price;
import dev.weir.model.price.Spend;
import java.util.Optional;

/**
 * A model of a run, and what it costs.
 *
 * @param price absent if nobody knows
 * @param batched whether answers come in batches, which cost less
 * @param count what it did for the run
 */
public record PricedModel(Model model, Optional<Price> price, boolean batched, ModelCount count) {

  /** A model that nobody watches. */
  public PricedModel(Model model, Optional<Price> price, boolean batched) {
    this(model, price, batched, new ModelCount(Optional.empty()));
  }

  /** Another way to the same model: it costs the same and is counted with it. */
  PricedModel with(Model other) {
    return new PricedModel(other, price, batched, count);
  }

  /** Enough tokens for every rate to count. */
  private static final Usage MANY = new Usage(1_000_000, 1_000_000);

  /** Counts a call that has ended, and tells what it costs. */
  Spend counted(Call<Response> call) {
    Spend cost =
        call.value() instanceof Response.Reply reply ? spend(price, batched, reply) : Spend.NONE;
    count.add(call, cost);
    return cost;
  }

  /** Counts the attempts of a call that ended before it was answered. */
  void cutOff(Exception by) {
    if (by instanceof CutOff call) {
      count.cutOff(call);
    }
  }

  /** What an answer costs. */
  public static Spend spend(Optional<Price> price, boolean batched, Response.Reply reply) {
    // A server that does not tell what it used did not work for nothing.
    Optional<Price> known = reply.usage().isTold() || isFree(price) ? price : Optional.empty();
    return batched ? Spend.ofBatched(known, reply) : Spend.of(known, reply);
  }

  private static boolean isFree(Optional<Price> price) {
    return price
        .flatMap(found -> found.costOf(MANY))
        .filter(cost -> cost.signum() == 0)
        .isPresent();
  }
}
