package dev.weir.eval.solver;

import dev.weir.eval.component.Arguments;
import dev.weir.eval.component.Component;
import dev.weir.eval.sample.EvalTool;
import dev.weir.eval.sample.SampleContext;
import dev.weir.eval.sample.ToolSource;
import dev.weir.eval.tool.Tools;
import dev.weir.model.ConfigurationException;
import dev.weir.model.Spelling;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Tools as a task names them: {@code [bash, {python: {timeout: 30}}]}. */
final class ToolList {

  static final String NAME = "tools";

  static final String DESCRIPTION = "names of tools, or {name: {argument: value}}";

  private ToolList() {}

  static List<ToolSource> read(Arguments arguments) {
    return read(arguments, Tools::find, Tools.names());
  }

  /**
   * @param find the table of tools
   */
  static List<ToolSource> read(
      Arguments arguments,
      Function<String, Optional<Component<ToolSource>>> find,
      Set<String> known) {
    Object given = arguments.value(NAME).orElse(List.of());
    List<ToolSource> tools = new ArrayList<>();
    for (Object item : given instanceof List<?> list ? list : List.of(given)) {
      String name = nameOf(item, arguments);
      Component<ToolSource> tool =
          find.apply(name)
              .orElseThrow(
                  () ->
                      arguments.wrong(
                          NAME,
                          "names '%s', which is no tool%s"
                              .formatted(name, Spelling.hint(name, known))));
      tools.add(tool.make(argumentsOf(tool, item, arguments)));
    }
    try {
      return checked(tools);
    } catch (ConfigurationException twice) {
      throw arguments.wrong(NAME, "cannot be used: " + twice.getMessage());
    }
  }

  /** Two tools of one name are told at once, as far as the names are known. */
  static List<ToolSource> checked(List<ToolSource> sources) {
    requireDistinct(names(known(sources)));
    return List.copyOf(sources);
  }

  /** Tools whose names are known before a sample asks for them. */
  static List<EvalTool> known(List<ToolSource> sources) {
    return sources.stream().filter(EvalTool.class::isInstance).map(EvalTool.class::cast).toList();
  }

  /** The tools of a sample: those it has, and those of the sources. */
  static List<EvalTool> open(
      List<EvalTool> earlier, List<ToolSource> sources, SampleContext context)
      throws InterruptedException {
    List<EvalTool> tools = new ArrayList<>(earlier);
    for (ToolSource source : sources) {
      tools.addAll(source.tools(context));
    }
    requireDistinct(names(tools));
    return tools;
  }

  /** A model calls a tool by its name. */
  static void requireDistinct(List<String> names) {
    Set<String> seen = new HashSet<>();
    for (String name : names) {
      if (!seen.add(name)) {
        throw new ConfigurationException(
            "two tools are called '%s'; leave one out, or give it another name".formatted(name));
      }
    }
  }

  static List<String> names(List<EvalTool> tools) {
    return tools.stream().map(tool -> tool.definition().name()).toList();
  }

  private static String nameOf(@Nullable Object item, Arguments arguments) {
    if (item instanceof Map<?, ?> map && map.size() == 1) {
      return String.valueOf(map.keySet().iterator().next());
    }
    if (item == null || item instanceof Map || item instanceof List) {
      throw arguments.wrong(NAME, "must be a list of names, or of one name each with arguments");
    }
    return item.toString();
  }

  private static Arguments argumentsOf(
      Component<ToolSource> tool, @Nullable Object item, Arguments arguments) {
    Map<String, @Nullable Object> values = new LinkedHashMap<>();
    Object given = item instanceof Map<?, ?> map ? map.values().iterator().next() : null;
    if (given instanceof Map<?, ?> named) {
      named.forEach((name, value) -> values.put(String.valueOf(name), value));
    } else if (given != null) {
      if (tool.parameters().isEmpty()) {
        throw arguments.wrong(NAME, "is wrong: '%s' takes no arguments".formatted(tool.name()));
      }
      values.put(tool.parameters().getFirst().name(), given);
    }
    return new Arguments(
        values,
        arguments.directory(),
        (name, rule) ->
            arguments.wrong(NAME, "is wrong: `%s` of '%s' %s".formatted(name, tool.name(), rule)));
  }
}
