package dev.weir.eval.task;

import dev.weir.eval.component.Arguments;
import dev.weir.eval.component.Component;
import dev.weir.log.RunStart.Step;
import dev.weir.model.ConfigurationException;
import dev.weir.model.Spelling;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.nodes.Node;

/**
 * Components of one kind as a task file names them: alone, with the first argument, or with
 * arguments by name.
 *
 * @param kind for people: {@code solver}
 */
record Components<T>(
    YamlFile yaml,
    Map<String, @Nullable Object> variables,
    String kind,
    Function<String, Optional<Component<T>>> find,
    Set<String> known) {

  /** A component, and what it was called. */
  record Made<T>(String name, T component) {}

  /**
   * @param beside keys that may stand beside the name, and are not for the component
   */
  Made<T> make(Node node, Set<String> beside) {
    if (!yaml.isMapping(node)) {
      String name = yaml.text(node, "a " + kind);
      Component<T> component = found(node, name);
      return new Made<>(name, component.make(arguments(node, Map.of(), Optional.empty())));
    }
    Map<String, Node> entry = yaml.mapping(node, "a " + kind);
    List<String> names = entry.keySet().stream().filter(key -> !beside.contains(key)).toList();
    if (names.size() != 1) {
      throw YamlFile.problem(
          node, "a %s must be a name, or one name with its arguments".formatted(kind));
    }
    String name = names.getFirst();
    Node named = yaml.keyNode(node, name);
    Component<T> component = found(named, name);
    Node given = entry.getOrDefault(name, named);
    // Who gives the first argument alone knows it by the name of the component.
    Optional<String> shown = yaml.isMapping(given) ? Optional.empty() : Optional.of(name);
    return new Made<>(
        name, component.make(arguments(named, argumentNodes(component, given), shown)));
  }

  /** A component as it was written, once it was made. */
  Step written(Node node, Set<String> beside) {
    if (!yaml.isMapping(node)) {
      return new Step(yaml.text(node, "a " + kind), Map.of());
    }
    Map<String, Node> entries = new LinkedHashMap<>(yaml.mapping(node, "a " + kind));
    entries.keySet().removeAll(beside);
    Map.Entry<String, Node> entry = entries.entrySet().iterator().next();
    Map<String, Object> arguments = new LinkedHashMap<>();
    argumentNodes(found(node, entry.getKey()), entry.getValue())
        .forEach(
            (name, given) -> {
              Object value = yaml.value(given);
              if (value != null) {
                arguments.put(name, value);
              }
            });
    return new Step(entry.getKey(), arguments);
  }

  private Map<String, Node> argumentNodes(Component<T> component, Node given) {
    if (yaml.isNull(given)) {
      return Map.of();
    }
    if (yaml.isMapping(given)) {
      return yaml.mapping(given, "the arguments of '%s'".formatted(component.name()));
    }
    if (component.parameters().isEmpty()) {
      throw YamlFile.problem(given, "'%s' takes no arguments".formatted(component.name()));
    }
    return Map.of(component.parameters().getFirst().name(), given);
  }

  private Component<T> found(Node node, String name) {
    return find.apply(name)
        .orElseThrow(
            () ->
                YamlFile.problem(
                    node,
                    "there is no %s '%s'%s".formatted(kind, name, Spelling.hint(name, known))));
  }

  /**
   * @param shown the key of arguments for people, if it is not their name
   */
  private Arguments arguments(Node component, Map<String, Node> nodes, Optional<String> shown) {
    Map<String, @Nullable Object> values = new LinkedHashMap<>();
    nodes.forEach((name, node) -> values.put(name, yaml.value(node)));
    return new Arguments(
        values,
        yaml.directory(component),
        new Arguments.Places() {
          @Override
          public ConfigurationException wrong(String name, String rule) {
            Node node = nodes.getOrDefault(name, component);
            return YamlFile.problem(node, "`%s` %s".formatted(key(name), rule));
          }

          @Override
          public Optional<String> placeOf(String name, String text, int offset) {
            return Optional.ofNullable(nodes.get(name))
                .flatMap(node -> YamlTree.placeWithin(node, text, offset))
                .map(place -> "%s: `%s`".formatted(place, key(name)));
          }

          private String key(String name) {
            return nodes.containsKey(name) ? shown.orElse(name) : name;
          }
        },
        variables);
  }
}
