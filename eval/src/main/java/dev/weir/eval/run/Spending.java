package dev.weir.eval.run;

import dev.weir.model.Usage;
import dev.weir.model.price.Spend;

/** Keeps a budget. Thread-safe. */
class Spending implements CallWatch {

  private final Budget budget;
  private final Runnable permission;

  /**
   * @param permission throws if a call that has waited for its turn is not to be made any more
   */
  Spending(Budget budget, Runnable permission) {
    this.budget = budget;
    this.permission = permission;
  }

  @Override
  public void left() {
    permission.run();
  }

  @Override
  public void answered(Usage usage, Spend cost) {
    budget.add(usage, cost);
  }

  @Override
  public void back() {}
}
