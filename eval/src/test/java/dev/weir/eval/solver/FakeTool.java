package dev.weir.eval.solver;

import dev.weir.eval.sample.EvalTool;
import dev.weir.eval.sample.SampleContext;
import dev.weir.eval.sample.SampleState;
import dev.weir.model.Tool;
import dev.weir.model.ToolCall;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** A tool that takes two seconds, and keeps what it was given. */
final class FakeTool implements EvalTool {

  private final String name;
  private final Function<String, Result> does;
  private final List<String> given = new ArrayList<>();

  FakeTool(String name, Function<String, Result> does) {
    this.name = name;
    this.does = does;
  }

  static FakeTool giving(String name, String text) {
    return new FakeTool(name, _ -> Result.of(text));
  }

  List<String> given() {
    return given;
  }

  @Override
  public Tool definition() {
    return new Tool(name, "Does something.", "{\"type\":\"object\"}");
  }

  @Override
  public Result run(ToolCall call, SampleState state, SampleContext context)
      throws InterruptedException {
    given.add(call.arguments());
    context.time().sleep(Duration.ofSeconds(2));
    return does.apply(call.arguments());
  }
}
