package dev.weir.eval;

import dev.weir.eval.sandbox.ExecRequest;
import dev.weir.eval.sandbox.ExecResult;
import dev.weir.eval.sandbox.Gate;
import dev.weir.eval.sandbox.Sandbox;
import dev.weir.eval.sandbox.SandboxProvider;
import dev.weir.eval.sandbox.SandboxSetup;
import dev.weir.eval.sandbox.SandboxSpec;
import dev.weir.eval.sandbox.Sandboxes;
import dev.weir.eval.sandbox.Waits;
import dev.weir.time.Time;
import java.time.Duration;

/**
 * Sandboxes of a rehearsal: commands take a second and say nothing; files are empty. No more of
 * them are open at once than there would be of real ones.
 *
 * @param real whose places are taken; none of them is opened
 */
record RehearsedSandboxes(Time time, Sandboxes real) implements SandboxProvider {

  static final Duration COMMAND = Duration.ofSeconds(1);

  @Override
  public int waiting() {
    return real.waiting();
  }

  @Override
  public int waitingForCommands() {
    return real.waitingForCommands();
  }

  @Override
  public void check(SandboxSpec spec) {
    // What is not opened need not be there.
  }

  @Override
  public boolean has(SandboxSpec spec, String program) {
    return true;
  }

  @Override
  public Sandbox open(SandboxSpec spec, SandboxSetup setup, Waits waits)
      throws InterruptedException {
    Gate.Pass place = real.gate(spec.type()).enter(waits);
    try {
      time.sleep(COMMAND);
      return new Rehearsed(place, waits);
    } catch (InterruptedException | RuntimeException | Error failed) {
      place.close();
      throw failed;
    }
  }

  private final class Rehearsed implements Sandbox {

    private final Gate.Pass place;
    private final Waits waits;

    Rehearsed(Gate.Pass place, Waits waits) {
      this.place = place;
      this.waits = waits;
    }

    @Override
    public ExecResult exec(ExecRequest request) throws InterruptedException {
      try (var _ = real.subprocesses().enter(waits)) {
        time.sleep(COMMAND);
      }
      return new ExecResult(0, "", "", false, false, false);
    }

    @Override
    public byte[] readFile(String path) {
      return new byte[0];
    }

    @Override
    public void writeFile(String path, byte[] content) {
      // Nothing is kept.
    }

    @Override
    public String workingDirectory() {
      return "/";
    }

    @Override
    public void close() {
      place.close();
    }
  }
}
