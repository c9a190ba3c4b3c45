package dev.weir.log;

import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The samples of a log as rows of a table. Rows are made one at a time.
 *
 * @param scorers whose scores any of the samples has, in order
 */
record SampleTable(Path file, RunStart start, RunResult result, List<String> scorers) {

  /** Reads the log once, for the columns and for the result of a run that was killed. */
  static SampleTable of(Path file) throws IOException {
    try (var log = RunLogReader.open(file)) {
      Set<String> scorers = new LinkedHashSet<>(log.start().scorers());
      Set<String> scored = new LinkedHashSet<>();
      var counted = new SampleCount(log.start());
      for (Optional<SampleResult> next = log.sample(); next.isPresent(); next = log.sample()) {
        counted.add(next.get());
        scored.addAll(next.get().scores().keySet());
      }
      // Some scorers of Inspect give several scores, and none by their own name.
      if (!scored.isEmpty()) {
        scorers.retainAll(scored);
        scorers.addAll(scored);
      }
      Optional<RunResult> end = log.end();
      RunResult result = end.isPresent() ? end.get() : log.usedBefore().addedTo(counted.killed());
      return new SampleTable(file, log.start(), result, List.copyOf(scorers));
    }
  }

  /** What is done with a row. */
  interface Use {
    void row(List<Cell> cells) throws IOException;
  }

  /**
   * A value.
   *
   * @param value a text, a number or a time; null if there is none
   */
  record Cell(@Nullable Object value) {

    String text() {
      if (value == null) {
        return "";
      }
      return value instanceof BigDecimal number ? number.toPlainString() : value.toString();
    }
  }

  List<String> columns() {
    List<String> columns = new ArrayList<>(List.of("id", "epoch", "input", "target", "output"));
    scorers.forEach(scorer -> columns.add("score:" + scorer));
    columns.addAll(
        List.of(
            "error",
            "limit",
            "input_tokens",
            "output_tokens",
            "cost_usd",
            "started",
            "completed",
            "total_seconds",
            "working_seconds"));
    return columns;
  }

  /** Gives what is damaged and therefore left out, in sentences. */
  List<String> each(Use use) throws IOException {
    try (var log = RunLogReader.open(file)) {
      for (Optional<SampleResult> next = log.sample(); next.isPresent(); next = log.sample()) {
        use.row(row(next.get()));
      }
      return log.damage();
    }
  }

  private List<Cell> row(SampleResult sample) {
    List<Cell> row = new ArrayList<>();
    row.add(new Cell(sample.id()));
    row.add(new Cell(sample.epoch()));
    row.add(new Cell(sample.input()));
    row.add(new Cell(String.join(" | ", sample.targets())));
    row.add(new Cell(sample.output().orElse(null)));
    for (String scorer : scorers) {
      SampleResult.ScoreResult score = sample.scores().get(scorer);
      row.add(new Cell(score == null ? null : number(score.value())));
    }
    row.add(new Cell(sample.error().orElse(sample.cancelled() ? "cancelled" : null)));
    row.add(new Cell(sample.limit().map(SampleResult.LimitHit::type).orElse(null)));
    row.add(new Cell(sample.tokens().input()));
    row.add(new Cell(sample.tokens().output()));
    row.add(new Cell(cost(sample.cost())));
    // Old logs do not tell.
    boolean isDated = sample.started().isAfter(Instant.EPOCH);
    row.add(new Cell(isDated ? sample.started() : null));
    row.add(new Cell(isDated ? sample.started().plus(total(sample)) : null));
    boolean isTimed = isDated || sample.times().total() > 0;
    row.add(new Cell(isTimed ? number(sample.times().total()) : null));
    row.add(new Cell(isTimed ? number(sample.times().working()) : null));
    return row;
  }

  private static Duration total(SampleResult sample) {
    return Duration.ofNanos(Math.round(sample.times().total() * 1e9));
  }

  /** A price that nobody knows is not 0. */
  private static @Nullable BigDecimal cost(Cost cost) {
    return cost.usd().map(BigDecimal::stripTrailingZeros).orElse(null);
  }

  /** Without the {@code .0} of whole numbers; what is no number is left out. */
  private static @Nullable BigDecimal number(double value) {
    return Double.isFinite(value) ? BigDecimal.valueOf(value).stripTrailingZeros() : null;
  }
}
