package dev.weir.simulator.server;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Events of OpenAI's responses: each has its type as its name, and a number. Not thread-safe. */
final class NumberedEvents {

  private final List<Dialect.Event> events = new ArrayList<>();
  private int number;

  NumberedEvents() {
    this(0);
  }

  /**
   * @param number of the first
   */
  NumberedEvents(int number) {
    this.number = number;
  }

  void add(String type, @Nullable Object... keysAndValues) {
    Map<String, Object> document = Json.object("type", type, "sequence_number", number++);
    document.putAll(Json.object(keysAndValues));
    events.add(new Dialect.Event(type, Json.text(document)));
  }

  /** Those that were added since the last time. */
  List<Dialect.Event> take() {
    List<Dialect.Event> taken = List.copyOf(events);
    events.clear();
    return taken;
  }
}
