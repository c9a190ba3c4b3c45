package dev.weir.eval.select;

import dev.weir.eval.Memory.Answer;
import dev.weir.log.journal.JournalReader;
import dev.weir.log.journal.JournalRecord;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * The answers of evaluations that were ended before they were through. Only where they are is held
 * in memory; they are read when their evaluation begins again. Thread-safe once it is filled.
 */
final class OpenAnswers {

  private static final JsonMapper JSON = new JsonMapper();

  /** An evaluation, whatever numbers its models have among the candidates. */
  record Of(List<String> models, int datapoint, int attempt) {

    Of {
      models = List.copyOf(models);
    }
  }

  private record Place(Path file, long offset, BigDecimal dollars) {}

  private final Map<Of, List<Place>> places = new HashMap<>();

  static byte[] written(ObjectNode json, int number, String asked, Answer answer) {
    json.put("call", number)
        .put("asked", asked)
        .put("epoch", answer.epoch())
        .put("cost", answer.dollars())
        .put("began", answer.began().toNanos())
        .put("took", answer.took().toNanos())
        .put("reply", answer.reply());
    return JSON.writeValueAsBytes(json);
  }

  void add(Of evaluation, Path file, long offset, JsonNode json) {
    places
        .computeIfAbsent(evaluation, _ -> new ArrayList<>())
        .add(new Place(file, offset, dollars(json)));
  }

  private static BigDecimal dollars(JsonNode json) {
    return json.path("cost").asDecimal(BigDecimal.ZERO);
  }

  /** It has ended: what was answered is in its outcome. */
  void remove(Of evaluation) {
    places.remove(evaluation);
  }

  /** Dollars of all of them. */
  BigDecimal dollars() {
    return places.values().stream()
        .flatMap(List::stream)
        .map(Place::dollars)
        .reduce(BigDecimal.ZERO, BigDecimal::add);
  }

  /** By what was asked, in the order in which it was. */
  Map<String, Deque<Answer>> read(Of evaluation) throws IOException {
    Map<String, Deque<Answer>> answers = new HashMap<>();
    for (Place place : Optional.ofNullable(places.get(evaluation)).orElse(List.of())) {
      try (JournalReader reader = JournalReader.open(place.file)) {
        JournalRecord record = reader.read(place.offset);
        JsonNode json = JSON.readTree(record.body());
        answers
            .computeIfAbsent(json.path("asked").asString(""), _ -> new ArrayDeque<>())
            .add(answer(json));
      } catch (JacksonException malformed) {
        throw new IOException(place.file + " holds what this version does not know", malformed);
      }
    }
    return answers;
  }

  private static Answer answer(JsonNode json) {
    return new Answer(
        json.path("epoch").asInt(),
        json.path("reply").asString(""),
        dollars(json),
        Duration.ofNanos(json.path("began").asLong()),
        Duration.ofNanos(json.path("took").asLong()));
  }
}
