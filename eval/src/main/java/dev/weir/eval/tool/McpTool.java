package dev.weir.eval.tool;

import dev.weir.eval.sample.EvalTool;
import dev.weir.eval.sample.SampleContext;
import dev.weir.eval.sample.SampleState;
import dev.weir.model.Tool;
import dev.weir.model.ToolCall;

/**
 * A tool of an MCP server.
 *
 * @param name as the server knows it; the model may know it by another
 */
record McpTool(McpServer server, String name, Tool definition) implements EvalTool {

  @Override
  public Result run(ToolCall call, SampleState state, SampleContext context)
      throws InterruptedException {
    try {
      return server.call(name, CallJson.arguments(call));
    } catch (ToolException told) {
      return told.result();
    }
  }
}
