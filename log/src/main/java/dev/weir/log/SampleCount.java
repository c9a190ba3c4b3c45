package dev.weir.log;

import dev.weir.log.RunResult.Counts;
import dev.weir.log.RunResult.FailedSample;
import dev.weir.log.RunResult.ModelUse;
import dev.weir.log.RunResult.ScorerMetrics;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Counts the samples of a log, for a run that did not live to do so itself. */
final class SampleCount {

  private static final int MOST_FAILURES = 10;

  /** The option with which answers may come from a cache. */
  private static final String CACHE = "cache";

  private final RunStart start;
  private final KilledRunScores.Tally scores;
  private final Map<String, ModelUse> models = new LinkedHashMap<>();
  private final Map<String, Integer> limits = new LinkedHashMap<>();
  private final List<FailedSample> failures = new ArrayList<>();
  private int scored;
  private int failed;
  private Tokens tokens = Tokens.NONE;
  private Cost cost = Cost.NONE;
  private Times times = Times.NONE;
  private long cached;
  private long retries;
  private Instant last;
  // Records are in the order in which samples ended: only the last of them tells when the run did.
  private @Nullable StoredSample lastPlain;
  private final boolean mayBePlain;

  SampleCount(RunStart start) {
    this.start = start;
    this.last = start.started();
    this.scores = KilledRunScores.tally(start);
    this.mayBePlain = !start.config().containsKey(CACHE) && !scores.wantsMetadata();
  }

  /** All samples of a log. */
  static SampleCount of(RunLogReader log) throws IOException {
    var counted = new SampleCount(log.start());
    if (log instanceof JournalLogReader journal) {
      for (Optional<StoredSample> next = journal.stored();
          next.isPresent();
          next = journal.stored()) {
        counted.add(next.get());
      }
    }
    for (Optional<SampleResult> next = log.sample(); next.isPresent(); next = log.sample()) {
      counted.add(next.get());
    }
    return counted;
  }

  /** As a journal has it: of most, the key tells all that is counted. */
  void add(StoredSample stored) throws IOException {
    SampleKey key = stored.key();
    if (isPlain(key)) {
      SampleSummary summary = key.summary();
      scores.add(summary, Map.of());
      scored++;
      count(summary);
      add(start.model(), ModelCall.EVALUATED, key.turns(), 0, summary.tokens(), summary.cost());
      lastPlain = stored;
      return;
    }
    Optional<SampleResult> glance = SampleGlance.of(stored.record().body(), scores.wantsMetadata());
    add(key.summary(), glance.isPresent() ? glance.get() : stored.sample());
  }

  /**
   * Whether all its calls were asked of the evaluated model, answered and paid for, none of them
   * twice. A grader, an answer from a cache, a retry or a failure would show in the numbers.
   */
  private boolean isPlain(SampleKey key) {
    SampleSummary summary = key.summary();
    Cost cost = summary.cost();
    return mayBePlain
        // Which is 0 where another program wrote the sample, and after errors and limits.
        && key.headLength() > 0
        && summary.hasFinished()
        && cost.pricedCalls() + cost.unknownCalls() == key.turns()
        && summary.times().backedOff() == 0
        && summary.times().failed() == 0;
  }

  void add(SampleResult sample) {
    add(SampleSummary.of(sample), sample);
  }

  private void add(SampleSummary summary, SampleResult sample) {
    scores.add(summary, sample.metadata());
    if (sample.error().isPresent()) {
      failed++;
      if (failures.size() < MOST_FAILURES) {
        failures.add(new FailedSample(sample.id(), sample.epoch(), sample.error().get()));
      }
    } else if (!sample.cancelled()) {
      scored++;
    }
    sample.calls().forEach(this::add);
    sample.limit().ifPresent(hit -> limits.merge(hit.type(), 1, Integer::sum));
    count(summary);
    cached += sample.cachedAnswers();
    retries += sample.retries();
    ended(sample);
  }

  private void count(SampleSummary summary) {
    tokens = tokens.plus(summary.tokens());
    cost = cost.plus(summary.cost());
    times = times.plus(summary.times());
  }

  private void ended(SampleResult sample) {
    Instant ended =
        sample.started().plus(Duration.ofNanos(Math.round(sample.times().total() * 1e9)));
    last = ended.isAfter(last) ? ended : last;
  }

  private void add(ModelCall call) {
    int answered = call.error().isEmpty() ? 1 : 0;
    add(call.model(), call.role(), answered, call.retries(), call.tokens(), call.cost());
  }

  private void add(String model, String role, long calls, long retried, Tokens used, Cost paid) {
    models.merge(
        role + " " + model,
        new ModelUse(model, role, calls, retried, used, paid, Optional.empty(), Optional.empty()),
        (all, one) ->
            new ModelUse(
                all.model(),
                all.role(),
                all.calls() + one.calls(),
                all.retries() + one.retries(),
                all.tokens().plus(one.tokens()),
                all.cost().plus(one.cost()),
                Optional.empty(),
                Optional.empty()));
  }

  private void endOfPlain() {
    StoredSample plain = lastPlain;
    try {
      if (plain != null) {
        SampleGlance.of(plain.record().body(), false).ifPresent(this::ended);
      }
    } catch (IOException unusable) {
      // Then the run is said to have ended with another sample.
    }
  }

  /** What became of repeated samples. */
  List<Reduced> reductions() {
    return scores.reductions();
  }

  private static String why(List<String> leftOut) {
    return leftOut.isEmpty()
        ? LogRecovery.KILLED
        : "%s. Not told here, since only the program knows it: %s"
            .formatted(LogRecovery.KILLED, String.join(", ", leftOut));
  }

  /** As far as it came; it ended with its last sample. */
  RunResult killed() {
    endOfPlain();
    List<ScorerMetrics> metrics = scores.metrics();
    int total = Math.max(start.samples() * start.epochs(), scored + failed);
    return new RunResult(
        start,
        RunResult.Status.ERROR,
        Optional.of(why(scores.leftOut())),
        Optional.empty(),
        Optional.empty(),
        last,
        Duration.between(start.started(), last).toNanos() / 1e9,
        metrics.isEmpty() ? Map.of() : metrics.getFirst().metrics(),
        metrics,
        scores.accuracyOverAll(),
        new Counts(total, scored, failed, total - scored - failed),
        tokens,
        cost,
        cached,
        retries,
        times,
        List.copyOf(models.values()),
        limits,
        failures,
        Optional.empty());
  }
}
