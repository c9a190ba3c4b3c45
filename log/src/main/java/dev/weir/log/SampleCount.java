package dev.weir.log;

import dev.weir.log.RunResult.Counts;
import dev.weir.log.RunResult.FailedSample;
import dev.weir.log.RunResult.ModelUse;
import dev.weir.log.RunResult.ScorerMetrics;
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
  private final Map<String, Mean> scores = new LinkedHashMap<>();
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
    start.scorers().forEach(scorer -> scores.put(scorer, new Mean()));
  }

  private static final class Mean {
    private double sum;
    private long count;
  }

  void add(SampleResult sample) {
    if (sample.error().isPresent()) {
      failed++;
      if (failures.size() < MOST_FAILURES) {
        failures.add(new FailedSample(sample.id(), sample.epoch(), sample.error().get()));
      }
    } else if (!sample.cancelled()) {
      scored++;
    }
    sample
        .scores()
        .forEach(
            (scorer, score) -> {
              Mean mean = scores.computeIfAbsent(scorer, _ -> new Mean());
              mean.sum += score.value();
              mean.count++;
            });
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

  /** As far as it came; it ended with its last sample. */
  RunResult killed() {
    List<ScorerMetrics> metrics = new ArrayList<>();
    scores.forEach(
        (scorer, mean) ->
            metrics.add(
                new ScorerMetrics(
                    scorer,
                    "mean",
                    mean.count == 0 ? Map.of() : Map.of("accuracy", mean.sum / mean.count),
                    Optional.empty())));
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
        Optional.empty(),
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
