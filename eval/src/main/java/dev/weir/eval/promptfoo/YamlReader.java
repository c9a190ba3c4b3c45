package dev.weir.eval.promptfoo;

import dev.weir.eval.dataset.InputFile;
import dev.weir.model.ConfigurationException;
import dev.weir.model.YamlWords;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.composer.Composer;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.ParserException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import org.snakeyaml.engine.v2.nodes.Tag;
import org.snakeyaml.engine.v2.parser.ParserImpl;
import org.snakeyaml.engine.v2.scanner.StreamReader;
import org.snakeyaml.engine.v2.schema.CoreSchema;

/**
 * Reads YAML, and so JSON, into values that know their place; anchors, references and merge keys
 * are resolved.
 */
final class YamlReader {

  private static final int DEEPEST = 100;

  /** References to references can make a short file endless. */
  private static final int MOST_VALUES = 5_000_000;

  private static final String MERGE = "<<";

  private final Path file;
  private int values;

  private YamlReader(Path file) {
    this.file = file;
  }

  /**
   * @throws ConfigurationException if the file is not YAML, with its place
   */
  static Value read(Path file) {
    InputFile.requireFile(file, "a configuration");
    return parse(file, InputFile.text(file));
  }

  static Value parse(Path file, String text) {
    var reader = new YamlReader(file);
    return reader.value(reader.root(text), 0);
  }

  /** The keys of the top that hold something another place refers to by an anchor. */
  static Set<String> anchored(Path file) {
    var reader = new YamlReader(file);
    Set<String> keys = new LinkedHashSet<>();
    if (reader.root(InputFile.text(file)) instanceof MappingNode mapping) {
      for (NodeTuple tuple : mapping.getValue()) {
        if (tuple.getKeyNode() instanceof ScalarNode key
            && hasAnchor(tuple.getValueNode(), DEEPEST)) {
          keys.add(key.getValue());
        }
      }
    }
    return keys;
  }

  private static boolean hasAnchor(Node node, int depth) {
    if (node.getAnchor().isPresent()) {
      return true;
    }
    if (depth == 0) {
      return false;
    }
    return switch (node) {
      case MappingNode mapping ->
          mapping.getValue().stream().anyMatch(t -> hasAnchor(t.getValueNode(), depth - 1));
      case SequenceNode sequence ->
          sequence.getValue().stream().anyMatch(member -> hasAnchor(member, depth - 1));
      default -> false;
    };
  }

  private Node root(String text) {
    LoadSettings settings =
        LoadSettings.builder()
            .setLabel(file.toString())
            .setAllowDuplicateKeys(false)
            .setSchema(new CoreSchema())
            .setMaxAliasesForCollections(10_000)
            .setCodePointLimit(Integer.MAX_VALUE)
            .build();
    try {
      Optional<Node> root = new Composer(settings, new Shallow(settings, text)).getSingleNode();
      return root.orElseThrow(
          () ->
              new ConfigurationException(
                  "%s, line 1, column 1: the file is empty".formatted(file)));
    } catch (MarkedYamlEngineException broken) {
      throw new ConfigurationException(
          YamlWords.message(
              file.toString(),
              text,
              broken.getProblem(),
              broken.getProblemMark().map(Mark::getLine).orElse(0) + 1,
              broken.getProblemMark().map(Mark::getColumn).orElse(0) + 1,
              broken.getContextMark().map(YamlReader::words)),
          broken);
    } catch (YamlEngineException broken) {
      throw new ConfigurationException(
          YamlWords.message(file.toString(), text, String.valueOf(broken.getMessage())), broken);
    }
  }

  private Value value(Node node, int depth) {
    Place place = node.getStartMark().map(this::place).orElse(Place.of(file));
    values++;
    if (depth > DEEPEST || values > MOST_VALUES) {
      throw new ConfigurationException(
          "%s: what references make of the file is too large, or has no end".formatted(place));
    }
    return switch (node) {
      case MappingNode mapping -> mapping(mapping, place, depth);
      case SequenceNode sequence ->
          new Value(
              sequence.getValue().stream().map(member -> value(member, depth + 1)).toList(),
              place,
              Map.of());
      case ScalarNode scalar -> Value.of(scalar(scalar), place);
      default -> throw new ConfigurationException("%s: this cannot be read".formatted(place));
    };
  }

  private Value mapping(MappingNode mapping, Place place, int depth) {
    Map<String, Value> entries = new LinkedHashMap<>();
    Map<String, Place> keys = new LinkedHashMap<>();
    Map<String, Value> merged = new LinkedHashMap<>();
    for (NodeTuple tuple : mapping.getValue()) {
      Place keyPlace = tuple.getKeyNode().getStartMark().map(this::place).orElse(place);
      if (!(tuple.getKeyNode() instanceof ScalarNode key)) {
        throw new ConfigurationException("%s: a key must be text".formatted(keyPlace));
      }
      Value value = value(tuple.getValueNode(), depth + 1);
      if (key.getValue().equals(MERGE)) {
        for (Value base : value.oneOrMore()) {
          base.entries().forEach(merged::putIfAbsent);
        }
      } else if (entries.putIfAbsent(key.getValue(), value) != null) {
        throw new ConfigurationException(
            "%s: the key '%s' is there twice".formatted(keyPlace, key.getValue()));
      } else {
        keys.put(key.getValue(), keyPlace);
      }
    }
    merged.forEach(entries::putIfAbsent);
    return new Value(entries, place, keys);
  }

  private static @Nullable Object scalar(ScalarNode scalar) {
    Tag tag = scalar.getTag();
    String text = scalar.getValue();
    if (tag.equals(Tag.NULL)) {
      return null;
    }
    if (tag.equals(Tag.BOOL)) {
      return text.equalsIgnoreCase("true");
    }
    if (tag.equals(Tag.INT) || tag.equals(Tag.FLOAT)) {
      try {
        BigDecimal number = new BigDecimal(text);
        return number.scale() <= 0 && number.precision() - number.scale() <= 15
            ? (Object) number.longValue()
            : number;
      } catch (NumberFormatException onlyYaml) {
        return text;
      }
    }
    return text;
  }

  private static String words(Mark mark) {
    return "line %d, column %d".formatted(mark.getLine() + 1, mark.getColumn() + 1);
  }

  private Place place(Mark mark) {
    return new Place(file, mark.getLine() + 1, mark.getColumn() + 1);
  }

  /** Refuses deep nesting: whoever composes a tree calls himself for each level. */
  private static final class Shallow extends ParserImpl {

    private static final List<Event.ID> OPEN =
        List.of(Event.ID.SequenceStart, Event.ID.MappingStart);
    private static final List<Event.ID> CLOSE = List.of(Event.ID.SequenceEnd, Event.ID.MappingEnd);

    private int depth;

    Shallow(LoadSettings settings, String text) {
      super(settings, new StreamReader(settings, text));
    }

    @Override
    public Event next() {
      Event event = super.next();
      if (OPEN.contains(event.getEventId())) {
        depth++;
      } else if (CLOSE.contains(event.getEventId())) {
        depth--;
      }
      if (depth > DEEPEST) {
        throw new ParserException(
            "it is nested more than %s levels deep".formatted(DEEPEST), event.getStartMark());
      }
      return event;
    }
  }
}
