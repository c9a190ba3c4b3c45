package dev.weir.eval.task;

import dev.weir.eval.dataset.InputFile;
import dev.weir.eval.dataset.YamlText;
import dev.weir.model.ConfigurationException;
import dev.weir.model.YamlWords;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.common.ScalarStyle;
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

/** Reads YAML as a tree whose nodes know their file and place. */
final class YamlTree {

  /** Aliases of aliases could otherwise stand for more than there is memory. */
  private static final int MOST_VALUES = 1_000_000;

  private static final int DEEPEST = 100;

  private YamlTree() {}

  /**
   * @throws ConfigurationException if the file cannot be read, is empty or not YAML
   */
  static Node read(Path file) {
    LoadSettings settings =
        LoadSettings.builder()
            .setLabel(file.toString())
            .setAllowDuplicateKeys(false)
            .setAllowNonScalarKeys(true)
            // InputFile bounds it.
            .setCodePointLimit(Integer.MAX_VALUE)
            .build();
    String text = InputFile.text(file);
    try {
      var parser = new ShallowParser(settings, text);
      Optional<Node> root = new Composer(settings, parser).getSingleNode();
      if (root.isEmpty()) {
        throw new ConfigurationException("%s, line 1, column 1: the file is empty".formatted(file));
      }
      MergeKeys.resolve(root.get());
      return root.get();
    } catch (MarkedYamlEngineException broken) {
      throw new ConfigurationException(
          YamlWords.message(
              file.toString(),
              text,
              broken.getProblem(),
              broken.getProblemMark().map(Mark::getLine).orElse(0) + 1,
              broken.getProblemMark().map(Mark::getColumn).orElse(0) + 1,
              broken.getContextMark().map(YamlTree::place)),
          broken);
    } catch (YamlEngineException broken) {
      throw new ConfigurationException(
          YamlWords.message(file.toString(), text, String.valueOf(broken.getMessage())), broken);
    }
  }

  /** Text, numbers, booleans, lists and maps of them. */
  static @Nullable Object value(Node node) {
    return value(node, YamlTree::scalar);
  }

  /**
   * @param scalars what a scalar means
   */
  static @Nullable Object value(Node node, Function<ScalarNode, @Nullable Object> scalars) {
    return new Values(scalars).of(node, 0);
  }

  private static final class Values {

    private final Function<ScalarNode, @Nullable Object> scalars;
    private int count;

    Values(Function<ScalarNode, @Nullable Object> scalars) {
      this.scalars = scalars;
    }

    @Nullable Object of(Node node, int depth) {
      if (++count > MOST_VALUES || depth > DEEPEST) {
        throw problem(node, "aliases make too much of this");
      }
      return switch (node) {
        case SequenceNode sequence -> {
          List<@Nullable Object> items = new ArrayList<>();
          sequence.getValue().forEach(item -> items.add(of(item, depth + 1)));
          yield items;
        }
        case MappingNode mapping -> {
          Map<String, @Nullable Object> members = new LinkedHashMap<>();
          for (NodeTuple tuple : mapping.getValue()) {
            if (!(tuple.getKeyNode() instanceof ScalarNode key) || key.getTag().equals(Tag.NULL)) {
              throw problem(
                  tuple.getKeyNode(),
                  "a key must be text"
                      + (tuple.getKeyNode() instanceof MappingNode ? YamlFile.QUOTE : ""));
            }
            if (members.containsKey(key.getValue())) {
              throw problem(key, "the key '%s' is there twice".formatted(key.getValue()));
            }
            members.put(key.getValue(), of(tuple.getValueNode(), depth + 1));
          }
          yield members;
        }
        case ScalarNode scalar -> scalars.apply(scalar);
        default -> throw problem(node, "this cannot be read here");
      };
    }
  }

  /** What a scalar means by its own type. */
  static @Nullable Object scalar(ScalarNode scalar) {
    Tag tag = scalar.getTag();
    boolean isTyped =
        tag.equals(Tag.NULL)
            || tag.equals(Tag.BOOL)
            || tag.equals(Tag.INT)
            || tag.equals(Tag.FLOAT);
    return isTyped ? YamlText.plain(scalar.getValue()) : scalar.getValue();
  }

  /** The line and column of a node. */
  static String place(Node node) {
    return node.getStartMark().map(YamlTree::place).orElse("unknown place");
  }

  /**
   * File, line and column of a part of a scalar's text; empty if it is not written there as it is
   * read: lines that are folded, for example, or with something put in.
   */
  static Optional<String> placeWithin(Node node, String text, int offset) {
    Optional<Mark> mark = node.getStartMark();
    if (!(node instanceof ScalarNode scalar) || mark.isEmpty()) {
      return Optional.empty();
    }
    int from = text.lastIndexOf('\n', Math.max(0, offset - 1)) + 1;
    int to = text.indexOf('\n', offset) < 0 ? text.length() : text.indexOf('\n', offset);
    boolean isBlock = scalar.getScalarStyle() == ScalarStyle.LITERAL;
    long row = text.substring(0, from).chars().filter(c -> c == '\n').count();
    if (from > offset || (row > 0 && !isBlock)) {
      return Optional.empty();
    }
    long line = mark.get().getLine() + (isBlock ? row + 1 : 0);
    try (Stream<String> lines = Files.lines(file(node))) {
      int start = isBlock ? 0 : mark.get().getColumn();
      return lines
          .skip(line)
          .findFirst()
          .map(written -> written.indexOf(text.substring(from, to), start))
          .filter(column -> column >= 0)
          .map(
              column ->
                  "%s, line %s, column %s"
                      .formatted(file(node), line + 1, column + offset - from + 1));
    } catch (IOException | UncheckedIOException gone) {
      return Optional.empty();
    }
  }

  /** The file that a node stands in. */
  static Path file(Node node) {
    return Path.of(node.getStartMark().map(Mark::getName).orElse(""));
  }

  /** An error with file, line and column of a node. */
  static ConfigurationException problem(Node node, String problem) {
    return new ConfigurationException("%s, %s: %s".formatted(file(node), place(node), problem));
  }

  private static String place(Mark mark) {
    return "line %s, column %s".formatted(mark.getLine() + 1, mark.getColumn() + 1);
  }
}
