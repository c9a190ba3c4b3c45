package dev.weir.selection;

/** How decided evaluations share the slots. */
public enum Schedule {
  /** One queue: no slot is idle while a decided evaluation waits. */
  SHARED,
  /** As AgentOpt documents it: {@link Slots}, counted anew for each round. */
  DOCUMENTED
}
