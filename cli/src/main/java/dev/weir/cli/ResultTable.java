package dev.weir.cli;

import dev.weir.eval.Evaluation;
import dev.weir.log.Cost;
import dev.weir.log.RunResult;
import dev.weir.model.Printable;
import java.io.PrintWriter;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The result of a run, for people. */
final class ResultTable {

  private static final List<String> HEADINGS =
      List.of(
          "task", "model", "accuracy", "samples", "errors", "retries", "time", "tokens", "cost");

  private final PrintWriter out;

  ResultTable(PrintWriter out) {
    this.out = out;
  }

  void print(Evaluation.Finished finished) {
    List<List<String>> rows = finished.runs().stream().map(run -> cells(run.result())).toList();
    out.println();
    out.println(row(HEADINGS, rows));
    out.println(widths(rows).mapToObj("─"::repeat).collect(Collectors.joining("  ")));
    rows.forEach(cells -> out.println(row(cells, rows)));
    out.println();
    for (Evaluation.FinishedRun run : finished.runs()) {
      ending(run.result());
      if (run.result().cachedAnswers() > 0) {
        out.println(
            "From the cache: %s %s"
                .formatted(
                    run.result().cachedAnswers(),
                    run.result().cachedAnswers() == 1 ? "answer" : "answers"));
      }
    }
    out.println("Seed: " + finished.result().start().seed());
    for (Evaluation.FinishedRun run : finished.runs()) {
      run.file().ifPresent(file -> out.println("Log: " + Printable.line(file.toString())));
    }
  }

  private static List<String> cells(RunResult result) {
    return List.of(
        Printable.line(result.start().task()),
        Printable.line(result.start().model()),
        accuracy(result),
        samples(result.samples()),
        String.valueOf(result.samples().failed()),
        String.valueOf(result.retries()),
        time(result),
        "%s in, %s out".formatted(result.tokens().input(), result.tokens().output()),
        cost(result.cost()));
  }

  private void ending(RunResult result) {
    switch (result.status()) {
      case SUCCESS -> {}
      case CANCELLED ->
          out.printf(
              "%s: %s of %s samples were not finished.%n",
              result.stopped().map(why -> "Stopped, " + why).orElse("Interrupted"),
              result.samples().unfinished(),
              result.samples().total());
      case ERROR ->
          out.printf(
              "The run ended early: %s. %s of %s samples were not finished.%n",
              withoutFullStop(Printable.line(result.error().orElse("unknown error"))),
              result.samples().unfinished(),
              result.samples().total());
    }
  }

  private static String withoutFullStop(String sentence) {
    return sentence.endsWith(".") ? sentence.substring(0, sentence.length() - 1) : sentence;
  }

  private static String accuracy(RunResult result) {
    Double accuracy = result.metrics().get("accuracy");
    Double standardError = result.metrics().get("stderr");
    if (accuracy == null) {
      return "–";
    }
    return standardError == null
        ? String.format(Locale.ROOT, "%.3f", accuracy)
        : String.format(Locale.ROOT, "%.3f ± %.3f", accuracy, standardError);
  }

  /** What nobody knows is not nothing. */
  private static String cost(Cost cost) {
    BigDecimal rounded = cost.knownUsd().setScale(4, RoundingMode.HALF_UP);
    String known =
        rounded.signum() == 0 && cost.knownUsd().signum() > 0
            ? "<$0.0001"
            : "$" + rounded.toPlainString();
    if (cost.unknownCalls() == 0) {
      return known;
    }
    return cost.pricedCalls() == 0 ? "unknown" : "at least " + known;
  }

  private static String samples(RunResult.Counts counts) {
    return counts.scored() == counts.total()
        ? String.valueOf(counts.total())
        : counts.scored() + " of " + counts.total();
  }

  private static String time(RunResult result) {
    Duration took = Duration.ofNanos((long) (result.seconds() * 1e9));
    return took.toMinutes() > 0
        ? ProgressLine.clock(took)
        : String.format(Locale.ROOT, "%.1f s", took.toMillis() / 1e3);
  }

  private static String row(List<String> texts, List<List<String>> rows) {
    int[] widths = widths(rows).toArray();
    return IntStream.range(0, widths.length)
        .mapToObj(i -> texts.get(i) + " ".repeat(widths[i] - texts.get(i).length()))
        .collect(Collectors.joining("  "))
        .stripTrailing();
  }

  private static IntStream widths(List<List<String>> rows) {
    return IntStream.range(0, HEADINGS.size())
        .map(
            i ->
                Math.max(
                    HEADINGS.get(i).length(),
                    rows.stream().mapToInt(cells -> cells.get(i).length()).max().orElse(0)));
  }
}
