package dev.weir.cli;

import dev.weir.eval.compare.LogComparison;
import dev.weir.eval.compare.LogComparison.ComparedLog;
import dev.weir.eval.compare.LogComparison.Difference;
import dev.weir.eval.compare.LogComparison.Excluded;
import dev.weir.eval.compare.LogComparison.Flip;
import dev.weir.eval.compare.LogComparison.Setting;
import dev.weir.log.RunResult;
import dev.weir.model.Printable;
import dev.weir.statistics.Interval;
import dev.weir.statistics.PairedComparison;
import java.io.PrintWriter;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** A comparison of runs, for people and for programs. */
final class ComparisonReport {

  /** Changed samples in each direction. */
  static final int SHOWN_FLIPS = 10;

  private static final int LONGEST_SETTING = 60;

  private final LogComparison comparison;
  private final Optional<Double> tolerance;
  private final int flips;

  /**
   * @param tolerance how much worse is accepted, if that decides the exit code
   * @param flips how many changed samples are named in each direction
   */
  ComparisonReport(LogComparison comparison, Optional<Double> tolerance, int flips) {
    this.comparison = comparison;
    this.tolerance = tolerance;
    this.flips = flips;
  }

  // For a terminal.

  void print(PrintWriter out, int columns) {
    out.println(
        "Scores of %s, each log compared with A:".formatted(Printable.line(comparison.scorer())));
    out.println();
    Grid grid = grid();
    List<String> lines = grid.lines(columns, Grid.Style.PLAIN);
    out.println(lines.getFirst());
    out.println(grid.rule(columns));
    lines.stream().skip(1).forEach(out::println);
    out.println();
    for (int i = 0; i < comparison.differences().size(); i++) {
      String name = name(i + 1);
      Difference difference = comparison.differences().get(i);
      wrapped(out, verdict(name, difference.scores()), columns);
      excluded(name, difference.excluded()).ifPresent(line -> wrapped(out, line, columns));
      flips(out, "Worse in " + name, difference.worse(), columns);
      flips(out, "Better in " + name, difference.better(), columns);
      settings(out, name, difference.settings(), columns);
      out.println();
    }
    family().ifPresent(sentence -> wrapped(out, sentence, columns));
    out.println("Logs:");
    logs().forEach((name, log) -> out.println("  " + name + "  " + ShellWord.of(log.log())));
    out.println("To read a sample: weir log show LOG --sample ID");
    if (comparison.scorers().size() > 1) {
      wrapped(
          out,
          "Other scorers that all logs have (--scorer): "
              + Printable.line(
                  String.join(
                      ", ",
                      comparison.scorers().stream()
                          .filter(scorer -> !scorer.equals(comparison.scorer()))
                          .toList())),
          columns);
    }
  }

  private Map<String, ComparedLog> logs() {
    Map<String, ComparedLog> logs = new LinkedHashMap<>();
    logs.put(name(0), comparison.baseline());
    comparison.differences().forEach(it -> logs.put(name(logs.size()), it.log()));
    return logs;
  }

  /** A, B … Z, then 27, 28. */
  private static String name(int place) {
    return place < 26 ? String.valueOf((char) ('A' + place)) : String.valueOf(place + 1);
  }

  private Grid grid() {
    List<List<String>> rows = new ArrayList<>();
    PairedComparison first = comparison.differences().getFirst().scores();
    boolean isShared = hasOneBaseline();
    rows.add(
        row(
            name(0),
            comparison.baseline(),
            isShared ? Numbers.score(first.baselineMean()) : "–",
            "",
            "",
            isShared ? String.valueOf(first.count()) : "",
            "",
            ""));
    for (Difference difference : comparison.differences()) {
      PairedComparison scores = difference.scores();
      rows.add(
          row(
              name(rows.size()),
              difference.log(),
              score(scores),
              signed(scores.difference()) + scores.interval().map(this::brackets).orElse(""),
              p(scores.test().p()),
              String.valueOf(scores.count()),
              String.valueOf(scores.down()),
              String.valueOf(scores.up())));
    }
    return new Grid(
        List.of(
            Grid.Column.left("", 9),
            Grid.Column.name("task", 1, 10),
            Grid.Column.name("model", 7, 10),
            Grid.Column.left("score", 8),
            Grid.Column.left("difference [%s]".formatted(level()), 10),
            Grid.Column.right("p", 8),
            Grid.Column.right("pairs", 6),
            Grid.Column.right("worse", 5),
            Grid.Column.right("better", 5),
            Grid.Column.right("time", 2),
            Grid.Column.right("cost", 3)),
        rows);
  }

  /** Whether the score of the baseline is the same, over as many pairs, beside each log. */
  private boolean hasOneBaseline() {
    PairedComparison first = comparison.differences().getFirst().scores();
    return comparison.differences().stream()
        .map(Difference::scores)
        .allMatch(
            it ->
                it.count() == first.count()
                    && Double.compare(it.baselineMean(), first.baselineMean()) == 0);
  }

  /** Where each log shares other samples with the baseline, with the score of the baseline. */
  private String score(PairedComparison scores) {
    return hasOneBaseline()
        ? Numbers.score(scores.mean())
        : "%s (A: %s)"
            .formatted(Numbers.score(scores.mean()), Numbers.score(scores.baselineMean()));
  }

  private static List<String> row(
      String name,
      ComparedLog log,
      String score,
      String difference,
      String p,
      String pairs,
      String worse,
      String better) {
    Optional<RunResult> result = log.result();
    return List.of(
        name,
        Printable.line(log.start().task()),
        Printable.line(log.start().model()),
        score,
        difference,
        p,
        pairs,
        worse,
        better,
        result.map(it -> Numbers.span(it.seconds())).orElse("–"),
        result
            .map(RunResult::cost)
            .map(it -> Numbers.cost(it.knownUsd(), it.pricedCalls(), it.unknownCalls()))
            .orElse("–"));
  }

  private String level() {
    return comparison.differences().getFirst().scores().interval().map(this::level).orElse("95 %");
  }

  private String level(Interval interval) {
    double percent = interval.confidence() * 100;
    return "%s %%"
        .formatted(
            BigDecimal.valueOf(percent)
                .setScale(1, RoundingMode.HALF_UP)
                .stripTrailingZeros()
                .toPlainString());
  }

  private String brackets(Interval interval) {
    return " [%s, %s]".formatted(signed(interval.low()), signed(interval.high()));
  }

  private static String signed(double value) {
    String shown = Numbers.score(value);
    boolean isZero = shown.chars().noneMatch(c -> c >= '1' && c <= '9');
    return isZero ? shown.replace("-", "") : value > 0 ? "+" + shown : shown;
  }

  private static String p(double p) {
    return p < 0.001 ? "<0.001" : String.format(Locale.ROOT, "%.3f", p);
  }

  /** One sentence that is never more certain than the interval. */
  private String verdict(String name, PairedComparison scores) {
    String evidence =
        "%s; %s"
            .formatted(
                scores
                    .interval()
                    .map(
                        range ->
                            "%s interval %s to %s, %s"
                                .formatted(
                                    level(range),
                                    signed(range.low()),
                                    signed(range.high()),
                                    range.method().words()))
                    .orElse(
                        scores.count() == 1 ? "one pair has no interval" : "all pairs are equal"),
                scores.test().sentence());
    String said;
    if (scores.isEvidence()) {
      said =
          "%s scores %s than A by %s (%s)."
              .formatted(
                  name,
                  scores.difference() < 0 ? "lower" : "higher",
                  Numbers.score(Math.abs(scores.difference())),
                  evidence);
    } else {
      said =
          "No evidence that %s scores differently from A: %s (%s)."
              .formatted(name, signed(scores.difference()), evidence);
    }
    return said + regression(name, scores);
  }

  /** Several intervals are wider than a single one would be, which people should know. */
  private Optional<String> family() {
    int count = comparison.differences().size();
    return count == 1
        ? Optional.empty()
        : Optional.of(
            "%s intervals together hold with 95 %% confidence (Bonferroni)."
                .formatted(count == 2 ? "Both" : "All " + count));
  }

  private String regression(String name, PairedComparison scores) {
    if (tolerance.isEmpty()) {
      return "";
    }
    String bound = tolerance.get() == 0 ? "below 0" : "below " + signed(-tolerance.get());
    return scores.isRegression(tolerance.get())
        ? " Regression of %s: the whole interval of the difference lies %s.".formatted(name, bound)
        : " No regression: the interval does not lie %s.".formatted(bound);
  }

  private static Optional<String> excluded(String name, Excluded excluded) {
    List<String> parts = new ArrayList<>();
    add(parts, excluded.otherContent(), "with different content");
    add(parts, excluded.onlyInBaseline(), "only in A");
    add(parts, excluded.onlyInLog(), "only in " + name);
    add(parts, excluded.unscoredInBaseline(), "without a score in A");
    add(parts, excluded.unscoredInLog(), "without a score in " + name);
    return parts.isEmpty()
        ? Optional.empty()
        : Optional.of("Samples not compared: " + String.join(", ", parts) + ".");
  }

  private static void add(List<String> parts, int count, String what) {
    if (count > 0) {
      parts.add(count + " " + what);
    }
  }

  private void flips(PrintWriter out, String heading, List<Flip> all, int columns) {
    if (all.isEmpty()) {
      return;
    }
    String named =
        String.join(", ", all.stream().limit(flips).map(ComparisonReport::shown).toList());
    String more = all.size() > flips ? " and %s more".formatted(all.size() - flips) : "";
    wrapped(out, "%s (%s): %s%s".formatted(heading, all.size(), named, more), columns);
  }

  private static String shown(Flip flip) {
    return "%s %s → %s"
        .formatted(Printable.line(flip.id()), brief(flip.baseline()), brief(flip.score()));
  }

  private static String brief(double score) {
    return score == Math.rint(score) && Math.abs(score) < 1e6
        ? String.valueOf((long) score)
        : Numbers.score(score);
  }

  private static void settings(PrintWriter out, String name, List<Setting> settings, int columns) {
    if (settings.isEmpty()) {
      out.println("%s: same settings.".formatted(name));
      return;
    }
    out.println("Settings that differ:");
    List<List<String>> rows =
        settings.stream()
            .map(it -> List.of("  " + shown(it.name()), shown(it.baseline()), shown(it.value())))
            .toList();
    var grid =
        new Grid(
            List.of(
                Grid.Column.name("  setting", 9, 10),
                Grid.Column.name("A", 8, 10),
                Grid.Column.name(name, 8, 10)),
            rows);
    grid.lines(columns, Grid.Style.PLAIN).forEach(out::println);
  }

  private static String shown(Optional<String> value) {
    return value.map(ComparisonReport::shown).orElse("–");
  }

  private static String shown(String value) {
    return Cells.cutInside(Printable.line(value), LONGEST_SETTING);
  }

  /** Broken between words. */
  private static void wrapped(PrintWriter out, String sentence, int columns) {
    String rest = sentence;
    String before = "";
    while (Cells.width(before + rest) > columns) {
      int space = rest.lastIndexOf(' ', Cells.fitting(rest, columns - before.length()));
      if (space <= 0) {
        break;
      }
      out.println(before + rest.substring(0, space));
      rest = rest.substring(space + 1);
      before = "  ";
    }
    out.println(before + rest);
  }

  // For a page that shows Markdown.

  void markdown(PrintWriter out) {
    out.println("### Scores of `%s`".formatted(escaped(comparison.scorer())));
    out.println();
    out.println(
        "| | model | score | difference [%s] | p | pairs | worse | better |".formatted(level()));
    out.println("|---|---|---|---|---|---|---|---|");
    boolean isShared = hasOneBaseline();
    out.println(
        "| A | %s | %s | | | | | |"
            .formatted(
                escaped(comparison.baseline().start().model()),
                isShared
                    ? Numbers.score(comparison.differences().getFirst().scores().baselineMean())
                    : "–"));
    for (int i = 0; i < comparison.differences().size(); i++) {
      Difference difference = comparison.differences().get(i);
      PairedComparison scores = difference.scores();
      out.println(
          "| %s | %s | %s | %s | %s | %s | %s | %s |"
              .formatted(
                  name(i + 1),
                  escaped(difference.log().start().model()),
                  score(scores),
                  signed(scores.difference()) + scores.interval().map(this::brackets).orElse(""),
                  p(scores.test().p()),
                  scores.count(),
                  scores.down(),
                  scores.up()));
    }
    for (int i = 0; i < comparison.differences().size(); i++) {
      Difference difference = comparison.differences().get(i);
      String name = name(i + 1);
      out.println();
      out.println(verdict(name, difference.scores()));
      excluded(name, difference.excluded())
          .ifPresent(
              line -> {
                out.println();
                out.println(line);
              });
      details(out, "Worse in " + name, difference.worse());
      details(out, "Better in " + name, difference.better());
      if (!difference.settings().isEmpty()) {
        out.println();
        out.println("| setting | A | %s |".formatted(name));
        out.println("|---|---|---|");
        difference
            .settings()
            .forEach(
                it ->
                    out.println(
                        "| %s | %s | %s |"
                            .formatted(
                                escaped(it.name()),
                                escaped(shown(it.baseline())),
                                escaped(shown(it.value())))));
      }
    }
    family()
        .ifPresent(
            sentence -> {
              out.println();
              out.println(sentence);
            });
  }

  private void details(PrintWriter out, String heading, List<Flip> all) {
    if (all.isEmpty()) {
      return;
    }
    out.println();
    out.println("<details><summary>%s: %s</summary>".formatted(heading, all.size()));
    out.println();
    out.println("| sample | A | score |");
    out.println("|---|---|---|");
    all.stream()
        .limit(flips)
        .forEach(
            flip ->
                out.println(
                    "| %s | %s | %s |"
                        .formatted(
                            escaped(flip.id()), brief(flip.baseline()), brief(flip.score()))));
    if (all.size() > flips) {
      out.println("| … %s more | | |".formatted(all.size() - flips));
    }
    out.println();
    out.println("</details>");
  }

  /** Nothing that a name contains is taken for Markdown or HTML. */
  private static String escaped(String text) {
    return Printable.line(text)
        .replace("&", "&amp;")
        .replace("<", "&lt;")
        .replaceAll("([\\\\`*_\\[\\]|~#])", "\\\\$1");
  }

  // For programs.

  Map<String, Object> document() {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("scorer", comparison.scorer());
    document.put("scorers", comparison.scorers());
    document.put("baseline", document(comparison.baseline()));
    document.put("comparisons", comparison.differences().stream().map(this::document).toList());
    return document;
  }

  private static Map<String, Object> document(ComparedLog log) {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("log", log.log().toString());
    document.put("task", log.start().task());
    document.put("model", log.start().model());
    document.put("seconds", log.result().map(RunResult::seconds).orElse(null));
    document.put("cost_usd", log.result().flatMap(it -> it.cost().usd()).orElse(null));
    return document;
  }

  private Map<String, Object> document(Difference difference) {
    PairedComparison scores = difference.scores();
    Map<String, Object> document = new LinkedHashMap<>(document(difference.log()));
    document.put("pairs", scores.count());
    document.put("baseline_mean", scores.baselineMean());
    document.put("mean", scores.mean());
    document.put("difference", scores.difference());
    document.put(
        "interval",
        scores
            .interval()
            .map(
                range ->
                    Map.of(
                        "low",
                        range.low(),
                        "high",
                        range.high(),
                        "confidence",
                        range.confidence(),
                        "method",
                        range.method().words()))
            .orElse(null));
    document.put(
        "test",
        Map.of(
            "p",
            scores.test().p(),
            "method",
            scores.test().method().name().toLowerCase(Locale.ROOT)));
    document.put("evidence", scores.isEvidence());
    document.put("regression", scores.isRegression(tolerance.orElse(0.0)));
    document.put("worse", difference.worse());
    document.put("better", difference.better());
    Excluded excluded = difference.excluded();
    Map<String, Object> left = new LinkedHashMap<>();
    left.put("different_content", excluded.otherContent());
    left.put("only_in_baseline", excluded.onlyInBaseline());
    left.put("only_in_log", excluded.onlyInLog());
    left.put("unscored_in_baseline", excluded.unscoredInBaseline());
    left.put("unscored_in_log", excluded.unscoredInLog());
    document.put("excluded", left);
    Map<String, Object> settings = new LinkedHashMap<>();
    difference
        .settings()
        .forEach(
            it -> {
              Map<String, Object> values = new LinkedHashMap<>();
              values.put("baseline", it.baseline().orElse(null));
              values.put("log", it.value().orElse(null));
              settings.put(it.name(), values);
            });
    document.put("settings", settings);
    return document;
  }
}
