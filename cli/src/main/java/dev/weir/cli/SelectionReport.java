package dev.weir.cli;

import dev.weir.eval.select.SelectionFindings;
import dev.weir.model.Printable;
import dev.weir.selection.SelectionResult;
import dev.weir.selection.Standing;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.function.DoubleFunction;
import java.util.stream.Collectors;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** What a selection found, for people and programs. */
record SelectionReport(SelectionFindings found, SelectionNames names) {

  SelectionReport(SelectionFindings found) {
    this(found, new SelectionNames(found.plan().arms()));
  }

  private static final int LONGEST_ERROR = 300;
  private static final int MOST_ROWS = 100;

  private static final JsonMapper JSON =
      JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

  private static final JsonMapper LINE = new JsonMapper();

  private SelectionResult result() {
    return found.result();
  }

  private SelectionSummary summary() {
    return new SelectionSummary(found);
  }

  // For people.

  /**
   * With a table that is no wider than that.
   *
   * @param resumption the command that resumes a selection that ended early
   */
  String text(int columns, String resumption) {
    List<String> lines = new ArrayList<>(List.of(""));
    Grid ranking = ranking().fitting(columns);
    List<String> rows = ranking.lines(columns, Grid.Style.PLAIN);
    lines.add(rows.getFirst());
    lines.add(ranking.rule(columns));
    lines.addAll(rows.subList(1, rows.size()));
    int more = result().standings().size() - MOST_ROWS;
    if (more > 0) {
      lines.add("… and %d more; --csv FILE and --json have all".formatted(more));
    }
    lines.add("");
    lines.addAll(sentences());
    if (found.stopped().isPresent()) {
      lines.add("Resume: " + resumption);
    }
    return lines.stream().map(line -> line + System.lineSeparator()).collect(Collectors.joining());
  }

  private Grid ranking() {
    List<Grid.Column> columns = new ArrayList<>();
    columns.add(Grid.Column.right("#", 9));
    found.plan().arms().nodes().forEach(node -> columns.add(Grid.Column.name(node, 10, 8)));
    columns.add(Grid.Column.right("score", 10));
    if (SelectionSummary.hasOwnValue(found.plan())) {
      columns.add(Grid.Column.right("value", 10));
    }
    columns.add(Grid.Column.left("interval", 8));
    columns.add(Grid.Column.left("behind #1", 7));
    columns.add(Grid.Column.right("samples", 6));
    columns.add(Grid.Column.right("failed", 5));
    columns.add(Grid.Column.right("cost", 5));
    columns.add(Grid.Column.right("latency", 5));
    columns.add(Grid.Column.left("given up", 4));
    List<List<String>> rows = new ArrayList<>();
    for (Standing arm : result().standings()) {
      if (rows.size() < MOST_ROWS) {
        rows.add(row(rows.size() + 1, arm));
      }
    }
    return new Grid(columns, rows);
  }

  private List<String> row(int rank, Standing arm) {
    List<String> row = new ArrayList<>(List.of(Integer.toString(rank)));
    row.addAll(names.models(arm.arm()));
    row.add(shown(arm.score(), Numbers::score));
    if (SelectionSummary.hasOwnValue(found.plan())) {
      row.add(shown(arm.value(), Numbers::score));
    }
    row.add(
        arm.interval()
            .map(in -> String.format(Locale.ROOT, "%.3f to %.3f", in.low(), in.high()))
            .orElse("–"));
    row.add(
        arm.behindWinner()
            .map(
                behind ->
                    String.format(
                        Locale.ROOT,
                        "%.3f (%.3f to %.3f)",
                        behind.mean(),
                        behind.interval().low(),
                        behind.interval().high()))
            .orElse("–"));
    row.add(Integer.toString(arm.samples()));
    row.add(Integer.toString(arm.failures()));
    row.add(shown(arm.cost(), SelectionSummary::dollars));
    row.add(shown(arm.latency(), time -> String.format(Locale.ROOT, "%.2f s", time)));
    row.add(arm.elimination().map(gone -> "round " + gone.round()).orElse(""));
    return row;
  }

  private static String shown(OptionalDouble number, DoubleFunction<String> text) {
    return number.isPresent() ? text.apply(number.getAsDouble()) : "–";
  }

  private List<String> sentences() {
    List<String> sentences = new ArrayList<>();
    sentences.add(summary().verdict(names()::whole, names()::brief));
    summary().failures().ifPresent(sentences::add);
    if (!result().front().isEmpty()) {
      sentences.add("Front: " + SelectionSummary.names(result().front(), names()::brief));
    }
    sentences.add("Intervals: " + summary().intervals());
    sentences.add(evaluations());
    if (found.ahead().started() + found.ahead().inVain() > 0) {
      sentences.add(ahead());
    }
    sentences.add("Cost: " + summary().cost() + summary().savedCost().map("; "::concat).orElse(""));
    found.stopped().ifPresent(why -> sentences.add("Ended early: " + Printable.line(why)));
    found
        .errors()
        .forEach(
            (arm, error) ->
                sentences.add(
                    "Failed: %s: %s"
                        .formatted(
                            names().brief(arm), Cells.cut(Printable.line(error), LONGEST_ERROR))));
    sentences.add("Seed: " + found.plan().seed());
    sentences.add("Journal: " + Printable.line(found.journal().toString()));
    return sentences;
  }

  private String evaluations() {
    List<String> beside = new ArrayList<>(summary().attempts().stream().toList());
    if (found.kept() > 0) {
      beside.add("%d of them from the journal".formatted(found.kept()));
    }
    return "Evaluations: %d of %d".formatted(summary().evaluations(), result().allEvaluations())
        + (beside.isEmpty() ? "" : " (%s)".formatted(String.join(", ", beside)))
        + summary().savedEvaluations().map("; "::concat).orElse("");
  }

  private String ahead() {
    SelectionFindings.Ahead ahead = found.ahead();
    String cost =
        ahead.costInVain() > 0 ? String.format(Locale.ROOT, " ($%.4f)", ahead.costInVain()) : "";
    return ahead.started() > 0
        ? "Speculation: %d evaluations were begun ahead, %d in vain%s"
            .formatted(ahead.started(), ahead.inVain(), cost)
        : "In vain: %d evaluations of combinations that were given up meanwhile%s"
            .formatted(ahead.inVain(), cost);
  }

  // For programs.

  String json() {
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("task", found.task());
    all.put("ending", result().ending().name().toLowerCase(Locale.ROOT));
    found.stopped().ifPresent(why -> all.put("stopped", why));
    all.put("verdict", summary().verdict(names()::whole, names()::brief));
    result()
        .winner()
        .ifPresent(arm -> all.put(summary().isDecided() ? "winner" : "leader", found.models(arm)));
    all.put("not_decided", result().notDecided().stream().map(found::models).toList());
    all.put("not_looked_at", result().notLookedAt().stream().map(found::models).toList());
    all.put("not_shown_worse", result().notShownWorse().stream().map(found::models).toList());
    all.put("front", result().front().stream().map(found::models).toList());
    result().confidence().ifPresent(confidence -> all.put("confidence", confidence));
    all.put("evaluations", summary().evaluations());
    all.put("attempts", result().evaluations());
    all.put("evaluations_from_journal", found.kept());
    all.put("evaluations_ahead", found.ahead().started());
    all.put("evaluations_in_vain", found.ahead().inVain());
    all.put("evaluations_of_brute_force", result().allEvaluations());
    result().cost().ifPresent(cost -> all.put("cost_usd", cost));
    all.put("known_cost_usd", found.knownCost());
    summary()
        .bruteForceCost()
        .ifPresent(cost -> all.put("estimated_cost_of_brute_force_usd", cost));
    all.put("seconds", found.elapsed().toNanos() / 1e9);
    all.put("seed", found.plan().seed());
    all.put("journal", found.journal().toString());
    all.put("intervals", Map.of("method", "betting", "level", 1 - found.plan().delta()));
    all.put("ranking", result().standings().stream().map(this::values).toList());
    return JSON.writeValueAsString(all) + System.lineSeparator();
  }

  /** In the order of the columns of a table. */
  private Map<String, Object> values(Standing arm) {
    Map<String, Object> values = new LinkedHashMap<>();
    values.put("models", found.models(arm.arm()));
    values.put("samples", arm.samples());
    values.put("failures", arm.failures());
    arm.value().ifPresent(value -> values.put("value", value));
    arm.interval()
        .ifPresent(
            in -> {
              values.put("low", in.low());
              values.put("high", in.high());
            });
    arm.score().ifPresent(score -> values.put("score", score));
    arm.cost().ifPresent(cost -> values.put("cost_usd", cost));
    arm.latency().ifPresent(latency -> values.put("latency_s", latency));
    arm.behindWinner()
        .ifPresent(
            behind -> {
              values.put("behind_winner", behind.mean());
              values.put("behind_winner_low", behind.interval().low());
              values.put("behind_winner_high", behind.interval().high());
              values.put("common_samples", behind.datapoints());
            });
    arm.elimination()
        .ifPresent(
            gone -> {
              values.put("given_up_in_round", gone.round());
              values.put("given_up_because", gone.reason());
            });
    String error = found.errors().get(arm.arm());
    if (error != null) {
      values.put("error", error);
    }
    return values;
  }

  private static final List<String> COLUMNS =
      List.of(
          "samples",
          "failures",
          "value",
          "low",
          "high",
          "score",
          "cost_usd",
          "latency_s",
          "behind_winner",
          "behind_winner_low",
          "behind_winner_high",
          "common_samples",
          "given_up_in_round",
          "given_up_because",
          "error");

  String csv() {
    List<String> nodes = found.plan().arms().nodes();
    List<String> lines = new ArrayList<>();
    List<String> heading = new ArrayList<>(List.of("rank"));
    heading.addAll(nodes);
    heading.addAll(COLUMNS);
    lines.add(line(heading));
    int rank = 1;
    for (Standing arm : result().standings()) {
      List<String> row = new ArrayList<>(List.of(Integer.toString(rank++)));
      row.addAll(found.plan().arms().models(arm.arm()));
      Map<String, Object> values = values(arm);
      COLUMNS.forEach(column -> row.add(String.valueOf(values.getOrDefault(column, ""))));
      lines.add(line(row));
    }
    return String.join("\n", lines) + "\n";
  }

  private static String line(List<String> cells) {
    return cells.stream().map(SelectionReport::quoted).collect(Collectors.joining(","));
  }

  private static String quoted(String cell) {
    return cell.matches("[^\",\r\n]*") ? cell : '"' + cell.replace("\"", "\"\"") + '"';
  }

  /** Options of a task file, or of {@code weir eval}; JSON texts are YAML, too. */
  static String config(Map<String, Object> options) {
    var text = new StringBuilder("# Chosen by weir select\n");
    options.forEach(
        (key, value) ->
            text.append(key).append(": ").append(LINE.writeValueAsString(value)).append('\n'));
    return text.toString();
  }
}
