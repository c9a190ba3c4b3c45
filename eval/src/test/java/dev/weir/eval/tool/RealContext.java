package dev.weir.eval.tool;

import dev.weir.eval.dataset.Sample;
import dev.weir.eval.sample.EvalTool;
import dev.weir.eval.sample.Generator;
import dev.weir.eval.sample.Kept;
import dev.weir.eval.sample.SampleContext;
import dev.weir.eval.sample.SampleLimits;
import dev.weir.eval.sample.SampleState;
import dev.weir.eval.sandbox.Sandbox;
import dev.weir.eval.sandbox.SandboxCaps;
import dev.weir.eval.sandbox.SandboxSetup;
import dev.weir.eval.sandbox.SandboxSpec;
import dev.weir.eval.sandbox.Sandboxes;
import dev.weir.eval.sandbox.Waits;
import dev.weir.model.ToolCall;
import dev.weir.time.Time;
import dev.weir.time.Work;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** A sample without a model: a real sandbox, the system's clock. */
final class RealContext implements SampleContext, AutoCloseable {

  private final Sandboxes sandboxes;
  private final SandboxSpec spec;
  private final Kept ofSample = new Kept(Time.system());
  private final Kept ofRun;
  final SampleState state = new SampleState(new Sample("1", "a question", "a target"), 1);
  private @Nullable Sandbox sandbox;

  RealContext() {
    this(new Kept(Time.system()), SandboxSpec.local());
  }

  RealContext(Kept ofRun, SandboxSpec spec) {
    this.ofRun = ofRun;
    this.spec = spec;
    this.sandboxes =
        new Sandboxes(
            Time.system(),
            SandboxCaps.defaults(),
            Map.of("PATH", System.getenv("PATH"), "LANG", "C.UTF-8"));
  }

  /** Lets a tool do what a model wrote. */
  EvalTool.Result call(EvalTool tool, String arguments) throws InterruptedException {
    return tool.run(new ToolCall("1", tool.definition().name(), arguments), state, this);
  }

  @Override
  public Generator model() {
    throw new UnsupportedOperationException("there is no model");
  }

  @Override
  public Generator role(String role) {
    throw new UnsupportedOperationException("there is no model");
  }

  @Override
  public synchronized Sandbox sandbox() throws InterruptedException {
    Sandbox opened = sandbox;
    if (opened == null) {
      opened = sandboxes.open(spec, SandboxSetup.NONE, Waits.IGNORED);
      sandbox = opened;
    }
    return opened;
  }

  @Override
  public Time time() {
    return Time.system();
  }

  @Override
  public RandomGenerator random() {
    return new SplittableRandom(1);
  }

  @Override
  public <T> T within(SampleLimits limits, Work<T> part) throws Exception {
    return part.run();
  }

  @Override
  public void note(String source, Object data) {}

  @Override
  public <T extends AutoCloseable> T keep(Lifetime lifetime, Object key, Kept.Opening<T> opening)
      throws InterruptedException {
    return (lifetime == Lifetime.RUN ? ofRun : ofSample).get(key, opening);
  }

  @Override
  public void close() {
    ofSample.close();
    sandboxes.close();
  }
}
