package dev.weir.eval.sample;

import java.util.List;

/** Where tools come from: one tool, or a server that has several. Thread-safe. */
public interface ToolSource {

  /**
   * The tools for a sample; what they need until its end is opened for it, and closed with it.
   *
   * @throws dev.weir.model.ConfigurationException if there are none to be had as asked
   */
  List<EvalTool> tools(SampleContext context) throws InterruptedException;

  /**
   * Says before the first call what its tools are called, and fails if they could not do their
   * work.
   *
   * @return nothing if that is known only when a sample asks for them
   * @throws dev.weir.model.ConfigurationException what is missing, and what to do
   */
  default List<String> foresee(Outset outset) throws InterruptedException {
    return List.of();
  }
}
