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

/** Counts the samples of a log, for a run that did not live to do so itself. */
final class SampleCount {

  private static final int MOST_FAILURES = 10;

  /** What the log of a run says that has no end. */
  static final String KILLED =
      "the run was killed before its end; `weir eval-retry` finishes it and keeps what it has";

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

  SampleCount(RunStart start) {
    this.start = start;
    this.last = start.started();
    this.scores = KilledRunScores.tally(start);
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

  /** As a journal has it: most is known of it without reading all. */
  void add(StoredSample stored) throws IOException {
    Optional<SampleResult> glance = SampleGlance.of(stored.record().body());
    add(stored.key().summary(), glance.isPresent() ? glance.get() : stored.sample());
  }

  void add(SampleResult sample) {
    add(SampleSummary.of(sample), sample);
  }

  private void add(SampleSummary summary, SampleResult sample) {
    scores.add(summary);
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
    tokens = tokens.plus(sample.tokens());
    cost = cost.plus(sample.cost());
    times = times.plus(sample.times());
    cached += sample.cachedAnswers();
    retries += sample.retries();
    Instant ended =
        sample.started().plus(Duration.ofNanos(Math.round(sample.times().total() * 1e9)));
    last = ended.isAfter(last) ? ended : last;
  }

  private void add(ModelCall call) {
    models.merge(
        call.role() + " " + call.model(),
        new ModelUse(
            call.model(),
            call.role(),
            1,
            call.retries(),
            call.tokens(),
            call.cost(),
            Optional.empty()),
        (all, one) ->
            new ModelUse(
                all.model(),
                all.role(),
                all.calls() + one.calls(),
                all.retries() + one.retries(),
                all.tokens().plus(one.tokens()),
                all.cost().plus(one.cost()),
                Optional.empty()));
  }

  /** What became of repeated samples. */
  List<Reduced> reductions() {
    return scores.reductions();
  }

  /** As far as it came; it ended with its last sample. */
  RunResult killed() {
    List<ScorerMetrics> metrics = scores.metrics();
    int total = Math.max(start.samples() * start.epochs(), scored + failed);
    return new RunResult(
        start,
        RunResult.Status.ERROR,
        Optional.of(KILLED),
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
