package dev.weir.eval.task;

import dev.weir.eval.sandbox.SandboxSpec;
import dev.weir.model.ConfigurationException;
import java.io.File;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.snakeyaml.engine.v2.nodes.Node;

/** The sandbox of a task file: {@code docker:python:3.13}, or a mapping with its settings. */
final class SandboxEntry {

  /** Keys of the mapping, in the order to show them. */
  static final List<String> KEYS =
      List.of(
          "type",
          "image",
          "network",
          "processes",
          "cpu_time",
          "memory",
          "file_size",
          "cpus",
          "mounts",
          "output_limit",
          "file_limit",
          "env");

  private static final Pattern NAMED = Pattern.compile("^sandbox `(\\w+)`");

  private final YamlFile yaml;

  SandboxEntry(YamlFile yaml) {
    this.yaml = yaml;
  }

  SandboxSpec read(Node node) {
    if (!yaml.isMapping(node)) {
      return spec(node, Map.of(), yaml.text(node, "`sandbox`"), Map.of(), Map.of());
    }
    Map<String, Node> entries = yaml.mapping(node, "`sandbox`", KEYS);
    Node type = entries.get("type");
    if (type == null) {
      throw YamlFile.problem(node, "`sandbox` has no `type`, such as docker");
    }
    Map<String, String> options = new LinkedHashMap<>();
    Map<String, String> environment = new LinkedHashMap<>();
    entries.forEach(
        (key, value) -> {
          switch (key) {
            case "type" -> {}
            case "env" ->
                yaml.mapping(value, "`env`")
                    .forEach(
                        (name, text) ->
                            environment.put(name, yaml.text(text, "`%s`".formatted(name))));
            case "mounts" -> options.put(key, mounts(value));
            default -> options.put(key, yaml.text(value, "`%s`".formatted(key)));
          }
        });
    return spec(node, entries, yaml.text(type, "`type`"), options, environment);
  }

  private String mounts(Node node) {
    return String.join(
        File.pathSeparator,
        yaml.items(node).stream()
            .map(
                item ->
                    yaml.resolve(item, "`mounts`", yaml.text(item, "`mounts`"))
                        .toAbsolutePath()
                        .toString())
            .toList());
  }

  private static SandboxSpec spec(
      Node node,
      Map<String, Node> entries,
      String type,
      Map<String, String> options,
      Map<String, String> environment) {
    try {
      return SandboxSpec.of(type, options, environment);
    } catch (ConfigurationException wrong) {
      String message = String.valueOf(wrong.getMessage());
      Matcher named = NAMED.matcher(message);
      Node place = named.find() ? entries.getOrDefault(named.group(1), node) : node;
      throw YamlFile.problem(place, message);
    }
  }
}
