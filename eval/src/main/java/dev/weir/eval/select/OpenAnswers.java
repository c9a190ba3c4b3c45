package dev.weir.eval.select;

import dev.weir.eval.Memory.Answer;
import dev.weir.eval.select.EvaluationMemory.Given;
import dev.weir.log.journal.JournalReader;
import dev.weir.log.journal.JournalRecord;
import dev.weir.selection.Evaluation;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * The answers of evaluations that were ended before they were through, or failed by what says
 * nothing of them. Only where they are is held in memory; they are read when their evaluation
 * begins again. Thread-safe once it is filled.
 */
final class OpenAnswers {

  private static final JsonMapper JSON = new JsonMapper();

  private record Place(Path file, long offset, BigDecimal dollars) {}

  private final Map<Evaluation, List<Place>> places = new HashMap<>();

  static byte[] written(ObjectNode json, Given given) {
    json.put("asked", given.asked())
        .put("place", given.place().number())
        .put("task", given.place().task())
        .put("turn", given.place().turn())
        .put("cost", given.answer().dollars())
        .put("took", given.answer().took().toNanos())
        .put("beside", given.answer().beside())
        .put("reply", given.answer().reply());
    return JSON.writeValueAsBytes(json);
  }

  void add(Evaluation evaluation, Path file, long offset, JsonNode json) {
    places
        .computeIfAbsent(evaluation, _ -> new ArrayList<>())
        .add(new Place(file, offset, dollars(json)));
  }

  private static BigDecimal dollars(JsonNode json) {
    return json.path("cost").asDecimal(BigDecimal.ZERO);
  }

  /** It has ended: what was answered is in its outcome. */
  void remove(Evaluation evaluation) {
    places.remove(evaluation);
  }

  /** Dollars of all of them. */
  BigDecimal dollars() {
    return places.values().stream()
        .flatMap(List::stream)
        .map(Place::dollars)
        .reduce(BigDecimal.ZERO, BigDecimal::add);
  }

  /** In the order in which they were given. */
  List<Given> read(Evaluation evaluation) throws IOException {
    List<Given> answers = new ArrayList<>();
    for (Place place : Optional.ofNullable(places.get(evaluation)).orElse(List.of())) {
      try (JournalReader reader = JournalReader.open(place.file)) {
        JournalRecord record = reader.read(place.offset);
        answers.add(given(JSON.readTree(record.body())));
      } catch (JacksonException malformed) {
        throw new IOException(place.file + " holds what this version does not know", malformed);
      }
    }
    return answers;
  }

  private static Given given(JsonNode json) {
    return new Given(
        json.path("asked").asString(""),
        new Question.Place(
            json.path("place").asInt(), json.path("task").asString(""), json.path("turn").asInt()),
        new Answer(
            json.path("reply").asString(""),
            dollars(json),
            Duration.ofNanos(json.path("took").asLong()),
            json.path("beside").asBoolean(false)));
  }
}
