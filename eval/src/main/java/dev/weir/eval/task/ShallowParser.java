package dev.weir.eval.task;

import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.exceptions.ParserException;
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

  private int depth;

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
    if (depth > DEEPEST) {
      throw new ParserException(
          "it is nested more than %s levels deep".formatted(DEEPEST), event.getStartMark());
    }
    return event;
  }
}
