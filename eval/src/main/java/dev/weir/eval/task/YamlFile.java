package dev.weir.eval.task;

import dev.weir.eval.dataset.InputFile;
import dev.weir.model.ConfigurationException;
import dev.weir.model.Spelling;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.composer.Composer;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import org.snakeyaml.engine.v2.nodes.Tag;
import tools.jackson.databind.json.JsonMapper;

/** A YAML document as a tree whose nodes know their place; problems are told with it. */
final class YamlFile {

  private final Path file;
  private final Node root;

  private static final JsonMapper JSON = new JsonMapper();

  private YamlFile(Path file, Node root) {
    this.file = file;
    this.root = root;
  }

  static YamlFile read(Path file) {
    InputFile.requireFile(file, "a task");
    LoadSettings settings =
        LoadSettings.builder().setLabel(file.toString()).setAllowDuplicateKeys(false).build();
    try {
      String text = Files.readString(file);
      var composer = new Composer(settings, new ShallowParser(settings, text));
      Optional<Node> root = composer.getSingleNode();
      if (root.isEmpty()) {
        throw new ConfigurationException("%s: the file is empty".formatted(file));
      }
      return new YamlFile(file, root.get());
    } catch (IOException unreadable) {
      throw InputFile.unreadable(file, unreadable);
    } catch (MarkedYamlEngineException broken) {
      String place = broken.getProblemMark().map(YamlFile::place).orElse("unknown place");
      throw new ConfigurationException(
          "%s, %s: the file is not YAML: %s".formatted(file, place, broken.getProblem()), broken);
    } catch (YamlEngineException broken) {
      throw new ConfigurationException(
          "%s: the file is not YAML: %s".formatted(file, broken.getMessage()), broken);
    }
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
      String key = text(tuple.getKeyNode(), "a key");
      if (entries.putIfAbsent(key, tuple.getValueNode()) != null) {
        throw problem(tuple.getKeyNode(), "the key '%s' is there twice".formatted(key));
      }
    }
    return entries;
  }

  /** What relative paths start from. */
  Path directory() {
    Path parent = file.getParent();
    return parent == null ? Path.of("") : parent;
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

  Iterable<Node> sequence(Node node, String what) {
    if (!(node instanceof SequenceNode sequence)) {
      throw problem(node, "%s must be a list".formatted(what));
    }
    return sequence.getValue();
  }

  /** The text of a scalar, whatever its type. */
  String text(Node node, String what) {
    if (!(node instanceof ScalarNode scalar) || scalar.getTag().equals(Tag.NULL)) {
      throw problem(node, "%s must be text".formatted(what));
    }
    return scalar.getValue();
  }

  /** The text of a scalar, or a list or mapping as JSON. */
  String word(Node node, String what) {
    return node instanceof ScalarNode ? text(node, what) : JSON.writeValueAsString(value(node));
  }

  /** Text, numbers, booleans, lists and maps of them. */
  @Nullable Object value(Node node) {
    return switch (node) {
      case SequenceNode sequence -> sequence.getValue().stream().map(this::value).toList();
      case MappingNode mapping -> {
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        mapping(mapping, "this").forEach((key, member) -> members.put(key, value(member)));
        yield members;
      }
      case ScalarNode scalar -> scalar(scalar);
      default -> throw problem(node, "this cannot be read here");
    };
  }

  private static @Nullable Object scalar(ScalarNode scalar) {
    Tag tag = scalar.getTag();
    if (tag.equals(Tag.NULL)) {
      return null;
    }
    if (tag.equals(Tag.BOOL)) {
      return scalar.getValue().equalsIgnoreCase("true");
    }
    return tag.equals(Tag.INT) || tag.equals(Tag.FLOAT)
        ? number(scalar.getValue())
        : scalar.getValue();
  }

  /** What only YAML takes for a number stays text. */
  private static Object number(String text) {
    try {
      BigDecimal number = new BigDecimal(text);
      return number.scale() <= 0 && number.abs().compareTo(BigDecimal.valueOf(1L << 53)) < 0
          ? (Object) number.longValue()
          : number;
    } catch (NumberFormatException onlyYaml) {
      return text;
    }
  }

  long whole(Node node, String what, long least, long most) {
    String text = text(node, what);
    try {
      long value = Long.parseLong(text);
      if (value >= least && value <= most) {
        return value;
      }
    } catch (NumberFormatException notANumber) {
      // Reported below, like a number out of range.
    }
    throw problem(
        node,
        "%s must be a whole number from %s to %s, was '%s'".formatted(what, least, most, text));
  }

  String placeOf(Node node) {
    return node.getStartMark().map(YamlFile::place).orElse("unknown place");
  }

  ConfigurationException problem(Node node, String problem) {
    return new ConfigurationException("%s, %s: %s".formatted(file, placeOf(node), problem));
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

  private static String place(Mark mark) {
    return "line %s, column %s".formatted(mark.getLine() + 1, mark.getColumn() + 1);
  }
}
