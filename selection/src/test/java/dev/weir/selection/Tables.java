package dev.weir.selection;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Published tables, and how a selection is run on one. */
final class Tables {

  private Tables() {}

  /** A table with a row for each combination; NaN where an evaluation failed. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Table(Arms arms, double[][] cells) {

    int datapoints() {
      return cells[0].length;
    }

    double mean(int arm) {
      return Arrays.stream(cells[arm])
          .map(cell -> Double.isNaN(cell) ? 0 : cell)
          .average()
          .orElse(0);
    }

    double best() {
      double best = 0;
      for (int arm = 0; arm < cells.length; arm++) {
        best = Math.max(best, mean(arm));
      }
      return best;
    }

    Outcome outcome(Evaluation evaluation) {
      double cell = cells[evaluation.arm()][evaluation.datapoint()];
      return Double.isNaN(cell) ? Outcome.failure() : Outcome.scored(cell);
    }
  }

  static Table read(String name) {
    List<List<String>> arms = new ArrayList<>();
    List<String> nodes = new ArrayList<>();
    List<double[]> rows = new ArrayList<>();
    for (String line : lines(name).stream().skip(1).toList()) {
      String[] cells = line.split(",", -1);
      List<String> models = new ArrayList<>();
      nodes.clear();
      for (String part : cells[0].split(" \\+ ", -1)) {
        nodes.add(part.substring(0, part.indexOf('=')));
        models.add(part.substring(part.indexOf('=') + 1));
      }
      arms.add(models);
      rows.add(
          Arrays.stream(cells)
              .skip(1)
              .mapToDouble(cell -> cell.isEmpty() ? Double.NaN : Double.parseDouble(cell))
              .toArray());
    }
    return new Table(Arms.listed(nodes, arms), rows.toArray(new double[0][]));
  }

  static List<String> lines(String name) {
    try (InputStream in = Tables.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalArgumentException("there is no " + name);
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** All of a selection, one evaluation after another. */
  static Selection run(SelectionPlan plan, Table table) {
    Selection selection = Selection.begin(plan);
    var next = selection.next();
    while (next.isPresent()) {
      selection.tell(next.get(), table.outcome(next.get()));
      next = selection.next();
    }
    return selection;
  }
}
