package dev.weir.eval.sample;

import java.util.List;
import java.util.Optional;

/** Where tools come from: one tool, or a server that has several. Thread-safe. */
public interface ToolSource {

  /**
   * The tools for a sample; what they need until its end is opened for it, and closed with it.
   *
   * @throws dev.weir.model.ConfigurationException if there are none to be had as asked
   */
  List<EvalTool> tools(SampleContext context) throws InterruptedException;

  /** What it is called, if it cannot work without the sandbox of a task. */
  default Optional<String> sandboxedName() {
    return Optional.empty();
  }
}
