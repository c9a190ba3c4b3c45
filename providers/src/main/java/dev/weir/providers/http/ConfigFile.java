package dev.weir.providers.http;

import dev.weir.model.ConfigurationException;
import dev.weir.model.DurationText;
import dev.weir.model.PathSpelling;
import dev.weir.model.Spelling;
import dev.weir.model.YamlWords;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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

/** A YAML or JSON file that describes a model; its problems are told with line and column. */
public final class ConfigFile {

  /** No description of a model is nearly as long. */
  private static final long LARGEST = 4 << 20;

  private ConfigFile() {}

  /**
   * @param what it should be: {@code "the replies of a model"}
   * @throws ConfigurationException if it cannot be read, or is not YAML
   */
  public static Value read(Path file, String what) {
    try {
      if (Files.isDirectory(file)) {
        throw new ConfigurationException("%s: is a folder, not %s".formatted(file, what));
      }
      if (Files.size(file) > LARGEST) {
        throw new ConfigurationException(
            "%s: is larger than %d bytes, too large for %s".formatted(file, LARGEST, what));
      }
      return parsed(file, Files.readString(file));
    } catch (NoSuchFileException absent) {
      throw new ConfigurationException(
          "%s: there is no such file; it should hold %s%s"
              .formatted(file, what, PathSpelling.hint(file)),
          absent);
    } catch (IOException unreadable) {
      throw new ConfigurationException(
          "%s: cannot be read as text: %s".formatted(file, unreadable), unreadable);
    }
  }

  /**
   * A description that is no file of its own.
   *
   * @param source where it stands, for people
   * @throws ConfigurationException if it is not YAML
   */
  public static Value parse(Path source, String text) {
    return parsed(source, text);
  }

  private static Value parsed(Path file, String text) {
    LoadSettings settings =
        LoadSettings.builder().setLabel(file.toString()).setAllowDuplicateKeys(false).build();
    try {
      Optional<Node> root = new Composer(settings, new Shallow(settings, text)).getSingleNode();
      return new Value(
          file,
          root.orElseThrow(
              () ->
                  new ConfigurationException(
                      "%s, line 1, column 1: the file is empty".formatted(file))));
    } catch (MarkedYamlEngineException broken) {
      throw new ConfigurationException(
          YamlWords.message(
              file.toString(),
              text,
              broken.getProblem(),
              broken.getProblemMark().map(Mark::getLine).orElse(0) + 1,
              broken.getProblemMark().map(Mark::getColumn).orElse(0) + 1,
              broken.getContextMark().map(ConfigFile::place)),
          broken);
    } catch (YamlEngineException broken) {
      throw new ConfigurationException(
          YamlWords.message(file.toString(), text, String.valueOf(broken.getMessage())), broken);
    }
  }

  private static String place(Mark mark) {
    return "line %d, column %d".formatted(mark.getLine() + 1, mark.getColumn() + 1);
  }

  /** A value in the file, which knows its place. Immutable. */
  public static final class Value {

    private final Path file;
    private final Node node;

    private Value(Path file, Node node) {
      this.file = file;
      this.node = node;
    }

    public boolean isMapping() {
      return node instanceof MappingNode;
    }

    public boolean isList() {
      return node instanceof SequenceNode;
    }

    /** The entries of a mapping, whose keys must be among those known. */
    public Map<String, Value> mapping(String what, Collection<String> known) {
      Map<String, Value> entries = mapping(what);
      for (NodeTuple tuple : ((MappingNode) node).getValue()) {
        var key = new Value(file, tuple.getKeyNode());
        String name = key.text("a key");
        if (!known.contains(name)) {
          throw key.problem("unknown key '%s'%s".formatted(name, Spelling.hint(name, known)));
        }
      }
      return entries;
    }

    /** The entries of a mapping. */
    public Map<String, Value> mapping(String what) {
      if (!(node instanceof MappingNode mapping)) {
        throw problem(what + " must be a mapping (key: value)");
      }
      Map<String, Value> entries = new LinkedHashMap<>();
      for (NodeTuple tuple : mapping.getValue()) {
        var key = new Value(file, tuple.getKeyNode());
        String name = key.text("a key");
        if (entries.putIfAbsent(name, new Value(file, tuple.getValueNode())) != null) {
          throw key.problem("the key '%s' is there twice".formatted(name));
        }
      }
      return entries;
    }

    public List<Value> list(String what) {
      if (!(node instanceof SequenceNode sequence)) {
        throw problem(what + " must be a list");
      }
      return sequence.getValue().stream().map(member -> new Value(file, member)).toList();
    }

    /** The text of a scalar, whatever its type. */
    public String text(String what) {
      if (!(node instanceof ScalarNode scalar) || scalar.getTag().equals(Tag.NULL)) {
        throw problem(what + " must be text");
      }
      return scalar.getValue();
    }

    public long whole(String what, long least, long most) {
      String text = text(what);
      try {
        long value = Long.parseLong(text);
        if (value >= least && value <= most) {
          return value;
        }
      } catch (NumberFormatException notANumber) {
        // Reported below, like a number out of range.
      }
      throw problem(
          "%s must be a whole number from %d to %d, was '%s'".formatted(what, least, most, text));
    }

    /** A duration; a number alone is seconds. */
    public Duration duration(String what) {
      String text = text(what);
      return DurationText.parse(text, "s")
          .orElseThrow(
              () -> problem("%s must be %s, was '%s'".formatted(what, DurationText.RULE, text)));
    }

    /** The value made of maps, lists, texts, numbers and flags, as {@link Json#write} takes it. */
    public @Nullable Object tree() {
      return switch (node) {
        case MappingNode _ -> {
          Map<String, @Nullable Object> members = new LinkedHashMap<>();
          mapping("the value").forEach((name, value) -> members.put(name, value.tree()));
          yield members;
        }
        case SequenceNode _ -> {
          List<@Nullable Object> members = new ArrayList<>();
          list("the value").forEach(value -> members.add(value.tree()));
          yield members;
        }
        default -> scalar((ScalarNode) node);
      };
    }

    private static @Nullable Object scalar(ScalarNode scalar) {
      Tag tag = scalar.getTag();
      if (tag.equals(Tag.NULL)) {
        return null;
      }
      boolean isJson = tag.equals(Tag.INT) || tag.equals(Tag.FLOAT) || tag.equals(Tag.BOOL);
      Json value = isJson ? Json.parseOrAbsent(scalar.getValue()) : Json.ABSENT;
      return value.isPresent() ? value.embedded() : scalar.getValue();
    }

    /** What is wrong with this value, and where. */
    public ConfigurationException problem(String problem) {
      String place = node.getStartMark().map(ConfigFile::place).orElse("unknown place");
      return new ConfigurationException("%s, %s: %s".formatted(file, place, problem));
    }

    /** Where the value is. */
    @Override
    public String toString() {
      return file + node.getStartMark().map(mark -> ", " + place(mark)).orElse("");
    }
  }

  /** Refuses deep nesting: whoever reads a tree calls himself for each level. */
  private static final class Shallow extends ParserImpl {

    private static final int DEEPEST = 100;

    private int depth;

    Shallow(LoadSettings settings, String text) {
      super(settings, new StreamReader(settings, text));
    }

    @Override
    public Event next() {
      Event event = super.next();
      switch (event.getEventId()) {
        case SequenceStart, MappingStart -> depth++;
        case SequenceEnd, MappingEnd -> depth--;
        default -> {}
      }
      if (event.getEventId() == Event.ID.Alias) {
        // A list may be a member of itself by one, and has no end then.
        throw new ParserException("references (*name) are not supported", event.getStartMark());
      }
      if (depth > DEEPEST) {
        throw new ParserException(
            "it is nested more than %d levels deep".formatted(DEEPEST), event.getStartMark());
      }
      return event;
    }
  }
}
