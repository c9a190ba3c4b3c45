package dev.weir.eval.tool;

import dev.weir.eval.component.Component;
import dev.weir.eval.component.Parameter;
import dev.weir.eval.sample.EvalTool;
import dev.weir.eval.sample.ToolSource;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** The tools that a task can name, and makers of others. */
public final class Tools {

  private static final Parameter USER =
      Parameter.optional(
          "user", Parameter.Kind.TEXT, "who it runs as, in a docker sandbox (the image's user)");

  private static final List<Component<ToolSource>> COMPONENTS =
      List.of(
          new Component<>(
              "bash",
              "Runs command lines in the sandbox.",
              List.of(timeout(), USER, ToolOutput.LIMIT),
              arguments -> single(new Programs.Bash(Programs.of(arguments)))),
          new Component<>(
              "python",
              "Runs Python code in the sandbox.",
              List.of(timeout(), USER, ToolOutput.LIMIT),
              arguments -> single(new Programs.Python(Programs.of(arguments)))),
          new Component<>(
              TextEditor.NAME,
              "Shows and edits files of the sandbox.",
              List.of(ToolOutput.LIMIT),
              arguments -> single(new TextEditor(ToolOutput.limit(arguments)))),
          Mcp.COMPONENT);

  private static final Map<String, Component<ToolSource>> BY_NAME = new TreeMap<>();

  static {
    COMPONENTS.forEach(component -> BY_NAME.put(component.name(), component));
  }

  private Tools() {}

  private static Parameter timeout() {
    return ToolOutput.timeoutParameter(Programs.DEFAULTS.timeout());
  }

  public static Optional<Component<ToolSource>> find(String name) {
    return Optional.ofNullable(BY_NAME.get(name));
  }

  public static Set<String> names() {
    return BY_NAME.keySet();
  }

  public static List<Component<ToolSource>> all() {
    return COMPONENTS;
  }

  /** Runs command lines in the sandbox, for at most 10 minutes each. */
  public static EvalTool bash() {
    return single(new Programs.Bash(Programs.DEFAULTS));
  }

  public static EvalTool bash(Duration timeout) {
    return single(new Programs.Bash(Programs.DEFAULTS.within(timeout)));
  }

  /** Runs Python code in the sandbox, for at most 10 minutes each. */
  public static EvalTool python() {
    return single(new Programs.Python(Programs.DEFAULTS));
  }

  public static EvalTool python(Duration timeout) {
    return single(new Programs.Python(Programs.DEFAULTS.within(timeout)));
  }

  /** Shows and edits files of the sandbox. */
  public static EvalTool textEditor() {
    return single(new TextEditor(ToolOutput.DEFAULT_LIMIT));
  }

  /** The tools of an MCP server, which is started as a program and spoken to over its streams. */
  public static ToolSource mcp(String... command) {
    return Mcp.of(List.of(command));
  }

  /** As {@link #mcp(String...)}, with more to say. */
  public static ToolSource mcp(McpProgram program) {
    return new Mcp(program);
  }

  /**
   * The methods of an object that have a {@link ToolMethod}, ordered by name.
   *
   * @throws IllegalArgumentException if there is none, or a model could not be told how to call one
   */
  public static List<EvalTool> of(Object bean) {
    return JavaTool.of(bean);
  }

  /**
   * A function as a tool.
   *
   * @param description what it does, for the model
   * @param schemaJson the JSON schema of its arguments, an object
   */
  public static EvalTool function(
      String name, String description, String schemaJson, ToolFunction function) {
    return new FunctionTool(name, description, schemaJson, function);
  }

  private static EvalTool single(Object bean) {
    return JavaTool.of(bean).getFirst();
  }
}
