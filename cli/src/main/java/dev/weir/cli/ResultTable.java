package dev.weir.cli;

import dev.weir.eval.Evaluation;
import dev.weir.log.Cost;
import dev.weir.log.RunResult;
import dev.weir.log.RunResult.FailedSample;
import dev.weir.log.RunResult.Range;
import dev.weir.log.RunResult.ScorerMetrics;
import dev.weir.log.Times;
import dev.weir.model.Printable;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The results of all runs, for people. */
final class ResultTable {

  /** A log or a pipe cuts nothing off. */
  static final int UNBOUNDED = 10_000;

  private static final int LONGEST_ERROR = 300;
  private static final int MOST_SCORES = 50;
  private static final double LEAST_SAVED_SECONDS = 1;

  /** How a provider names a request: errors that differ in nothing else are one. */
  private static final Pattern REQUEST = Pattern.compile(" \\(request [^()]*\\)");

  private static final String PER_MINUTE = "per minute";

  private final PrintWriter out;
  private final int columns;

  /**
   * @param columns how wide tables may be; sentences may be longer
   */
  ResultTable(PrintWriter out, int columns) {
    this.out = out;
    this.columns = columns;
  }

  void print(Evaluation.Finished finished) {
    List<RunResult> results = finished.runs().stream().map(Evaluation.FinishedRun::result).toList();
    Grid summary = summary(results);
    print(summary);
    scores(results);
    out.println();
    for (int i = 0; i < results.size(); i++) {
      RunResult result = results.get(i);
      String indent = results.size() == 1 ? "" : "  ";
      if (results.size() > 1) {
        printWrapped(Printable.line(name(result)), "");
      }
      List<String> leftOut = summary.leftOut(columns, i);
      if (!leftOut.isEmpty()) {
        printWrapped(String.join(" · ", leftOut), indent);
      }
      sentences(result).forEach(sentence -> printWrapped(sentence, indent));
      for (String role : finished.runs().get(i).selfGradedRoles()) {
        printWrapped(
            "Graded by the evaluated model itself; to use another one: --model-role %s=provider/model"
                .formatted(Printable.line(role)),
            indent);
      }
      failures(result, indent);
    }
    intervals(results).ifPresent(out::println);
    out.println("Seed: " + finished.result().start().seed());
    for (Evaluation.FinishedRun run : finished.runs()) {
      run.file().ifPresent(file -> out.println("Log: " + Printable.line(file.toString())));
    }
  }

  /** Of which kind the intervals in brackets are: others of the same data differ. */
  static Optional<String> intervals(List<RunResult> results) {
    String methods =
        results.stream()
            .flatMap(result -> result.scores().stream())
            .flatMap(scores -> scores.interval().stream())
            .flatMap(range -> range.method().stream())
            .distinct()
            .collect(Collectors.joining("; "));
    return methods.isEmpty()
        ? Optional.empty()
        : Optional.of("Intervals: 95 %, " + Printable.line(methods));
  }

  private void print(Grid grid) {
    out.println();
    List<String> lines = grid.lines(columns, Grid.Style.PLAIN);
    out.println(lines.getFirst());
    out.println(grid.rule(columns));
    lines.stream().skip(1).forEach(out::println);
  }

  /** Between words, where the terminal would do it anywhere. */
  private void printWrapped(String sentence, String indent) {
    String rest = sentence;
    String before = indent;
    while (Cells.width(before + rest) > columns) {
      int end = Cells.fitting(rest, columns - before.length());
      int space = rest.lastIndexOf(' ', end);
      if (space <= 0) {
        break;
      }
      out.println(before + rest.substring(0, space));
      rest = rest.substring(space + 1);
      before = indent + "  ";
    }
    out.println(before + rest);
  }

  private static String name(RunResult result) {
    return "%s on %s".formatted(result.start().task(), result.start().model());
  }

  // The main table.

  private static Grid summary(List<RunResult> results) {
    List<Grid.Column> headings =
        List.of(
            Grid.Column.name("task", 9, 10),
            Grid.Column.name("model", 8, 10),
            Grid.Column.left(heading(results), 10),
            Grid.Column.left("samples", 7),
            Grid.Column.left("errors", 6),
            Grid.Column.left("retries", 2),
            Grid.Column.left("time", 3),
            Grid.Column.left("tokens", 4),
            Grid.Column.left("cost", 5));
    return new Grid(headings, results.stream().map(ResultTable::cells).toList());
  }

  private static String heading(List<RunResult> results) {
    Set<String> names =
        results.stream().map(ResultTable::headline).collect(Collectors.toUnmodifiableSet());
    return (names.size() == 1 ? names.iterator().next() : "score") + " [95 %]";
  }

  /** The metric that a run is known by. */
  private static String headline(RunResult result) {
    Set<String> metrics = result.metrics().keySet();
    return metrics.contains("accuracy")
        ? "accuracy"
        : metrics.contains("mean") ? "mean" : metrics.stream().findFirst().orElse("accuracy");
  }

  private static List<String> cells(RunResult result) {
    return List.of(
        Printable.line(result.start().task()),
        Printable.line(result.start().model()),
        result.scores().stream()
            .findFirst()
            .map(scores -> value(scores, headline(result)))
            .orElse("–"),
        samples(result.samples()),
        String.valueOf(result.samples().failed()),
        String.valueOf(result.retries()),
        Numbers.span(result.seconds()),
        "%s in, %s out".formatted(result.tokens().input(), result.tokens().output()),
        cost(result.cost()));
  }

  /** A mean has its 95 % interval, whatever level the metric {@code ci} was asked for. */
  static String value(ScorerMetrics scores, String metric) {
    Double value = scores.metrics().get(metric);
    if (value == null) {
      return "–";
    }
    boolean isMean = metric.equals("accuracy") || metric.equals("mean");
    return isMean && scores.interval().isPresent()
        ? Numbers.score(value, scores.interval().get().low(), scores.interval().get().high())
        : Numbers.score(value);
  }

  private static String cost(Cost cost) {
    return Numbers.cost(cost.knownUsd(), cost.pricedCalls(), cost.unknownCalls());
  }

  private static String samples(RunResult.Counts counts) {
    return counts.scored() == counts.total()
        ? String.valueOf(counts.total())
        : counts.scored() + " of " + counts.total();
  }

  // All scores, when the main table cannot hold them.

  private void scores(List<RunResult> results) {
    List<List<String>> rows = new ArrayList<>();
    for (RunResult result : results) {
      if (result.scores().size() > 1 || hasMore(result)) {
        result.scores().forEach(scores -> rows.addAll(rows(result, scores)));
      }
    }
    if (rows.isEmpty()) {
      return;
    }
    List<Grid.Column> headings =
        List.of(
            Grid.Column.name("task", 3, 10),
            Grid.Column.name("model", 4, 10),
            Grid.Column.name("scorer", 6, 8),
            Grid.Column.left("reducer", 5),
            Grid.Column.name("metric", 7, 8),
            Grid.Column.left("value [95 %]", 8));
    print(new Grid(headings, rows.subList(0, Math.min(rows.size(), MOST_SCORES))));
    if (rows.size() > MOST_SCORES) {
      out.println("and %s more, in the log".formatted(rows.size() - MOST_SCORES));
    }
  }

  private static boolean hasMore(RunResult result) {
    Optional<Range> shown = result.scores().stream().findFirst().flatMap(ScorerMetrics::interval);
    return result.metrics().entrySet().stream()
        .anyMatch(
            metric ->
                !metric.getKey().equals(headline(result))
                    && !isTold(metric.getKey(), metric.getValue(), shown));
  }

  /** Whether the interval in the main table says it already; one of another level does not. */
  private static boolean isTold(String metric, double value, Optional<Range> shown) {
    return switch (metric) {
      case "stderr" -> true;
      case "ci_low" -> shown.isPresent() && shown.get().low() == value;
      case "ci_high" -> shown.isPresent() && shown.get().high() == value;
      default -> false;
    };
  }

  private static List<List<String>> rows(RunResult result, ScorerMetrics scores) {
    return scores.metrics().keySet().stream()
        .map(
            metric ->
                List.of(
                    Printable.line(result.start().task()),
                    Printable.line(result.start().model()),
                    Printable.line(scores.scorer()),
                    scores.reducer(),
                    Printable.line(metric),
                    value(scores, metric)))
        .toList();
  }

  // What is best told in sentences.

  private static List<String> sentences(RunResult result) {
    List<String> sentences = new ArrayList<>();
    switch (result.status()) {
      case SUCCESS -> {}
      case CANCELLED ->
          sentences.add(
              "%s: %s of %s samples were not finished."
                  .formatted(
                      result.stopped().map(why -> "Stopped, " + why).orElse("Interrupted"),
                      result.samples().unfinished(),
                      result.samples().total()));
      case ERROR -> {
        String why = withoutFullStop(cause(result));
        sentences.add(
            result.samples().unfinished() == 0
                ? "The run failed: %s.".formatted(why)
                : "The run ended early: %s. %s of %s samples were not finished."
                    .formatted(why, result.samples().unfinished(), result.samples().total()));
      }
    }
    sentences.addAll(limitedBy(result));
    // Such a limit is confidential, and time of calls ÷ time of the run is its number.
    if (result.models().stream().noneMatch(ResultTable::isHeldByEngineLimit)) {
      sentences.add(times(result.times()));
    }
    if (result.cachedAnswers() > 0) {
      sentences.add("From the cache: " + Numbers.count(result.cachedAnswers(), "answer"));
    }
    if (!result.limits().isEmpty()) {
      sentences.add(
          "Ended by limits: "
              + result.limits().entrySet().stream()
                  .map(
                      entry ->
                          "%s by %s"
                              .formatted(
                                  Numbers.count(entry.getValue(), "sample"),
                                  Printable.line(entry.getKey())))
                  .collect(Collectors.joining(", ")));
    }
    result.retriedSamples().ifPresent(sentences::add);
    for (RunResult.ModelUse use : result.models()) {
      use.suggestedMaxConnections()
          .ifPresent(
              enough ->
                  sentences.add(
                      "Enough for the known rate of %s: %s in flight (requests per minute ×"
                              .formatted(Printable.line(use.model()), Numbers.count(enough, "call"))
                          + " mean seconds of a call ÷ 60)"));
    }
    return sentences;
  }

  private static boolean isHeldByEngineLimit(RunResult.ModelUse use) {
    return use.limitedBy()
        .filter(limit -> limit.limit().equals(RunResult.LimitedBy.ENGINE_LIMIT))
        .isPresent();
  }

  /** What limited each model that was asked, as it was measured. */
  private static List<String> limitedBy(RunResult result) {
    List<RunResult.ModelUse> asked =
        result.models().stream().filter(use -> use.calls() > 0).toList();
    List<String> limits =
        asked.stream()
            .filter(use -> use.limitedBy().isPresent())
            .map(use -> limitedBy(use, use.limitedBy().get(), asked.size() > 1))
            .toList();
    boolean isLimitedElsewhere = result.times().shared() > 0;
    boolean isFinished = result.status() == RunResult.Status.SUCCESS;
    return limits.isEmpty() && !asked.isEmpty() && !isLimitedElsewhere && isFinished
        ? List.of("Limited by: no limit; the time went to answers, tools and scoring")
        : limits;
  }

  private static String limitedBy(
      RunResult.ModelUse use, RunResult.LimitedBy limit, boolean isOneOfSeveral) {
    String model = Printable.line(use.model());
    String what =
        limit.limit().endsWith(PER_MINUTE)
            ? "%s of %s".formatted(limit.limit(), model)
            : isOneOfSeveral ? "%s, calling %s".formatted(limit.limit(), model) : limit.limit();
    double saved = limit.savedSeconds().orElse(0.0);
    return "Limited by: %s, %s %% of the time%s"
        .formatted(
            what,
            Long.toString(Math.round(100 * limit.share())),
            limit
                .doubling()
                .filter(_ -> saved >= LEAST_SAVED_SECONDS)
                .map(more -> "; twice %s would save about %s".formatted(more, Numbers.span(saved)))
                .orElse(""));
  }

  /** Why a run failed; an error of a sample is listed below with the others, once. */
  private static String cause(RunResult result) {
    String error = result.error().orElse("unknown error");
    return Printable.line(
        result.failures().stream()
            .map(FailedSample::error)
            .filter(of -> error.endsWith(": " + of))
            .findFirst()
            .map(of -> error.substring(0, error.length() - of.length() - 2))
            .orElse(error));
  }

  private static String withoutFullStop(String sentence) {
    return sentence.endsWith(".") ? sentence.substring(0, sentence.length() - 1) : sentence;
  }

  /** Of all samples together, which is more than the time of the run. */
  private static String times(Times times) {
    var text =
        new StringBuilder("Time of all samples: ")
            .append(Numbers.span(times.called()))
            .append(" calling, ")
            .append(Numbers.span(times.paced()))
            .append(" pacing, ")
            .append(Numbers.span(times.queued()))
            .append(" queueing, ")
            .append(Numbers.span(times.backedOff()))
            .append(" backing off");
    if (times.failed() > 0) {
      text.append(", ").append(Numbers.span(times.failed())).append(" in failed attempts");
    }
    if (times.shared() > 0) {
      text.append(", ").append(Numbers.span(times.shared())).append(" waiting for sandboxes");
    }
    return text.toString();
  }

  private void failures(RunResult result, String indent) {
    int failed = result.samples().failed();
    if (failed == 0) {
      return;
    }
    String means =
        result.samples().scored() == 0 || result.accuracyOverAll().isEmpty()
            ? ""
            : "; mean score over all %s, failed ones as 0: %s"
                .formatted(
                    result.samples().unfinished() == 0 ? "samples" : "that ended",
                    Numbers.score(result.accuracyOverAll().get()));
    out.println(indent + Numbers.count(failed, "sample") + " failed" + means);
    Map<String, List<String>> samples = new LinkedHashMap<>();
    Map<String, String> errors = new LinkedHashMap<>();
    for (FailedSample failure : result.failures()) {
      String epoch = result.start().epochs() == 1 ? "" : " (epoch " + failure.epoch() + ")";
      samples
          .computeIfAbsent(
              errors.computeIfAbsent(
                  REQUEST.matcher(failure.error()).replaceAll(""), _ -> failure.error()),
              _ -> new ArrayList<>())
          .add(Printable.line(failure.id()) + epoch);
    }
    samples.forEach(
        (error, ids) ->
            out.println(
                "%s  %s: %s"
                    .formatted(
                        indent,
                        String.join(", ", ids),
                        Cells.cut(Printable.line(error), LONGEST_ERROR))));
    if (failed > result.failures().size()) {
      out.println(
          "%s  and %s more, in the log".formatted(indent, failed - result.failures().size()));
    }
  }
}
