package dev.weir.eval.promptfoo;

import dev.weir.model.Tool;
import dev.weir.model.ToolChoice;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The tools that a provider's configuration offers to the model, in the form of OpenAI, Anthropic
 * or Google.
 *
 * @param areFunctions whether they were given as {@code functions}: a call is then told alone
 */
record OfferedTools(List<Tool> tools, ToolChoice choice, boolean areFunctions) {

  static final OfferedTools NONE = new OfferedTools(List.of(), new ToolChoice.Auto(), false);

  OfferedTools {
    tools = List.copyOf(tools);
  }

  Optional<Tool> named(String name) {
    return tools.stream().filter(tool -> tool.name().equals(name)).findFirst();
  }

  /** Takes {@code tools}, {@code tool_choice}, {@code functions} and {@code function_call}. */
  static OfferedTools read(Section config, ConfigFiles files, Problems problems) {
    Optional<Value> functions = config.value("functions").flatMap(files::dataOf);
    Optional<Value> given = config.value("tools").flatMap(files::dataOf);
    List<Tool> tools = new ArrayList<>();
    for (Value tool : given.or(() -> functions).map(Value::oneOrMore).orElse(List.of())) {
      files.dataOf(tool).stream()
          .flatMap(read -> read.oneOrMore().stream())
          .forEach(one -> add(one, tools, problems));
    }
    Optional<Value> choice = config.value("tool_choice", "toolChoice", "function_call");
    return new OfferedTools(
        tools,
        choice.map(value -> choice(value, problems)).orElse(new ToolChoice.Auto()),
        given.isEmpty() && functions.isPresent());
  }

  private static void add(Value tool, List<Tool> tools, Problems problems) {
    Optional<Value> declarations =
        tool.member("functionDeclarations").or(() -> tool.member("function_declarations"));
    if (declarations.isPresent()) {
      declarations.get().oneOrMore().forEach(one -> add(one, tools, problems));
      return;
    }
    Value function = tool.member("function").or(() -> tool.member("toolSpec")).orElse(tool);
    Optional<String> name = function.member("name").flatMap(Value::text);
    Optional<String> type = tool.member("type").flatMap(Value::text);
    if (name.isEmpty()
        || type.filter(t -> !t.equals("function") && !t.equals("custom")).isPresent()) {
      String kind =
          type.or(() -> tool.entries().keySet().stream().findFirst())
              .map(" '%s'"::formatted)
              .orElse("");
      problems.unsupported(
          tool.place(), "the tool" + kind, "a tool must be a function with a `name`");
      return;
    }
    Value parameters =
        function
            .member("parameters")
            .or(() -> function.member("input_schema"))
            .or(() -> function.member("inputSchema").flatMap(schema -> schema.member("json")))
            .orElse(Value.ofPlain(Map.of("type", "object"), tool.place()));
    tools.add(
        new Tool(
            name.get(),
            function.member("description").flatMap(Value::text).orElse(""),
            Json.write(parameters.plain())));
  }

  private static ToolChoice choice(Value value, Problems problems) {
    Optional<String> name =
        value
            .member("function")
            .flatMap(function -> function.member("name"))
            .or(() -> value.member("name"))
            .flatMap(Value::text);
    if (name.isPresent()) {
      return new ToolChoice.Named(name.get());
    }
    String word = value.text().or(() -> value.member("type").flatMap(Value::text)).orElse("");
    return switch (word) {
      case "auto" -> new ToolChoice.Auto();
      case "none" -> new ToolChoice.None();
      case "required", "any" -> new ToolChoice.Required();
      default -> {
        problems.add(
            value.place(), "`tool_choice` must be auto, none, required or the name of a function");
        yield new ToolChoice.Auto();
      }
    };
  }
}
