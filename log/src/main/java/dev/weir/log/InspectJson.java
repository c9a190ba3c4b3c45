package dev.weir.log;

import dev.weir.log.json.JsonText;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The parts that headers of Inspect's logs are made of, as Weir writes them. What Inspect has no
 * field for stands under {@link #WEIR}, so that nothing is lost on the way back.
 */
final class InspectJson {

  /** Whose fields they are that stand under it. */
  static final String WEIR = "weir";

  // With an offset, as its readers want it.
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSSSSxxx", Locale.ROOT)
          .withZone(ZoneOffset.UTC);

  private InspectJson() {}

  static ObjectNode object() {
    return LogJson.LINES.createObjectNode();
  }

  static String time(Instant instant) {
    return TIME.format(instant);
  }

  static JsonNode tree(Object value) {
    return LogJson.LINES.valueToTree(value);
  }

  static ArrayNode texts(List<String> texts) {
    ArrayNode array = LogJson.LINES.createArrayNode();
    texts.forEach(array::add);
    return array;
  }

  static JsonNode error(String message, String traceback) {
    return part(parts -> parts.error(message, traceback));
  }

  static JsonNode usage(Tokens tokens, Cost cost) {
    return part(parts -> parts.usage(tokens, cost));
  }

  /** What samples have, too. */
  private static JsonNode part(Consumer<InspectParts> write) {
    var text = new JsonText();
    write.accept(new InspectParts(text));
    return LogJson.LINES.readTree(text.bytes());
  }
}
