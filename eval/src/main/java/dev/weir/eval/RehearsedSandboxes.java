package dev.weir.eval;

import dev.weir.eval.sandbox.ExecRequest;
import dev.weir.eval.sandbox.ExecResult;
import dev.weir.eval.sandbox.Sandbox;
import dev.weir.eval.sandbox.SandboxProvider;
import dev.weir.eval.sandbox.SandboxSetup;
import dev.weir.eval.sandbox.SandboxSpec;
import dev.weir.eval.sandbox.Waits;
import dev.weir.time.Time;
import java.time.Duration;

/** Sandboxes of a rehearsal: commands take a second and say nothing; files are empty. */
record RehearsedSandboxes(Time time) implements SandboxProvider {

  static final Duration COMMAND = Duration.ofSeconds(1);

  @Override
  public void check(SandboxSpec spec) {
    // What is not opened need not be there.
  }

  @Override
  public Sandbox open(SandboxSpec spec, SandboxSetup setup, Waits waits)
      throws InterruptedException {
    time.sleep(COMMAND);
    return new Sandbox() {
      @Override
      public ExecResult exec(ExecRequest request) throws InterruptedException {
        time.sleep(COMMAND);
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
        // Nothing was opened.
      }
    };
  }
}
