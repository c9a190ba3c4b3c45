package dev.weir.eval.task;

import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.events.AliasEvent;
import org.snakeyaml.engine.v2.events.CollectionStartEvent;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.events.ScalarEvent;
import org.snakeyaml.engine.v2.exceptions.ParserException;
import org.snakeyaml.engine.v2.nodes.Tag;
import org.snakeyaml.engine.v2.parser.ParserImpl;
import org.snakeyaml.engine.v2.scanner.StreamReader;

/**
 * A YAML parser that refuses deep nesting: what composes its events into a tree calls itself for
 * each level, and would overflow the stack.
 *
 * <p>Not thread-safe.
 */
final class ShallowParser extends ParserImpl {

  /** A task has four levels; the rest is room for what is yet to come. */
  private static final int DEEPEST = 100;

  /** As many as the composer takes of those to lists; counted here because it tells no place. */
  private static final int MOST_ALIASES = 50;

  /** What values are without being told: everything else belongs to other programs. */
  private static final Set<String> TAGS =
      Stream.concat(
              Stream.of("!"),
              Stream.of(Tag.STR, Tag.INT, Tag.FLOAT, Tag.BOOL, Tag.NULL, Tag.MAP, Tag.SEQ)
                  .map(Tag::getValue))
          .collect(Collectors.toUnmodifiableSet());

  private int depth;
  private int aliases;

  ShallowParser(LoadSettings settings, String text) {
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
    tag(event).filter(tag -> !TAGS.contains(tag)).ifPresent(tag -> refuse(tag, event));
    if (event instanceof AliasEvent && ++aliases > MOST_ALIASES) {
      throw new ParserException(
          "Number of aliases is more than %s".formatted(MOST_ALIASES), event.getStartMark());
    }
    if (depth > DEEPEST) {
      throw new ParserException(
          "it is nested more than %s levels deep".formatted(DEEPEST), event.getStartMark());
    }
    return event;
  }

  private static Optional<String> tag(Event event) {
    return switch (event) {
      case ScalarEvent scalar -> scalar.getTag();
      case CollectionStartEvent collection -> collection.getTag();
      default -> Optional.empty();
    };
  }

  private static void refuse(String tag, Event event) {
    throw new ParserException(
        "there are no types such as %s here; write the value alone, or a text that begins with ! in quotes"
            .formatted(tag.replaceFirst("^tag:yaml\\.org,2002:", "!!")),
        event.getStartMark());
  }
}
