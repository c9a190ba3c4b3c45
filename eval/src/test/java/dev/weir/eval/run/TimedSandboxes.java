package dev.weir.eval.run;

import dev.weir.eval.sandbox.ExecRequest;
import dev.weir.eval.sandbox.ExecResult;
import dev.weir.eval.sandbox.Gate;
import dev.weir.eval.sandbox.Sandbox;
import dev.weir.eval.sandbox.SandboxProvider;
import dev.weir.eval.sandbox.SandboxSetup;
import dev.weir.eval.sandbox.SandboxSpec;
import dev.weir.eval.sandbox.Waits;
import dev.weir.time.Time;
import java.time.Duration;

/** Sandboxes on virtual time: a command takes 2 s and does nothing. */
final class TimedSandboxes implements SandboxProvider {

  private final Time time;
  private final Gate places;
  private final Gate subprocesses;

  TimedSandboxes(Time time, int maxSandboxes, int maxSubprocesses) {
    this.time = time;
    this.places = new Gate(time, "a place for a sandbox", maxSandboxes);
    this.subprocesses = new Gate(time, "a turn to run a command", maxSubprocesses);
  }

  @Override
  public void check(SandboxSpec spec) {
    // There is nothing to be missing.
  }

  @Override
  public boolean has(SandboxSpec spec, String program) {
    return true;
  }

  @Override
  public Sandbox open(SandboxSpec spec, SandboxSetup setup, Waits waits)
      throws InterruptedException {
    return new Opened(places.enter(waits), waits);
  }

  @Override
  public int waiting() {
    return places.waiting() + subprocesses.waiting();
  }

  @Override
  public int waitingForCommands() {
    return subprocesses.waiting();
  }

  private final class Opened implements Sandbox {

    private final Gate.Pass place;
    private final Waits waits;

    Opened(Gate.Pass place, Waits waits) {
      this.place = place;
      this.waits = waits;
    }

    @Override
    public ExecResult exec(ExecRequest request) throws InterruptedException {
      try (Gate.Pass _ = subprocesses.enter(waits)) {
        time.sleep(Duration.ofSeconds(2));
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
