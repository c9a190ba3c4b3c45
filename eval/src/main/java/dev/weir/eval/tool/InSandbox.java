package dev.weir.eval.tool;

import dev.weir.eval.sandbox.SandboxSpec;
import java.util.List;

/** Marks tools of ours that work in the sandbox of the task. */
interface InSandbox {

  /**
   * @throws dev.weir.model.ConfigurationException if it could not work in such a one
   */
  default void requireUsable(SandboxSpec sandbox) {}

  /** What it runs there, by name. */
  default List<String> programs() {
    return List.of();
  }
}
