package dev.weir.eval.run;

import dev.weir.model.Model;
import dev.weir.model.Response;
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

  Spend spend(Response.Reply reply) {
    return batched ? Spend.ofBatched(price, reply) : Spend.of(price, reply);
  }
}
