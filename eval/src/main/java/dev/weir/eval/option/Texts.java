package dev.weir.eval.option;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Words of the form {@code a,b,c}, or a JSON list. */
final class Texts {

  private static final JsonMapper JSON = new JsonMapper();

  private Texts() {}

  static Optional<List<String>> parse(String word) {
    if (word.stripLeading().startsWith("[")) {
      try {
        JsonNode list = JSON.readTree(word);
        return Optional.of(list.valueStream().map(JsonNode::asString).toList());
      } catch (JacksonException notJson) {
        // A text that begins with a bracket, as it is written on a command line.
      }
    }
    return Optional.of(Arrays.stream(word.split(",", -1)).filter(text -> !text.isEmpty()).toList());
  }
}
