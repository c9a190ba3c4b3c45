package dev.weir.log.json;

import java.util.Map;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamWriteConstraints;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.cfg.EnumFeature;
import tools.jackson.databind.json.JsonMapper;

/** How is written what may be anything: what solvers, scorers and datasets bring along. */
final class ValueJson {

  /**
   * How deep a value may be that stands somewhere in a sample: readers take no more than 500 levels
   * in all.
   */
  private static final int DEEPEST_VALUE = 400;

  private static final JsonMapper VALUES =
      JsonMapper.builder(
              JsonFactory.builder()
                  .streamWriteConstraints(
                      StreamWriteConstraints.builder().maxNestingDepth(DEEPEST_VALUE).build())
                  .build())
          .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
          .enable(EnumFeature.WRITE_ENUMS_TO_LOWERCASE)
          .build();

  private ValueJson() {}

  /** What cannot be written is told in its place; of a map, each value is tried. */
  static String written(Object value) {
    try {
      return VALUES.writeValueAsString(value);
    } catch (JacksonException | StackOverflowError unwritable) {
      return value instanceof Map<?, ?> map
          ? eachOf(map)
          : new JsonText().text(notWritten(unwritable)).toString();
    }
  }

  private static String eachOf(Map<?, ?> map) {
    var json = new JsonText();
    String comma = "{";
    for (Map.Entry<?, ?> entry : map.entrySet()) {
      json.text(comma, String.valueOf(entry.getKey())).add(":");
      try {
        json.add(VALUES.writeValueAsString(entry.getValue()));
      } catch (JacksonException | StackOverflowError unwritable) {
        json.text(notWritten(unwritable));
      }
      comma = ",";
    }
    return json.add("}").toString();
  }

  private static String notWritten(Throwable why) {
    String reason =
        why instanceof JacksonException problem
            ? String.valueOf(problem.getOriginalMessage())
            : "it contains itself";
    return "[not written: %s]".formatted(reason.lines().findFirst().orElse(""));
  }
}
