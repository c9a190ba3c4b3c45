package dev.weir.cli;

import dev.weir.model.ConfigurationException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * A measurement that {@code weir bench} can run; found with {@link java.util.ServiceLoader}, so
 * that the command line does not depend on the benchmarks.
 */
public interface Benchmark {

  /** What it is called on the command line. */
  String name();

  /** What it measures, in one line. */
  String description();

  /** Runs once. */
  Report run() throws Exception;

  /**
   * Runs some of its rows, where it has rows.
   *
   * @param progress takes each line of the report as soon as it is known
   */
  default Report run(Rows rows, Consumer<String> progress) throws Exception {
    if (!rows.equals(Rows.ALL)) {
      throw new ConfigurationException(
          "'%s' has no rows; leave out --rows and --parallel, or measure limits --http"
              .formatted(name()));
    }
    return run();
  }

  /** Runs once on the user's data, where that can be done. */
  default Report run(Path data) throws Exception {
    throw new ConfigurationException(
        "'%s' measures nothing that could be given; leave out --data".formatted(name()));
  }

  /**
   * Which rows to measure.
   *
   * @param numbers empty for all
   * @param parallel the number of rows at a time; empty for what suits the benchmark
   */
  record Rows(Set<Integer> numbers, OptionalInt parallel) {

    public static final Rows ALL = new Rows(Set.of(), OptionalInt.empty());

    public Rows {
      numbers = Set.copyOf(numbers);
    }
  }

  /**
   * What was measured.
   *
   * @param figures by name, for scripts: numbers, text, lists and maps of them
   * @param text the same for people
   */
  record Report(Map<String, Object> figures, String text) {

    public Report {
      figures = Collections.unmodifiableMap(new LinkedHashMap<>(figures));
    }

    /** A report whose text is a line for each figure. */
    public static Report of(Map<String, Object> figures) {
      return new Report(
          figures,
          figures.entrySet().stream()
              .map(figure -> "%-32s %s%n".formatted(figure.getKey(), figure.getValue()))
              .collect(Collectors.joining()));
    }
  }
}
