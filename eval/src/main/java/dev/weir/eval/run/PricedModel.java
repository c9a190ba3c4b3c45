package dev.weir.eval.run;

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
 */
public record PricedModel(Model model, Optional<Price> price, boolean batched) {

  /** Enough tokens for every rate to count. */
  private static final Usage MANY = new Usage(1_000_000, 1_000_000);

  Spend spend(Response.Reply reply) {
    // A server that does not tell what it used did not work for nothing.
    Optional<Price> known = reply.usage().isTold() || isFree() ? price : Optional.empty();
    return batched ? Spend.ofBatched(known, reply) : Spend.of(known, reply);
  }

  private boolean isFree() {
    return price
        .flatMap(found -> found.costOf(MANY))
        .filter(cost -> cost.signum() == 0)
        .isPresent();
  }
}
