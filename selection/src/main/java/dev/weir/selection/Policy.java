package dev.weir.selection;

import java.util.List;
import java.util.OptionalDouble;
import java.util.OptionalInt;

/**
 * The mind of a selector. It is asked only when all it wanted is known, so the order in which that
 * became known cannot matter.
 */
interface Policy {

  /**
   * Gives up arms and says what to ask next.
   *
   * @param remaining evaluations that the budget still allows; a round that takes more is not begun
   */
  Round next(Field field, long remaining);

  /** Whether an arm may win that was given up; only AgentOpt does that. */
  default boolean anyArmMayWin() {
    return false;
  }

  /** The confidence that its decisions are right; empty where none is claimed. */
  default OptionalDouble confidence() {
    return OptionalDouble.empty();
  }

  /** The arm that its rule for stopping says is the best; whatever its number of samples. */
  default OptionalInt decidedFor() {
    return OptionalInt.empty();
  }

  /**
   * Whether what it claims holds beside an arm that was given up for its failures, and not by the
   * policy; asked where it has {@link #decidedFor} an arm.
   */
  default boolean holdsBeside(int arm) {
    return false;
  }

  /** Arms that it found good, when it looks for more than one. */
  default List<Integer> good() {
    return List.of();
  }

  /** Whether it is to try every arm; otherwise what it has not tried is left out by its rule. */
  default boolean looksAtAll() {
    return true;
  }
}
