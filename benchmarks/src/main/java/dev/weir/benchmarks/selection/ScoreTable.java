package dev.weir.benchmarks.selection;

import dev.weir.model.ConfigurationException;
import dev.weir.model.Printable;
import dev.weir.selection.Arms;
import dev.weir.selection.Evaluation;
import dev.weir.selection.Outcome;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Scores of combinations (rows) on datapoints (columns). The first column names the combination, as
 * "node=model + node=model"; an empty cell is an evaluation that failed.
 */
final class ScoreTable {

  private static final String SCORES = "score.csv";
  private static final String COMPLETE = "complete_rows.txt";

  private final String name;
  private final Arms arms;

  /** NaN where an evaluation failed. */
  private final List<double[]> rows;

  private ScoreTable(String name, Arms arms, List<double[]> rows) {
    this.name = name;
    this.arms = arms;
    this.rows = rows;
  }

  /** Those that come with the benchmark. */
  static List<ScoreTable> published() throws IOException {
    List<ScoreTable> tables = new ArrayList<>();
    for (String table : List.of("gpqa", "hotpotqa")) {
      tables.add(
          read(
              table,
              table + "/" + SCORES,
              resource(table + "/" + SCORES).orElseThrow(),
              resource(table + "/" + COMPLETE).orElse(List.of())));
    }
    return tables;
  }

  private static Optional<List<String>> resource(String path) throws IOException {
    try (InputStream in = ScoreTable.class.getResourceAsStream(path)) {
      if (in == null) {
        return Optional.empty();
      }
      return Optional.of(
          new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8)).lines().toList());
    }
  }

  /** The table in a directory, or those in its subdirectories. */
  static List<ScoreTable> in(Path directory) throws IOException {
    if (!Files.isDirectory(directory)) {
      throw new ConfigurationException(
          "`--data` must be a directory, was " + Printable.line(directory.toString()));
    }
    List<Path> files;
    try (Stream<Path> found = Files.walk(directory, 2)) {
      files = found.filter(file -> file.endsWith(SCORES)).sorted().toList();
    }
    if (files.isEmpty()) {
      throw new ConfigurationException(
          "there is no %s in %s nor in a directory in it"
              .formatted(SCORES, Printable.line(directory.toString())));
    }
    List<ScoreTable> tables = new ArrayList<>();
    for (Path file : files) {
      Path complete = file.resolveSibling(COMPLETE);
      Path parent = file.toAbsolutePath().normalize().getParent();
      tables.add(
          read(
              parent == null || parent.getFileName() == null
                  ? file.toString()
                  : parent.getFileName().toString(),
              Printable.line(file.toString()),
              lines(file),
              Files.exists(complete) ? lines(complete) : List.of()));
    }
    return tables;
  }

  private static List<String> lines(Path file) throws IOException {
    try (Stream<String> lines = Files.lines(file, StandardCharsets.UTF_8)) {
      return lines.toList();
    } catch (UncheckedIOException e) {
      throw new ConfigurationException(
          Printable.line(file.toString()) + " is not text in UTF-8", e);
    }
  }

  /**
   * Only the complete rows when they are named: the columns of the others do not show the same
   * datapoints.
   */
  static ScoreTable read(String name, String file, List<String> lines, List<String> complete) {
    if (lines.size() < 2) {
      throw new ConfigurationException(file + ": a header and at least one row are needed");
    }
    int columns = lines.getFirst().split(",", -1).length;
    if (columns < 2) {
      throw new ConfigurationException(file + ", line 1: the header names no datapoint");
    }
    Set<String> wanted = new LinkedHashSet<>(complete.stream().filter(l -> !l.isBlank()).toList());
    Set<String> missing = new LinkedHashSet<>(wanted);
    List<String> nodes = List.of();
    List<List<String>> combinations = new ArrayList<>();
    List<double[]> rows = new ArrayList<>();
    for (int i = 1; i < lines.size(); i++) {
      String[] cells = lines.get(i).split(",", -1);
      String where = "%s, line %d".formatted(file, i + 1);
      if (cells.length != columns) {
        throw new ConfigurationException(
            "%s: %d columns, but the header has %d".formatted(where, cells.length, columns));
      }
      double[] row = new double[columns - 1];
      for (int column = 1; column < columns; column++) {
        row[column - 1] = score(cells[column], where, column + 1);
      }
      missing.remove(cells[0]);
      if (!wanted.isEmpty() && !wanted.contains(cells[0])) {
        continue;
      }
      List<String> named = new ArrayList<>();
      combinations.add(models(cells[0], where, named));
      if (!nodes.isEmpty() && !nodes.equals(named)) {
        throw new ConfigurationException(
            "%s, column 1: the nodes are %s, but %s before".formatted(where, named, nodes));
      }
      nodes = named;
      rows.add(row);
    }
    if (!missing.isEmpty()) {
      throw new ConfigurationException(
          "%s has no row '%s', which is named as complete"
              .formatted(file, Printable.line(missing.iterator().next())));
    }
    if (rows.stream().flatMapToDouble(Arrays::stream).allMatch(Double::isNaN)) {
      throw new ConfigurationException(file + ": no cell has a score, so no row can be the best");
    }
    try {
      return new ScoreTable(name, Arms.listed(nodes, combinations), rows);
    } catch (IllegalArgumentException e) {
      throw new ConfigurationException(file + ": " + e.getMessage(), e);
    }
  }

  private static List<String> models(String label, String where, List<String> nodes) {
    List<String> models = new ArrayList<>();
    for (String part : label.split(" \\+ ", -1)) {
      int equals = part.indexOf('=');
      if (equals < 1) {
        throw new ConfigurationException(
            "%s, column 1: '%s' is not of the form node=model + node=model"
                .formatted(where, Printable.line(label)));
      }
      nodes.add(part.substring(0, equals));
      models.add(part.substring(equals + 1));
    }
    return models;
  }

  private static double score(String cell, String where, int column) {
    if (cell.isBlank()) {
      return Double.NaN;
    }
    double score;
    try {
      score = Double.parseDouble(cell.strip());
    } catch (NumberFormatException e) {
      throw new ConfigurationException(
          "%s, column %d: '%s' is not a number".formatted(where, column, Printable.line(cell)), e);
    }
    if (!(score >= 0 && score <= 1)) {
      throw new ConfigurationException(
          "%s, column %d: a score must be from 0 to 1, was %s".formatted(where, column, score));
    }
    return score;
  }

  String name() {
    return name;
  }

  Arms arms() {
    return arms;
  }

  int datapoints() {
    return rows.getFirst().length;
  }

  /** Failures count as wrong. */
  double mean(int arm) {
    return Arrays.stream(rows.get(arm))
        .map(cell -> Double.isNaN(cell) ? 0 : cell)
        .average()
        .orElse(0);
  }

  /** The mean of the worst combination. */
  double worst() {
    return IntStream.range(0, rows.size()).mapToDouble(this::mean).min().orElseThrow();
  }

  double best() {
    double best = 0;
    for (int arm = 0; arm < rows.size(); arm++) {
      best = Math.max(best, mean(arm));
    }
    return best;
  }

  /** What came of an evaluation, with datapoints in the given order. */
  Outcome outcome(Evaluation evaluation, int[] order) {
    double cell = rows.get(evaluation.arm())[order[evaluation.datapoint()]];
    return Double.isNaN(cell) ? Outcome.failure() : Outcome.scored(cell);
  }
}
