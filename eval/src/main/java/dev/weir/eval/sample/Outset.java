package dev.weir.eval.sample;

import dev.weir.eval.sandbox.SandboxSpec;
import dev.weir.model.ConfigurationException;
import dev.weir.time.Time;
import java.util.Optional;

/**
 * What tools will find when a task runs, as far as it is known before the first call.
 *
 * @param sandbox that samples will have
 * @param trial given if a server may be started to learn what it offers; otherwise nothing is
 */
public record Outset(Optional<SandboxSpec> sandbox, Optional<Time> trial) {

  /**
   * @param tool that cannot work without it
   * @throws ConfigurationException if samples will have none
   */
  public SandboxSpec requireSandbox(String tool) {
    return sandbox.orElseThrow(
        () ->
            new ConfigurationException(
                "the tool '%s' runs in a sandbox, but the task has none; add `sandbox:` with"
                        .formatted(tool)
                    + " docker:IMAGE, bubblewrap or local"));
  }
}
