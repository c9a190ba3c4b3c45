package dev.weir.log;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.weir.log.SampleResult.Note;
import dev.weir.log.SampleResult.ScoreResult;
import dev.weir.log.json.JsonText;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * New scores of a sample that another program wrote. They are put into its JSON where the old ones
 * stand, with an event for each; each other byte stays as it is.
 */
final class ForeignScores {

  private final SampleResult scored;
  private final boolean keepsScores;
  private final Instant at;
  private final Map<String, ScoreResult> added = new LinkedHashMap<>();
  private final List<Note> notes;

  ForeignScores(SampleResult before, SampleResult scored, boolean keepsScores, Instant at) {
    this.scored = scored;
    this.keepsScores = keepsScores;
    this.at = at;
    scored
        .scores()
        .forEach(
            (name, score) -> {
              if (!keepsScores || !score.equals(before.scores().get(name))) {
                added.put(name, score);
              }
            });
    this.notes = scored.notes().subList(before.notes().size(), scored.notes().size());
  }

  /** Bytes of a document that others take the place of. */
  private record Edit(int from, int to, String json) {}

  /** A value in a document. */
  private record Place(int from, int to, boolean isEmpty) {}

  byte[] in(byte[] json) throws IOException {
    try {
      return edited(json);
    } catch (JacksonException foreign) {
      throw new IOException(
          "the scores of sample %s cannot be changed: %s"
              .formatted(scored.id(), foreign.getOriginalMessage()),
          foreign);
    }
  }

  private byte[] edited(byte[] json) {
    Map<String, Place> places = places(json);
    List<Edit> edits = new ArrayList<>();
    edits.add(field("scores", scores(json, places), places, json));
    Place events = places.get("events");
    if (events != null && json[events.from] == '[') {
      String more = events();
      boolean needsComma = !events.isEmpty && !more.isEmpty();
      edits.add(new Edit(events.to - 1, events.to - 1, (needsComma ? "," : "") + more));
    }
    edits.sort(Comparator.comparingInt(Edit::from));
    var out = new ByteArrayOutputStream(json.length + 1_024);
    int done = 0;
    for (Edit edit : edits) {
      out.write(json, done, edit.from - done);
      out.writeBytes(edit.json.getBytes(UTF_8));
      done = edit.to;
    }
    out.write(json, done, json.length - done);
    return out.toByteArray();
  }

  /** In the place of the field, or as the last one. */
  private static Edit field(String name, String value, Map<String, Place> places, byte[] json) {
    Place place = places.get(name);
    if (place != null) {
      return new Edit(place.from, place.to, value);
    }
    int end = json.length - 1;
    while (json[end] != '}') {
      end--;
    }
    return new Edit(end, end, ",\"" + name + "\":" + value);
  }

  /** Where the fields of a sample stand that may change. */
  private static Map<String, Place> places(byte[] json) {
    Map<String, Place> places = new LinkedHashMap<>();
    try (JsonParser parser = LogJson.FOREIGN.createParser(json)) {
      parser.nextToken();
      while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
        String name = parser.currentName();
        JsonToken token = parser.nextToken();
        int from = (int) parser.currentTokenLocation().getByteOffset();
        boolean isStructure = token == JsonToken.START_OBJECT || token == JsonToken.START_ARRAY;
        boolean isEmpty = true;
        if (isStructure) {
          int depth = 1;
          while (depth > 0) {
            JsonToken next = parser.nextToken();
            depth += next.isStructStart() ? 1 : next.isStructEnd() ? -1 : 0;
            isEmpty &= depth == 0;
          }
        }
        if (isStructure || token == JsonToken.VALUE_NULL) {
          int to = isStructure ? (int) parser.currentLocation().getByteOffset() : from + 4;
          places.put(name, new Place(from, to, isEmpty));
        }
      }
    }
    places.keySet().retainAll(List.of("scores", "events"));
    return places;
  }

  private String scores(byte[] json, Map<String, Place> places) {
    Place place = places.get("scores");
    ObjectNode all = LogJson.FOREIGN.createObjectNode();
    if (keepsScores && place != null && !place.isEmpty) {
      JsonNode old = LogJson.FOREIGN.readTree(json, place.from, place.to - place.from);
      old.properties().forEach(score -> all.set(score.getKey(), score.getValue()));
    }
    added.forEach((name, score) -> all.set(name, LogJson.FOREIGN.readTree(score(score))));
    return LogJson.FOREIGN.writeValueAsString(all);
  }

  private static String score(ScoreResult score) {
    var json = new JsonText();
    new InspectParts(json).score(score);
    return json.toString();
  }

  private String events() {
    var out = new JsonText();
    var parts = new InspectParts(out);
    String comma = "";
    for (Map.Entry<String, ScoreResult> score : added.entrySet()) {
      begin(out.add(comma), "score");
      out.text(",\"scorer\":", score.getKey()).add(",\"score\":");
      parts.score(score.getValue());
      parts.target(",\"target\":", scored.targets());
      out.add(",\"intermediate\":false}");
      comma = ",";
    }
    for (Note note : notes) {
      begin(out.add(comma), "info");
      out.text(",\"source\":", note.source()).any(",\"data\":", note.data()).add("}");
      comma = ",";
    }
    return out.toString();
  }

  private void begin(JsonText out, String event) {
    out.text("{\"event\":", event).time(",\"timestamp\":", at);
    out.seconds(",\"working_start\":", scored.times().working());
  }
}
