package dev.weir.eval.sample;

import dev.weir.model.Tool;
import dev.weir.model.ToolCall;
import java.util.List;

/** A tool that a model may call, with what it does. Thread-safe. */
public interface EvalTool extends ToolSource {

  /** Itself. */
  @Override
  default List<EvalTool> tools(SampleContext context) {
    return List.of(this);
  }

  @Override
  default List<String> foresee(Outset outset) throws InterruptedException {
    return List.of(definition().name());
  }

  /** What the model is told of it. */
  Tool definition();

  /**
   * Does what the model asked for. What the model should know of a failure is a result; an
   * exception fails the sample.
   *
   * @param call its arguments are JSON as the model wrote it, and may be malformed
   */
  Result run(ToolCall call, SampleState state, SampleContext context) throws InterruptedException;

  /**
   * What a tool gave back.
   *
   * @param failed whether {@code text} says what went wrong
   * @param timedOut whether it failed because it took too long
   */
  record Result(String text, boolean failed, boolean timedOut) {

    /** One of a tool that did not take too long. */
    public Result(String text, boolean failed) {
      this(text, failed, false);
    }

    public static Result of(String text) {
      return new Result(text, false);
    }

    public static Result failure(String text) {
      return new Result(text, true);
    }

    /** It took too long. */
    public static Result timeout(String text) {
      return new Result(text, true, true);
    }
  }
}
