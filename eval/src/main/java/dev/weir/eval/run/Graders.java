package dev.weir.eval.run;

import dev.weir.eval.option.Secrets;
import dev.weir.model.ConfigurationException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * The models that grade answers of a log, each of them twice: when the budget is used up no other
 * sample is begun, but what was paid for one is not lost because its last grader is not asked.
 * Thread-safe.
 */
public final class Graders {

  private final Budget budget;
  private final KnownTerms terms;
  private final Map<String, PricedModel> first;
  private final Map<String, PricedModel> further = new HashMap<>();

  /**
   * @param secrets what no log has
   * @param roles the models by role, as somebody who watches their calls has them
   */
  public Graders(
      Budget budget, Secrets secrets, Function<CallWatch, Map<String, PricedModel>> roles) {
    this.budget = budget;
    this.terms = new KnownTerms(secrets);
    this.first = Map.copyOf(roles.apply(new Spending(budget, budget::requireLeft)));
    roles
        .apply(new Spending(budget, () -> {}))
        .forEach(
            (role, other) ->
                further.put(role, first.getOrDefault(role, other).with(other.model())));
  }

  /** What they are asked with. */
  KnownTerms terms() {
    return terms;
  }

  /** By role. */
  public Map<String, PricedModel> all() {
    return first;
  }

  /** Why no other sample may be begun, if so. */
  public Optional<String> usedUp() {
    return budget.usedUp();
  }

  /**
   * @param isBegun whether a model has graded the sample already
   */
  PricedModel role(String role, boolean isBegun) {
    PricedModel model = (isBegun ? further : first).get(role);
    if (model == null) {
      throw new ConfigurationException(
          "a scorer asks the model of the role '%s', but there is none; name one with --model-role %s=provider/model"
              .formatted(role, role));
    }
    return model;
  }
}
