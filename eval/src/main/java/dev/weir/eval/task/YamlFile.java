package dev.weir.eval.task;

import dev.weir.eval.dataset.InputFile;
import dev.weir.eval.dataset.YamlText;
import dev.weir.model.ConfigurationException;
import dev.weir.model.Spelling;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.common.ScalarStyle;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import org.snakeyaml.engine.v2.nodes.Tag;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * A YAML document as a tree whose nodes know their file and place; problems are told with them.
 * What stands in scalars for something else is put in as they are read.
 */
final class YamlFile {

  private static final JsonMapper JSON = new JsonMapper();
  static final String QUOTE = "; put a text with {{ }} in quotes";

  private final Path file;
  private final Node root;
  private final Substitution substitution;

  private YamlFile(Path file, Node root, Substitution substitution) {
    this.file = file;
    this.root = root;
    this.substitution = substitution;
  }

  static YamlFile read(Path file, Substitution substitution) {
    InputFile.requireFile(file, "a task");
    return new YamlFile(file, YamlTree.read(file), substitution);
  }

  /** A part of it, as if it was a file of its own. */
  YamlFile at(Node part) {
    return new YamlFile(file, part, substitution);
  }

  Path path() {
    return file;
  }

  Node root() {
    return root;
  }

  /** The entries of a mapping, all of whose keys must be known. */
  Map<String, Node> mapping(Node node, String what, Collection<String> known) {
    Map<String, Node> entries = mapping(node, what);
    for (Map.Entry<String, Node> entry : entries.entrySet()) {
      if (!known.contains(entry.getKey())) {
        throw problem(
            keyNode(node, entry.getKey()),
            "unknown key '%s'%s".formatted(entry.getKey(), Spelling.hint(entry.getKey(), known)));
      }
    }
    return entries;
  }

  Map<String, Node> mapping(Node node, String what) {
    if (!(node instanceof MappingNode mapping)) {
      throw problem(node, "%s must be a mapping (key: value)".formatted(what));
    }
    Map<String, Node> entries = new LinkedHashMap<>();
    for (NodeTuple tuple : mapping.getValue()) {
      String key = key(tuple.getKeyNode());
      if (entries.putIfAbsent(key, tuple.getValueNode()) != null) {
        throw problem(tuple.getKeyNode(), "the key '%s' is there twice".formatted(key));
      }
    }
    return entries;
  }

  private static String key(Node node) {
    if (!(node instanceof ScalarNode scalar) || scalar.getTag().equals(Tag.NULL)) {
      throw problem(node, "a key must be text" + (node instanceof MappingNode ? QUOTE : ""));
    }
    return scalar.getValue();
  }

  /** YAML takes braces that are not quoted for mappings. */
  private static String quoteHint(Node node) {
    boolean isDoubled =
        node instanceof MappingNode mapping
            && mapping.getValue().size() == 1
            && mapping.getValue().getFirst().getKeyNode() instanceof MappingNode;
    return isDoubled ? QUOTE : "";
  }

  /** What relative paths in a node start from: the directory of the file that it stands in. */
  Path directory(Node node) {
    Path parent = YamlTree.file(node).getParent();
    return parent == null ? Path.of("") : parent;
  }

  /** A path, relative to the file that the node stands in. */
  Path resolve(Node node, String what, String text) {
    if (text.isBlank()) {
      throw problem(node, "%s must not be empty".formatted(what));
    }
    try {
      Path path = YamlTree.file(node).resolveSibling(text).normalize();
      return path.toString().isEmpty() ? Path.of(".") : path;
    } catch (InvalidPathException malformed) {
      throw problem(node, "%s is not a path: '%s'".formatted(what, text));
    }
  }

  boolean isMapping(Node node) {
    return node instanceof MappingNode;
  }

  boolean isNull(Node node) {
    return node instanceof ScalarNode scalar && scalar.getTag().equals(Tag.NULL);
  }

  boolean isSequence(Node node) {
    return node instanceof SequenceNode;
  }

  List<Node> sequence(Node node, String what) {
    if (!(node instanceof SequenceNode sequence)) {
      throw problem(node, "%s must be a list".formatted(what));
    }
    return sequence.getValue();
  }

  /** The items of a list, or the one that stands alone. */
  List<Node> items(Node node) {
    return node instanceof SequenceNode sequence ? sequence.getValue() : List.of(node);
  }

  /** The text of a scalar, whatever its type. */
  String text(Node node, String what) {
    if (!(node instanceof ScalarNode scalar)) {
      throw problem(node, "%s must be text%s".formatted(what, quoteHint(node)));
    }
    if (scalar.getTag().equals(Tag.NULL)) {
      throw problem(node, "%s must not be empty".formatted(what));
    }
    return substitution.all(scalar, substitution.environment(scalar, scalar.getValue()));
  }

  /** The text of a scalar, or a list or mapping, also one that a variable stands for, as JSON. */
  String word(Node node, String what) {
    boolean isText =
        node instanceof ScalarNode scalar
            && substitution
                .whole(substitution.environment(scalar, scalar.getValue()))
                .filter(value -> value instanceof List || value instanceof Map)
                .isEmpty();
    return isText ? text(node, what) : JSON.writeValueAsString(value(node));
  }

  /** As {@link #word} of a mapping, some of whose values are paths relative to the file. */
  String wordWithPaths(Node node, String what, Set<String> paths) {
    Map<String, @Nullable Object> values = new LinkedHashMap<>();
    mapping(node, what)
        .forEach(
            (key, member) ->
                values.put(
                    key,
                    paths.contains(key) ? path(member, "`%s`".formatted(key)) : value(member)));
    return JSON.writeValueAsString(values);
  }

  private String path(Node node, String what) {
    return resolve(node, what, text(node, what)).toString();
  }

  /** Text, numbers, booleans, lists and maps of them. */
  @Nullable Object value(Node node) {
    return YamlTree.value(node, this::scalar);
  }

  private @Nullable Object scalar(ScalarNode scalar) {
    String expanded = substitution.environment(scalar, scalar.getValue());
    var whole = substitution.whole(expanded);
    if (whole.isPresent() && !(whole.get() instanceof String)) {
      return whole.get();
    }
    String text = substitution.known(scalar, expanded);
    if (text.equals(scalar.getValue())) {
      return YamlTree.scalar(scalar);
    }
    return scalar.getScalarStyle() == ScalarStyle.PLAIN ? typed(text) : text;
  }

  /** What a text means that stands without quotes; lists and mappings as in JSON. */
  static @Nullable Object typed(String text) {
    if (text.startsWith("[") || text.startsWith("{")) {
      try {
        return JSON.readValue(text, Object.class);
      } catch (JacksonException onlyText) {
        return text;
      }
    }
    return YamlText.plain(text);
  }

  String placeOf(Node node) {
    return YamlTree.place(node);
  }

  static ConfigurationException problem(Node node, String problem) {
    return YamlTree.problem(node, problem);
  }

  /** Where a key of a mapping stands. */
  Node keyNode(Node node, String key) {
    if (!(node instanceof MappingNode mapping)) {
      return node;
    }
    return mapping.getValue().stream()
        .map(NodeTuple::getKeyNode)
        .filter(keyed -> keyed instanceof ScalarNode scalar && scalar.getValue().equals(key))
        .findFirst()
        .orElse(mapping);
  }
}
