package dev.weir.selection;

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

  /** The confidence that its decisions are right, or 0 where none is claimed. */
  default double confidence() {
    return 0;
  }
}
