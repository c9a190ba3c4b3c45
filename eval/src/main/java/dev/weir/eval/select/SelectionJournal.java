package dev.weir.eval.select;

import dev.weir.log.journal.Cursor;
import dev.weir.log.journal.Journal;
import dev.weir.log.journal.JournalLock;
import dev.weir.log.journal.JournalLockedException;
import dev.weir.log.journal.JournalOptions;
import dev.weir.log.journal.JournalReader;
import dev.weir.log.journal.JournalRecord;
import dev.weir.model.ConfigurationException;
import dev.weir.selection.Evaluation;
import dev.weir.selection.Outcome;
import dev.weir.time.Time;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * What is durable of a selection: each outcome, before it counts. Each time that the selection goes
 * on a further file is begun, since a journal is only ever written by who has begun it.
 *
 * <pre>
 *   agents-1f00c2ab.selection     the plan, and the outcomes of the first time
 *   agents-1f00c2ab-2.selection   those of the second
 * </pre>
 *
 * <p>Thread-safe.
 */
final class SelectionJournal implements AutoCloseable {

  static final int PLAN = 100;
  static final int OUTCOME = 101;
  static final int WASTE = 102;

  private static final String ENDING = ".selection";
  private static final int MOST_FILES = 1_000;
  private static final byte[] NO_KEY = {};
  private static final JsonMapper JSON = new JsonMapper();

  private final JournalLock lock;
  private final Journal journal;

  /**
   * An evaluation that has ended.
   *
   * @param error why it failed
   */
  record Ended(Evaluation evaluation, Outcome outcome, Optional<String> error) {}

  private SelectionJournal(JournalLock lock, Journal journal) {
    this.lock = lock;
    this.journal = journal;
  }

  /**
   * What was read, and the journal to go on with.
   *
   * @param wasted dollars of evaluations that were ended before they had an outcome
   */
  record Opened(SelectionJournal journal, Map<Evaluation, Ended> known, double wasted) {}

  /**
   * @param name of the selection, which is the same as long as its plan is
   * @param plan for people who read the journal
   * @throws ConfigurationException if it is being written, or cannot be
   */
  static Opened open(Path directory, String name, Map<String, Object> plan, Time time)
      throws InterruptedException {
    Path first = directory.resolve(name + ENDING);
    @Nullable JournalLock lock = null;
    try {
      lock = JournalLock.take(directory.resolve(name));
      Map<Evaluation, Ended> known = new LinkedHashMap<>();
      double wasted = 0;
      Path next = first;
      for (int file = 2; Files.exists(next) && file < MOST_FILES; file++) {
        wasted += read(next, known);
        next = directory.resolve(name + "-" + file + ENDING);
      }
      Journal journal = begun(next, plan, time);
      return new Opened(new SelectionJournal(lock, journal), known, wasted);
    } catch (JournalLockedException running) {
      release(lock);
      throw new ConfigurationException(
          "this selection runs already (%s); wait until it has ended".formatted(first), running);
    } catch (IOException unusable) {
      release(lock);
      throw new ConfigurationException(
          "%s cannot be used (%s); choose another --log-dir".formatted(first, unusable), unusable);
    } catch (RuntimeException | InterruptedException failed) {
      release(lock);
      throw failed;
    }
  }

  private static Journal begun(Path file, Map<String, Object> plan, Time time)
      throws IOException, InterruptedException {
    Journal journal = Journal.create(file, time, JournalOptions.defaults());
    try {
      journal.append(PLAN, NO_KEY, JSON.writeValueAsBytes(plan));
      return journal;
    } catch (IOException | RuntimeException | InterruptedException failed) {
      journal.giveUp("it could not be begun");
      journal.close();
      throw failed;
    }
  }

  private static void release(@Nullable JournalLock lock) {
    try {
      if (lock != null) {
        lock.close();
      }
    } catch (IOException left) {
      // It ends with this process.
    }
  }

  private static double read(Path file, Map<Evaluation, Ended> known) throws IOException {
    double wasted = 0;
    try (JournalReader reader = JournalReader.open(file)) {
      Cursor<JournalRecord> records = reader.records();
      for (var record = records.next(); record != null; record = records.next()) {
        if (record.type() == OUTCOME) {
          Ended ended = ended(record);
          known.put(ended.evaluation(), ended);
        } else if (record.type() == WASTE) {
          wasted += JSON.readTree(record.body()).path("cost").asDouble(0);
        }
      }
      return wasted;
    } catch (JacksonException | IllegalArgumentException malformed) {
      throw new IOException("it holds what this version does not know: " + malformed, malformed);
    }
  }

  private static Ended ended(JournalRecord record) throws IOException {
    JsonNode json = JSON.readTree(record.body());
    return new Ended(
        new Evaluation(
            json.path("arm").asInt(), json.path("datapoint").asInt(), json.path("attempt").asInt()),
        new Outcome(number(json, "score"), number(json, "cost"), number(json, "latency")),
        Optional.ofNullable(json.get("error")).map(error -> error.asString("")));
  }

  private static OptionalDouble number(JsonNode json, String name) {
    JsonNode value = json.get(name);
    return value == null ? OptionalDouble.empty() : OptionalDouble.of(value.asDouble());
  }

  Path file() {
    return journal.file();
  }

  /**
   * Returns when it is durable; also if the task is cancelled, since it was paid for.
   *
   * @param sample for people who read the journal
   */
  void append(Ended ended, String sample) throws IOException {
    Evaluation evaluation = ended.evaluation();
    ObjectNode json =
        JSON.createObjectNode()
            .put("arm", evaluation.arm())
            .put("datapoint", evaluation.datapoint())
            .put("attempt", evaluation.attempt())
            .put("sample", sample);
    ended.outcome().score().ifPresent(score -> json.put("score", score));
    ended.outcome().cost().ifPresent(cost -> json.put("cost", cost));
    ended.outcome().latency().ifPresent(latency -> json.put("latency", latency));
    ended.error().ifPresent(error -> json.put("error", error));
    byte[] key =
        "%d/%d/%d"
            .formatted(evaluation.arm(), evaluation.datapoint(), evaluation.attempt())
            .getBytes(StandardCharsets.UTF_8);
    journal.appendAnyway(OUTCOME, key, JSON.writeValueAsBytes(json));
  }

  /** Remembers what was paid in vain. */
  void waste(double dollars) throws IOException {
    byte[] body = JSON.writeValueAsBytes(JSON.createObjectNode().put("cost", dollars));
    journal.appendAnyway(WASTE, NO_KEY, body);
  }

  @Override
  public void close() throws IOException {
    try {
      journal.close();
    } finally {
      release(lock);
    }
  }
}
