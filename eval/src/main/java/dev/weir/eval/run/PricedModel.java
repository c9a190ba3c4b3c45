package dev.weir.eval.run;

import dev.weir.model.Model;
import dev.weir.model.price.Price;
import java.util.Optional;

/**
 * A model of a run, and what it costs.
 *
 * @param price absent if nobody knows
 */
public record PricedModel(Model model, Optional<Price> price) {}
