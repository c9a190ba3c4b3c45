package dev.weir.eval.run;

import dev.weir.eval.option.RunOptions.BudgetOptions;
import dev.weir.model.Usage;
import dev.weir.model.price.Spend;
import java.math.BigDecimal;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What all runs of an evaluation may use together. When it is used up solvers make no call any
 * more; those in flight are answered and kept, and scorers may finish, so a little more may be used
 * than was allowed. Thread-safe.
 */
public final class Budget {

  private final BudgetOptions options;
  // Guarded by this.
  private BigDecimal cost = BigDecimal.ZERO;
  private long tokens;
  private @Nullable String used;

  public Budget(BudgetOptions options) {
    this.options = options;
  }

  /** What was used of it before. */
  public synchronized void spent(BigDecimal dollars) {
    cost = cost.add(dollars);
    look();
  }

  synchronized void add(Usage usage, Spend spend) {
    cost = cost.add(spend.known());
    tokens += usage.totalTokens();
    look();
  }

  private void look() {
    if (options.maxCost().isPresent() && cost.compareTo(options.maxCost().get()) >= 0) {
      used = "the budget of $%s is used up".formatted(options.maxCost().get().toPlainString());
    } else if (options.maxTokensTotal().isPresent() && tokens >= options.maxTokensTotal().get()) {
      used = "the budget of %d tokens is used up".formatted(options.maxTokensTotal().get());
    }
  }

  /** Throws if no call may be made any more. */
  synchronized void requireLeft() {
    if (used != null) {
      throw new StoppedRunException(used);
    }
  }

  /** Why no call may be made any more, if so. */
  synchronized Optional<String> usedUp() {
    return Optional.ofNullable(used);
  }
}
