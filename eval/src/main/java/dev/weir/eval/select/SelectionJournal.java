package dev.weir.eval.select;

import dev.weir.eval.dataset.Sample;
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
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * What is durable of a selection: each answer of a model before anything is made of it, and each
 * outcome before it counts. Each time that the selection goes on a further file is begun, since a
 * journal is only ever written by who has begun it.
 *
 * <pre>
 *   agents-1f00c2ab.selection     the plan, and the answers and outcomes of the first time
 *   agents-1f00c2ab-2.selection   those of the second
 * </pre>
 *
 * <p>Outcomes are kept by what was asked: the models, the sample, the attempt. Another selector,
 * objective or budget, or more candidates or samples, find those that they need, too. Thread-safe.
 */
final class SelectionJournal implements AutoCloseable {

  static final int PLAN = 100;
  static final int OUTCOME = 101;
  static final int ANSWER = 104;
  static final int DECIDED = 105;

  private static final String ENDING = ".selection";
  private static final int MOST_FILES = 1_000;
  private static final byte[] NO_KEY = {};

  /**
   * A call is in flight until its answer is durable, so that waits for few others: there is not
   * much to gain beside the fsync itself, which all that come meanwhile share.
   */
  private static final Duration LINGER = Duration.ofMillis(2);

  private static final JsonMapper JSON = new JsonMapper();

  private final JournalLock lock;
  private final Journal journal;
  private final Asked asked;
  private final OpenAnswers open;

  /**
   * What outcomes are kept by. Numbers of arms and datapoints mean nothing another time.
   *
   * @param arms the models of each, with where they are asked
   * @param samples what each datapoint is
   */
  record Asked(List<List<String>> arms, List<Content> samples) {

    static Asked of(List<List<String>> arms, List<Sample> samples) {
      return new Asked(
          arms, samples.stream().map(one -> new Content(one.id(), one.contentHash())).toList());
    }
  }

  /**
   * A sample.
   *
   * @param id what is drawn for it depends on that
   * @param hash of all that it asks
   */
  record Content(String id, String hash) {}

  /** Finds the numbers that something has now. */
  private record Index(Map<List<String>, Integer> arms, Map<Content, Integer> samples) {

    static Index of(Asked asked) {
      return new Index(positions(asked.arms), positions(asked.samples));
    }

    private static <T> Map<T, Integer> positions(List<T> all) {
      Map<T, Integer> positions = new HashMap<>();
      for (int i = 0; i < all.size(); i++) {
        positions.put(all.get(i), i);
      }
      return positions;
    }

    /** Empty if its models are no candidates now, or its sample is none. */
    Optional<Evaluation> evaluation(JsonNode json) {
      List<String> models = new ArrayList<>();
      json.path("models").forEach(model -> models.add(model.asString("")));
      Integer arm = arms.get(models);
      Integer datapoint =
          samples.get(
              new Content(json.path("sample").asString(""), json.path("content").asString("")));
      return arm == null || datapoint == null
          ? Optional.empty()
          : Optional.of(new Evaluation(arm, datapoint, json.path("attempt").asInt()));
    }
  }

  /**
   * An evaluation that has ended.
   *
   * @param error why it failed
   * @param paid the known dollars of all its calls
   * @param before of these, what was paid before this time began and counted then
   * @param ahead whether it was begun before it was decided, and is not known to be decided since
   * @param excused whether it failed by a key, an account or a provider that was away, which says
   *     nothing of models and sample
   */
  record Ended(
      Evaluation evaluation,
      Outcome outcome,
      Optional<String> error,
      double paid,
      double before,
      boolean ahead,
      boolean excused) {

    /** Whether it failed, and another time it is tried again: it cost nothing, or is excused. */
    boolean isToTryAgain() {
      boolean isFree = paid == 0 && outcome.cost().orElse(Double.NaN) == 0;
      return outcome.failed() && (excused || isFree);
    }

    Ended asDecided() {
      return new Ended(evaluation, outcome, error, paid, before, false, excused);
    }

    /** The dollars that are not counted yet. */
    double more() {
      return paid - before;
    }
  }

  private SelectionJournal(JournalLock lock, Journal journal, Asked asked, OpenAnswers open) {
    this.lock = lock;
    this.journal = journal;
    this.asked = asked;
    this.open = open;
  }

  /**
   * What was read, and the journal to go on with.
   *
   * @param known without what is to be tried again
   * @param paid dollars for answers of evaluations that are made again
   */
  record Opened(SelectionJournal journal, Map<Evaluation, Ended> known, BigDecimal paid) {}

  /**
   * @param name of the selection, which is the same as long as the same is asked
   * @param asked outcomes of other models and samples are left alone
   * @param plan for people who read the journal
   * @throws ConfigurationException if it is being written, or cannot be
   */
  static Opened open(Path directory, String name, Asked asked, Map<String, Object> plan, Time time)
      throws InterruptedException {
    Path first = directory.resolve(name + ENDING);
    @Nullable JournalLock lock = null;
    try {
      lock = JournalLock.take(directory.resolve(name));
      Map<Evaluation, Ended> known = new LinkedHashMap<>();
      var open = new OpenAnswers();
      Index index = Index.of(asked);
      Path next = first;
      for (int file = 2; Files.exists(next) && file < MOST_FILES; file++) {
        // A process that was killed has left it; nobody writes this file again.
        JournalLock.take(next).close();
        read(next, index, known, open);
        next = directory.resolve(name + "-" + file + ENDING);
      }
      forgetToTryAgain(known);
      known.keySet().forEach(open::remove);
      Journal journal = begun(next, plan, time);
      return new Opened(new SelectionJournal(lock, journal, asked, open), known, open.dollars());
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

  /** But for what was tried again already, after which another attempt has told more. */
  private static void forgetToTryAgain(Map<Evaluation, Ended> known) {
    List<Ended> lastFirst = new ArrayList<>(known.values());
    lastFirst.sort(Comparator.comparingInt(ended -> -ended.evaluation().attempt()));
    for (Ended ended : lastFirst) {
      Evaluation one = ended.evaluation();
      var next = new Evaluation(one.arm(), one.datapoint(), one.attempt() + 1);
      if (ended.isToTryAgain() && !known.containsKey(next)) {
        known.remove(one);
      }
    }
  }

  private static Journal begun(Path file, Map<String, Object> plan, Time time)
      throws IOException, InterruptedException {
    Journal journal = Journal.create(file, time, JournalOptions.defaults().withLinger(LINGER));
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

  private static void read(Path file, Index index, Map<Evaluation, Ended> known, OpenAnswers open)
      throws IOException {
    try (JournalReader reader = JournalReader.open(file)) {
      Cursor<JournalRecord> records = reader.records();
      for (var record = records.next(); record != null; record = records.next()) {
        if (record.type() != PLAN) {
          read(file, record, index, known, open);
        }
      }
    } catch (JacksonException | IllegalArgumentException malformed) {
      throw new IOException("it holds what this version does not know: " + malformed, malformed);
    }
  }

  private static void read(
      Path file, JournalRecord record, Index index, Map<Evaluation, Ended> known, OpenAnswers open)
      throws IOException {
    JsonNode json = JSON.readTree(record.body());
    Optional<Evaluation> found = index.evaluation(json);
    if (found.isEmpty()) {
      return;
    }
    Evaluation evaluation = found.get();
    switch (record.type()) {
      case ANSWER -> open.add(evaluation, file, record.offset(), json);
      case OUTCOME -> {
        Ended ended = ended(evaluation, json);
        known.put(evaluation, ended);
        // What is tried again goes on with what was answered; what failed by itself begins anew.
        if (!ended.excused()) {
          open.remove(evaluation);
        }
      }
      case DECIDED -> known.computeIfPresent(evaluation, (_, ended) -> ended.asDecided());
      default -> {
        // Of a later version.
      }
    }
  }

  private static Ended ended(Evaluation evaluation, JsonNode json) {
    return new Ended(
        evaluation,
        new Outcome(number(json, "score"), number(json, "cost"), number(json, "latency")),
        Optional.ofNullable(json.get("error")).map(error -> error.asString("")),
        json.path("paid").asDouble(0),
        0,
        json.path("ahead").asBoolean(false),
        json.path("excused").asBoolean(false));
  }

  private static OptionalDouble number(JsonNode json, String name) {
    JsonNode value = json.get(name);
    return value == null ? OptionalDouble.empty() : OptionalDouble.of(value.asDouble());
  }

  Path file() {
    return journal.file();
  }

  /** Returns when it is durable; also if the task is cancelled, since it was paid for. */
  void append(Ended ended) throws IOException {
    ObjectNode json = json(ended.evaluation()).put("paid", ended.paid());
    if (ended.ahead()) {
      json.put("ahead", true);
    }
    if (ended.excused()) {
      json.put("excused", true);
    }
    ended.outcome().score().ifPresent(score -> json.put("score", score));
    ended.outcome().cost().ifPresent(cost -> json.put("cost", cost));
    ended.outcome().latency().ifPresent(latency -> json.put("latency", latency));
    ended.error().ifPresent(error -> json.put("error", error));
    journal.appendAnyway(OUTCOME, NO_KEY, JSON.writeValueAsBytes(json));
  }

  /** What was made ahead of it is decided now. Nobody waits until that is durable. */
  void decided(Evaluation evaluation) throws IOException {
    journal.appendLaterAnyway(DECIDED, NO_KEY, JSON.writeValueAsBytes(json(evaluation)));
  }

  private ObjectNode json(Evaluation evaluation) {
    Content sample = asked.samples.get(evaluation.datapoint());
    ObjectNode json =
        JSON.createObjectNode()
            .put("sample", sample.id())
            .put("content", sample.hash())
            .put("attempt", evaluation.attempt());
    ArrayNode models = json.putArray("models");
    asked.arms.get(evaluation.arm()).forEach(models::add);
    return json;
  }

  /** What is known of an evaluation that is about to begin, and where its answers are kept. */
  EvaluationMemory memory(Evaluation evaluation) throws IOException {
    return new EvaluationMemory(this, evaluation, open.read(evaluation));
  }

  /** Returns when it is durable; also if the task is cancelled, since it was paid for. */
  void answered(Evaluation evaluation, EvaluationMemory.Given given) throws IOException {
    journal.appendAnyway(ANSWER, NO_KEY, OpenAnswers.written(json(evaluation), given));
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
