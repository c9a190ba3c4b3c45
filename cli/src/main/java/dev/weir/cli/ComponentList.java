package dev.weir.cli;

import dev.weir.eval.component.Component;
import dev.weir.eval.component.Parameter;
import dev.weir.model.ConfigurationException;
import dev.weir.model.Spelling;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * What a task can name: scorers, solvers or tools, with their arguments.
 *
 * @param kind in the singular: {@code scorer}
 */
record ComponentList(String kind, List<? extends Component<?>> all) {

  private static final JsonMapper JSON = new JsonMapper();

  /** Narrower columns of text are harder to read than lines that the terminal breaks. */
  private static final int LEAST_TEXT = 30;

  private static final String GAP = " ".repeat(Grid.GAP);

  /**
   * @param names which to describe with their arguments; all, in short, if there is none
   * @throws ConfigurationException if there is none of a name
   */
  void print(Surroundings surroundings, List<String> names, boolean asJson) {
    List<Component<?>> chosen = chosen(names);
    if (asJson) {
      chosen.forEach(component -> surroundings.out().println(document(component)));
      return;
    }
    var lines = new Lines(surroundings.out(), surroundings.columns());
    if (names.isEmpty()) {
      table(lines, chosen);
      surroundings.out().println();
      surroundings.out().println("weir list %ss NAME describes its arguments.".formatted(kind));
      return;
    }
    chosen.forEach(component -> describe(lines, component));
  }

  private List<Component<?>> chosen(List<String> names) {
    List<Component<?>> chosen = new ArrayList<>();
    if (names.isEmpty()) {
      chosen.addAll(all);
      chosen.sort(Comparator.comparing(Component::name));
    }
    for (String name : names) {
      chosen.add(
          all.stream()
              .filter(component -> component.name().equals(name))
              .findFirst()
              .orElseThrow(() -> unknown(name)));
    }
    return chosen;
  }

  private ConfigurationException unknown(String name) {
    List<String> known = all.stream().<String>map(Component::name).toList();
    return new ConfigurationException(
        "there is no %s '%s'%s".formatted(kind, name, Spelling.hint(name, known)));
  }

  private static void table(Lines lines, List<Component<?>> components) {
    int width =
        components.stream().mapToInt(component -> component.name().length()).max().orElse(0);
    for (Component<?> component : components) {
      String arguments =
          component.parameters().stream().map(Parameter::name).collect(Collectors.joining(", "));
      lines.row(
          Cells.fit(component.name(), width, false),
          component.description() + (arguments.isEmpty() ? "" : " [%s]".formatted(arguments)));
    }
  }

  private static void describe(Lines lines, Component<?> component) {
    lines.row(component.name(), component.description());
    int width = component.parameters().stream().mapToInt(it -> it.name().length()).max().orElse(0);
    for (Parameter parameter : component.parameters()) {
      lines.row(
          GAP + Cells.fit(parameter.name(), width, false),
          parameter.description() + (parameter.required() ? " Required." : ""));
    }
  }

  /** Names with texts beside them, in lines that fit. */
  private record Lines(PrintWriter out, int columns) {

    void row(String name, String text) {
      int room = Math.max(LEAST_TEXT, columns - name.length() - Grid.GAP);
      String start = name;
      var line = new StringBuilder();
      for (String word : text.split(" ", -1)) {
        if (!line.isEmpty() && line.length() + 1 + word.length() > room) {
          out.println(start + GAP + line);
          start = " ".repeat(name.length());
          line.setLength(0);
        }
        line.append(line.isEmpty() ? "" : " ").append(word);
      }
      out.println(start + GAP + line);
    }
  }

  private static ObjectNode document(Component<?> component) {
    ObjectNode document =
        JSON.createObjectNode()
            .put("name", component.name())
            .put("description", component.description());
    var parameters = document.putArray("parameters");
    for (Parameter parameter : component.parameters()) {
      parameters
          .addObject()
          .put("name", parameter.name())
          .put("kind", parameter.kind().name().toLowerCase(Locale.ROOT))
          .put("required", parameter.required())
          .put("description", parameter.description());
    }
    return document;
  }
}
