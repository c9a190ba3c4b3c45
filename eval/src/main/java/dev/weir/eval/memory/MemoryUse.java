package dev.weir.eval.memory;

import java.util.Optional;

/** Whether runs read and save learned limits, and whether the option {@code memory} decides. */
public enum MemoryUse {
  /** Never, even if the option asks for it: tests and rehearsals. */
  NEVER,
  /** If the option asks for it: programs. */
  ON_REQUEST,
  /** Unless the option turns it off: the command line. */
  BY_DEFAULT;

  /**
   * @param option the value of {@code memory}, if one was given
   */
  public boolean isOn(Optional<Boolean> option) {
    return switch (this) {
      case NEVER -> false;
      case ON_REQUEST -> option.orElse(false);
      case BY_DEFAULT -> option.orElse(true);
    };
  }
}
