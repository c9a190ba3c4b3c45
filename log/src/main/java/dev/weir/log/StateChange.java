package dev.weir.log;

import dev.weir.log.SampleResult.LogMessage;
import dev.weir.log.json.JsonText;
import java.time.Instant;
import java.util.List;

/**
 * What a step of the pipeline changed in the state of a sample.
 *
 * @param at when the step had ended
 * @param working how many seconds the sample had worked by then; waiting is not work
 * @param changes as JSON Patch (RFC 6902) has them, to be applied in order
 */
public record StateChange(Instant at, double working, List<Change> changes) {

  public StateChange {
    changes = List.copyOf(changes);
  }

  /**
   * One change.
   *
   * @param op {@code add}, {@code replace} or {@code remove}
   * @param path such as {@code /messages/0}
   * @param value JSON of what is there now
   * @param before JSON of what was there before
   */
  public record Change(String op, String path, String value, String before) {

    private static final String NOTHING = "null";

    public static Change add(String path, String value) {
      return new Change("add", path, value, NOTHING);
    }

    public static Change replace(String path, String value, String before) {
      return new Change("replace", path, value, before);
    }

    public static Change remove(String path) {
      return new Change("remove", path, NOTHING, NOTHING);
    }
  }

  /** A message as JSON. */
  public static String json(LogMessage message) {
    var text = new JsonText();
    new InspectParts(text).message(message);
    return text.toString();
  }

  /** Anything as JSON; what cannot be written is told in its place. */
  public static String json(Object value) {
    return new JsonText().any("", value).toString();
  }
}
