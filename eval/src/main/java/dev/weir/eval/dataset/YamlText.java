package dev.weir.eval.dataset;

import dev.weir.model.ConfigurationException;
import dev.weir.model.YamlWords;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Parse;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.events.ScalarEvent;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.Tag;
import org.snakeyaml.engine.v2.resolver.ScalarResolver;

/** YAML as texts, numbers, booleans, lists and maps, without its types. Not thread-safe. */
public final class YamlText {

  private static final int DEEPEST = 100;
  private static final ScalarResolver TYPES =
      LoadSettings.builder().build().getSchema().getScalarResolver();

  private final Path file;
  private final Iterator<Event> events;
  private final Map<String, Mark> places = new HashMap<>();
  private @Nullable Object value;

  private YamlText(Path file, Iterator<Event> events) {
    this.file = file;
    this.events = events;
  }

  /** What a text means that stands without quotes: a number, a boolean, null or itself. */
  public static @Nullable Object plain(String text) {
    Tag tag = TYPES.resolve(text, true);
    if (tag.equals(Tag.NULL)) {
      return null;
    }
    if (tag.equals(Tag.BOOL)) {
      return text.equalsIgnoreCase("true");
    }
    return tag.equals(Tag.INT) || tag.equals(Tag.FLOAT) ? number(text) : text;
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

  /**
   * What a file holds, without aliases.
   *
   * @throws ConfigurationException if it cannot be read or is not YAML, with file, line and column
   */
  static YamlText read(Path file) {
    LoadSettings settings = LoadSettings.builder().setLabel(file.toString()).build();
    String text = InputFile.text(file);
    try {
      var events = new Parse(settings).parseString(text).iterator();
      return new YamlText(file, events).withDocument();
    } catch (MarkedYamlEngineException broken) {
      throw new ConfigurationException(
          YamlWords.message(
              file.toString(),
              text,
              broken.getProblem(),
              broken.getProblemMark().map(Mark::getLine).orElse(0) + 1,
              broken.getProblemMark().map(Mark::getColumn).orElse(0) + 1,
              broken.getContextMark().map(YamlText::place)),
          broken);
    } catch (YamlEngineException broken) {
      throw new ConfigurationException(
          YamlWords.message(file.toString(), text, String.valueOf(broken.getMessage())), broken);
    }
  }

  @Nullable Object value() {
    return value;
  }

  /** Line and column of what a key of the outermost mapping has; empty if there is no such key. */
  Optional<String> placeOf(String key) {
    return Optional.ofNullable(places.get(key)).map(YamlText::place);
  }

  private YamlText withDocument() {
    while (events.hasNext()) {
      Event event = events.next();
      switch (event.getEventId()) {
        case StreamStart, StreamEnd, DocumentStart, DocumentEnd, Comment -> {}
        default -> {
          if (value != null) {
            throw problem(event, "a file must hold one document");
          }
          value = value(event, 0);
        }
      }
    }
    return this;
  }

  private @Nullable Object value(Event event, int depth) {
    if (depth > DEEPEST) {
      throw problem(event, "it is nested more than %s levels deep".formatted(DEEPEST));
    }
    return switch (event.getEventId()) {
      case Scalar -> scalar((ScalarEvent) event);
      case SequenceStart -> {
        List<@Nullable Object> items = new ArrayList<>();
        for (Event next = events.next(); !ends(next); next = events.next()) {
          items.add(value(next, depth + 1));
        }
        yield items;
      }
      case MappingStart -> {
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        for (Event next = events.next(); !ends(next); next = events.next()) {
          String key = key(next);
          if (members.containsKey(key)) {
            throw problem(next, "the key '%s' is there twice".formatted(key));
          }
          Event member = events.next();
          if (depth == 0) {
            member.getStartMark().ifPresent(mark -> places.put(key, mark));
          }
          members.put(key, value(member, depth + 1));
        }
        yield members;
      }
      default -> throw problem(event, "aliases are not read here");
    };
  }

  private static boolean ends(Event event) {
    return event.getEventId() == Event.ID.SequenceEnd || event.getEventId() == Event.ID.MappingEnd;
  }

  private String key(Event event) {
    if (event instanceof ScalarEvent scalar) {
      return scalar.getValue();
    }
    throw problem(event, "a key must be text");
  }

  private static @Nullable Object scalar(ScalarEvent scalar) {
    return scalar.isPlain() && scalar.getTag().isEmpty()
        ? plain(scalar.getValue())
        : scalar.getValue();
  }

  private ConfigurationException problem(Event event, String problem) {
    return new ConfigurationException(
        "%s%s: %s"
            .formatted(
                file, event.getStartMark().map(mark -> ", " + place(mark)).orElse(""), problem));
  }

  private static String place(Mark mark) {
    return "line %s, column %s".formatted(mark.getLine() + 1, mark.getColumn() + 1);
  }
}
