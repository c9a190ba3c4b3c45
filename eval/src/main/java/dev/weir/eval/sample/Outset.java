package dev.weir.eval.sample;

import dev.weir.eval.sandbox.SandboxSpec;
import dev.weir.model.ConfigurationException;
import dev.weir.model.Printable;
import dev.weir.time.Time;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * What tools will find when a task runs, as far as it is known before the first call.
 *
 * @param sandbox that samples will have
 * @param programs whether commands of the sandbox find the program of a name, as far as is known
 * @param trial given if a server may be started to learn what it offers; otherwise nothing is
 */
public record Outset(
    Optional<SandboxSpec> sandbox, Predicate<String> programs, Optional<Time> trial) {

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

  /**
   * @param tool that cannot work without it
   * @throws ConfigurationException if commands of the sandbox would not find it
   */
  public void requireProgram(String tool, String program) {
    if (!programs.test(program)) {
      throw new ConfigurationException(
          "the tool '%s' needs the program %s, which is not on the PATH of the sandbox; install it, or take a docker sandbox with an image that has it"
              .formatted(tool, Printable.line(program)));
    }
  }
}
