package dev.weir.log;

import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * The samples of logs as rows of one table. Rows are made one at a time.
 *
 * @param scorers whose scores any of the samples has, in order
 * @param roles of the models that any of the samples called
 * @param metadata the keys that any of the samples has
 */
record SampleTable(
    List<Path> files, List<String> scorers, List<String> roles, List<String> metadata) {

  private static final JsonMapper JSON = new JsonMapper();

  /** Reads the logs once, for the columns. */
  static SampleTable of(List<Path> files) throws IOException {
    Set<String> scorers = new LinkedHashSet<>();
    Set<String> roles = new LinkedHashSet<>();
    Set<String> metadata = new LinkedHashSet<>();
    for (Path file : files) {
      try (var log = RunLogReader.open(file)) {
        Set<String> named = new LinkedHashSet<>(log.start().scorers());
        Set<String> scored = new LinkedHashSet<>();
        for (Optional<SampleResult> next = log.sample(); next.isPresent(); next = log.sample()) {
          scored.addAll(next.get().scores().keySet());
          next.get().calls().forEach(call -> roles.add(call.role()));
          metadata.addAll(next.get().metadata().keySet());
        }
        // Some scorers of Inspect give several scores, and none by their own name.
        if (!scored.isEmpty()) {
          named.retainAll(scored);
          named.addAll(scored);
        }
        scorers.addAll(named);
      }
    }
    return new SampleTable(
        List.copyOf(files), List.copyOf(scorers), List.copyOf(roles), List.copyOf(metadata));
  }

  /** What is done with a row. */
  interface Use {
    void row(List<Cell> cells) throws IOException;
  }

  /**
   * A value.
   *
   * @param value a text, a number or a time; of metadata also a list or a map; null if there is
   *     none
   */
  record Cell(@Nullable Object value) {

    String text() {
      if (value == null) {
        return "";
      }
      return switch (value) {
        case BigDecimal number -> number.toPlainString();
        case Map<?, ?> map -> JSON.writeValueAsString(map);
        case List<?> list -> JSON.writeValueAsString(list);
        default -> value.toString();
      };
    }
  }

  List<String> columns() {
    List<String> columns =
        new ArrayList<>(
            List.of("log", "task", "model", "id", "epoch", "input", "target", "output"));
    scorers.forEach(scorer -> columns.add("score:" + scorer));
    scorers.forEach(scorer -> columns.add("explanation:" + scorer));
    columns.addAll(List.of("error", "limit", "retries", "input_tokens", "output_tokens"));
    for (String role : roles) {
      columns.add("input_tokens:" + role);
      columns.add("output_tokens:" + role);
    }
    columns.addAll(List.of("cost_usd", "started", "completed", "total_seconds", "working_seconds"));
    metadata.forEach(key -> columns.add("metadata:" + key));
    return columns;
  }

  /** Gives what is damaged and therefore left out, in sentences. */
  List<String> each(Use use) throws IOException {
    List<String> damage = new ArrayList<>();
    for (Path file : files) {
      try (var log = RunLogReader.open(file)) {
        for (Optional<SampleResult> next = log.sample(); next.isPresent(); next = log.sample()) {
          use.row(row(file, log.start(), next.get()));
        }
        damage.addAll(log.damage());
      }
    }
    return damage;
  }

  private List<Cell> row(Path file, RunStart start, SampleResult sample) {
    List<Cell> row = new ArrayList<>();
    row.add(new Cell(file.toString()));
    row.add(new Cell(start.task()));
    row.add(new Cell(start.model()));
    row.add(new Cell(sample.id()));
    row.add(new Cell(sample.epoch()));
    row.add(new Cell(sample.input()));
    row.add(new Cell(String.join(" | ", sample.targets())));
    row.add(new Cell(sample.output().orElse(null)));
    List<Optional<SampleResult.ScoreResult>> scores =
        scorers.stream().map(scorer -> Optional.ofNullable(sample.scores().get(scorer))).toList();
    scores.forEach(score -> row.add(new Cell(score.map(it -> number(it.value())).orElse(null))));
    scores.forEach(
        score ->
            row.add(new Cell(score.flatMap(SampleResult.ScoreResult::explanation).orElse(null))));
    row.add(new Cell(sample.error().orElse(sample.cancelled() ? "cancelled" : null)));
    row.add(new Cell(sample.limit().map(SampleResult.LimitHit::type).orElse(null)));
    row.add(new Cell(sample.retries()));
    row.add(new Cell(sample.tokens().input()));
    row.add(new Cell(sample.tokens().output()));
    for (String role : roles) {
      Tokens used =
          sample.calls().stream()
              .filter(call -> call.role().equals(role))
              .map(ModelCall::tokens)
              .reduce(Tokens.NONE, Tokens::plus);
      row.add(new Cell(used.input()));
      row.add(new Cell(used.output()));
    }
    row.add(new Cell(cost(sample.cost())));
    // Old logs do not tell.
    boolean isDated = sample.started().isAfter(Instant.EPOCH);
    row.add(new Cell(isDated ? sample.started() : null));
    row.add(new Cell(isDated ? sample.started().plus(total(sample)) : null));
    boolean isTimed = isDated || sample.times().total() > 0;
    row.add(new Cell(isTimed ? number(sample.times().total()) : null));
    row.add(new Cell(isTimed ? number(sample.times().working()) : null));
    metadata.forEach(key -> row.add(new Cell(sample.metadata().get(key))));
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
