package dev.weir.eval.solver;

import static dev.weir.eval.component.Parameter.Kind.FLAG;
import static dev.weir.eval.component.Parameter.Kind.LIST;
import static dev.weir.eval.component.Parameter.Kind.TEXT;

import dev.weir.eval.component.Arguments;
import dev.weir.eval.component.Component;
import dev.weir.eval.component.Parameter;
import dev.weir.eval.sample.EvalTool;
import dev.weir.eval.sample.SampleContext;
import dev.weir.eval.sample.SampleState;
import dev.weir.eval.sample.ToolSource;
import dev.weir.model.ConfigurationException;
import dev.weir.model.Spelling;
import dev.weir.model.ToolChoice;
import java.util.ArrayList;
import java.util.List;

/**
 * Lets the model call tools from here on.
 *
 * @param append whether those that are there stay
 */
record UseTools(List<ToolSource> tools, ToolChoice choice, boolean append) implements Solver {

  UseTools {
    tools = ToolList.checked(tools);
  }

  static Component<Solver> component() {
    return new Component<>(
        "use_tools",
        "Lets the model call tools from here on.",
        List.of(
            Parameter.required(ToolList.NAME, LIST, ToolList.DESCRIPTION),
            Parameter.optional(
                "tool_choice", TEXT, "auto; none; any: at least one; or the name of a tool"),
            Parameter.optional(
                "append", FLAG, "whether tools of earlier steps stay, false if not given")),
        UseTools::read);
  }

  private static UseTools read(Arguments arguments) {
    List<ToolSource> tools = ToolList.read(arguments);
    return new UseTools(tools, choice(arguments, tools), arguments.flag("append").orElse(false));
  }

  private static ToolChoice choice(Arguments arguments, List<ToolSource> tools) {
    String word = arguments.text("tool_choice").orElse("auto");
    return switch (word) {
      case "auto" -> new ToolChoice.Auto();
      case "none" -> new ToolChoice.None();
      case "any" -> {
        if (tools.isEmpty() && !arguments.flag("append").orElse(false)) {
          throw arguments.wrong("tool_choice", "must not be any without tools to call");
        }
        yield new ToolChoice.Required();
      }
      default -> {
        List<EvalTool> known = ToolList.known(tools);
        List<String> names = new ArrayList<>(ToolList.names(known));
        // What a server has is known only when it runs.
        if (!names.contains(word) && known.size() == tools.size()) {
          names.addAll(List.of("auto", "none", "any"));
          throw arguments.wrong(
              "tool_choice",
              "is no tool of this step: '%s'%s".formatted(word, Spelling.hint(word, names)));
        }
        yield new ToolChoice.Named(word);
      }
    };
  }

  @Override
  public void foresee(Foresight task) {
    task.tools().offer(tools, append);
    if (choice instanceof ToolChoice.Named(String tool)) {
      task.tools().require(tool);
    }
  }

  @Override
  public void solve(SampleState state, SampleContext context) throws InterruptedException {
    List<EvalTool> all = ToolList.open(append ? state.tools() : List.of(), tools, context);
    List<String> names = ToolList.names(all);
    if (choice instanceof ToolChoice.Named(String tool) && !names.contains(tool)) {
      throw new ConfigurationException(
          "the model must call '%s', which is no tool of this step%s"
              .formatted(tool, Spelling.hint(tool, names)));
    }
    state.setTools(all, choice);
  }
}
