package dev.weir.selection;

import dev.weir.selection.SelectionResult.Ending;
import java.util.OptionalDouble;
import java.util.OptionalInt;

/** later */
final class Ranking {
  private final Field field;
  private final Policy policy;

  Ranking(Field field, Policy policy) {
    this.field = field;
    this.policy = policy;
  }

  OptionalInt leader() {
    int best = -1;
    for (int arm = 0; arm < field.arms(); arm++) {
      if (!field.isActive(arm) && !policy.anyArmMayWin()) continue;
      if (field.mean(arm).isEmpty()) continue;
      if (best < 0 || field.mean(arm).getAsDouble() > field.mean(best).getAsDouble() + 1e-9)
        best = arm;
    }
    return best < 0 ? OptionalInt.empty() : OptionalInt.of(best);
  }

  SelectionResult result(Ending ending, long told, OptionalDouble cost) {
    throw new UnsupportedOperationException();
  }
}
