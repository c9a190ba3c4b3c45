package dev.weir.cli;

import static dev.weir.log.HtmlFrame.escaped;

import dev.weir.eval.select.SelectionFindings;
import dev.weir.log.HtmlFrame;
import dev.weir.selection.Objective;
import dev.weir.selection.SelectionPlan;
import dev.weir.selection.SelectionResult;
import dev.weir.selection.Selectors;
import dev.weir.selection.Standing;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.function.DoubleFunction;

/** What a selection found as one static page, for people. */
final class SelectionPage {

  /** A page is for looking at; CSV and JSON have all. */
  private static final int MOST_ROWS = 100;

  private static final int LONGEST_ERROR = 300;

  /** The place of the column of failures, before columns are added. */
  private static final int FAILED = 4;

  private final SelectionFindings found;
  private final SelectionSummary summary;
  private final SelectionNames names;
  private final Writer out;

  SelectionPage(SelectionFindings found, Writer out) {
    this.found = found;
    this.summary = new SelectionSummary(found);
    this.names = new SelectionNames(found.plan().arms());
    this.out = out;
  }

  void write() throws IOException {
    String style = HtmlFrame.resource(SelectionPage.class, "selection.css");
    HtmlFrame.begin(out, "Selection of models for " + found.task(), style);
    line("<main>");
    headline();
    figures();
    tradeOffs();
    rounds();
    ranking();
    failures();
    method();
    line("</main>");
    HtmlFrame.end(out);
  }

  private SelectionResult result() {
    return found.result();
  }

  private void headline() throws IOException {
    line("<p class=\"kicker\">weir select · " + escaped(found.task()) + "</p>");
    line("<h1>%s</h1>".formatted(summary.headline()));
    if (summary.winner().isPresent()) {
      line("<dl class=\"models\">");
      for (Map.Entry<String, String> node : found.models(summary.winner().get().arm()).entrySet()) {
        item(node.getKey(), node.getValue());
      }
      line("</dl>");
    }
    if (summary.failures().isPresent()) {
      line("<p class=\"verdict open\">" + escaped(summary.failures().get()) + "</p>");
    }
    boolean isOpen = summary.winner().isEmpty() || !result().notDecided().isEmpty();
    line(
        "<p class=\"verdict%s\">%s</p>"
            .formatted(
                isOpen ? " open" : "", escaped(capitalised(summary.sureness(names::brief)))));
    if (found.stopped().isPresent()) {
      line("<p class=\"verdict open\">Ended early: " + escaped(found.stopped().get()) + "</p>");
    }
    if (!result().front().isEmpty()) {
      line(
          "<p class=\"verdict\">Front: %s</p>"
              .formatted(escaped(SelectionSummary.names(result().front(), names::brief))));
    }
  }

  private static String capitalised(String sentence) {
    // The name of a selector stays as it is written on the command line.
    return sentence.split(" ", 2)[0].contains("_")
        ? sentence + "."
        : sentence.substring(0, 1).toUpperCase(Locale.ROOT) + sentence.substring(1) + ".";
  }

  private void figures() throws IOException {
    line("<ul class=\"figures\">");
    summary
        .winner()
        .ifPresent(
            winner ->
                figure(
                    "score",
                    shown(winner.score(), Numbers::score),
                    winner
                        .interval()
                        .map(
                            in ->
                                String.format(
                                    Locale.ROOT,
                                    "%.3f to %.3f (%s, betting)",
                                    in.low(),
                                    in.high(),
                                    confidence()))
                        .orElse("")));
    figure(
        "evaluations",
        String.format(Locale.ROOT, "%,d", summary.evaluations()),
        summary
                .savedEvaluations()
                .orElse("of %d with brute force".formatted(result().allEvaluations()))
            + summary.attempts().map("; "::concat).orElse(""));
    figure("cost", summary.cost(), summary.savedCost().orElse(""));
    long gone = result().standings().stream().filter(arm -> arm.elimination().isPresent()).count();
    figure(
        "combinations",
        Integer.toString(result().standings().size()),
        gone == 0 ? "none given up" : gone + " given up");
    figure(
        "time",
        Numbers.span(found.elapsed().toNanos() / 1e9),
        found.kept() == 0 ? "" : found.kept() + " evaluations from the journal");
    line("</ul>");
  }

  private String confidence() {
    return SelectionSummary.percent(1 - found.plan().delta());
  }

  private void tradeOffs() throws IOException {
    int fewest = Math.max(1, found.plan().datapoints() / 10);
    var scatter = new SelectionScatter(result().standings(), fewest, names);
    line("<h2>Score against cost and latency</h2>");
    line(
        "<p>The line is the Pareto set: no other combination scores higher and takes less."
            + " Combinations that were given up were tried on few datapoints.</p>");
    List<String> drawn =
        List.of(
            scatter.svg(SelectionScatter.Measure.COST),
            scatter.svg(SelectionScatter.Measure.LATENCY));
    // A sentence needs no frame as large as a picture.
    for (String why : drawn.stream().filter(it -> !it.startsWith("<svg")).toList()) {
      line(why);
    }
    line("<div class=\"pair\">");
    for (String picture : drawn.stream().filter(it -> it.startsWith("<svg")).toList()) {
      line("<figure>" + picture + "</figure>");
    }
    line("</div>");
    line(
        "<p class=\"legend\"><span class=\"winner\">%s</span>"
                .formatted(summary.headline().toLowerCase(Locale.ROOT))
            + "<span class=\"left\">not given up</span><span class=\"gone\">given up</span><span"
            + " class=\"pareto\">Pareto set</span></p>");
  }

  private List<Standing> listed() {
    return result().standings().stream().limit(MOST_ROWS).toList();
  }

  private void rounds() throws IOException {
    line("<h2>How it was decided</h2>");
    line(
        ("<p>On how many of the %d datapoints each combination was tried, round by round, and its"
                + " %s interval, which is narrower and darker with each round.</p>")
            .formatted(found.plan().datapoints(), confidence()));
    line("<div class=\"scroll\">" + new SelectionRounds(found, listed(), names).svg() + "</div>");
  }

  private void ranking() throws IOException {
    line("<h2>Ranking</h2>");
    line("<div class=\"scroll\"><table class=\"ranking\"><thead><tr><th>#</th>");
    for (String node : found.plan().arms().nodes()) {
      line("<th>" + escaped(node) + "</th>");
    }
    List<String> headings =
        new ArrayList<>(
            List.of("score", "interval", "behind #1", "samples", "failed", "cost", "latency"));
    if (!hasFailures()) {
      headings.remove("failed");
    }
    if (SelectionSummary.hasOwnValue(found.plan())) {
      headings.add(1, "value");
    }
    for (String heading : headings) {
      line("<th class=\"number\">" + heading + "</th>");
    }
    line("<th>state</th></tr></thead><tbody>");
    int rank = 1;
    for (Standing arm : listed()) {
      row(rank++, arm);
    }
    line("</tbody></table></div>");
    int more = result().standings().size() - MOST_ROWS;
    if (more > 0) {
      line("<p>and %d more; --csv FILE and --json have all</p>".formatted(more));
    }
  }

  private boolean hasFailures() {
    return listed().stream().anyMatch(arm -> arm.failures() > 0);
  }

  private String open() {
    return found.plan().objective() instanceof Objective.Pareto
        ? "may be on the front"
        : "may be the best";
  }

  private void row(int rank, Standing arm) throws IOException {
    boolean isWinner = rank == 1 && summary.winner().isPresent();
    String state =
        isWinner
            ? summary.headline().toLowerCase(Locale.ROOT)
            : arm.elimination()
                .map(
                    gone ->
                        "given up in round "
                            + gone.round()
                            + (result().notShownWorse().contains(arm.arm())
                                ? ", not shown to be worse"
                                : ""))
                .orElse(result().notDecided().contains(arm.arm()) ? open() : "");
    List<String> cells = new ArrayList<>();
    cells.add("<td class=\"number\">" + rank + "</td>");
    for (int node = 0; node < names.models(arm.arm()).size(); node++) {
      cells.add(
          "<td class=\"model\" title=\"%s\">%s</td>"
              .formatted(
                  escaped(found.plan().arms().models(arm.arm()).get(node)),
                  escaped(names.models(arm.arm()).get(node))));
    }
    List<String> numbers = new ArrayList<>(numbers(arm));
    if (!hasFailures()) {
      numbers.remove(FAILED);
    }
    if (SelectionSummary.hasOwnValue(found.plan())) {
      numbers.add(1, shown(arm.value(), Numbers::score));
    }
    for (String number : numbers) {
      cells.add("<td class=\"number\">" + number + "</td>");
    }
    cells.add(
        "<td class=\"state\" title=\"%s\">%s</td>"
            .formatted(escaped(arm.elimination().map(gone -> gone.reason()).orElse("")), state));
    String kind = isWinner ? "winner" : arm.elimination().isPresent() ? "gone" : "left";
    line("<tr class=\"%s\">%s</tr>".formatted(kind, String.join("", cells)));
  }

  private static List<String> numbers(Standing arm) {
    return List.of(
        shown(arm.score(), Numbers::score),
        arm.interval()
            .map(in -> String.format(Locale.ROOT, "%.3f to %.3f", in.low(), in.high()))
            .orElse("–"),
        arm.behindWinner()
            .map(
                behind ->
                    String.format(
                        Locale.ROOT,
                        "%.3f (%.3f to %.3f)",
                        behind.mean(),
                        behind.interval().low(),
                        behind.interval().high()))
            .orElse("–"),
        Integer.toString(arm.samples()),
        arm.failures() == 0 ? "–" : Integer.toString(arm.failures()),
        shown(arm.cost(), SelectionSummary::dollars),
        shown(arm.latency(), time -> String.format(Locale.ROOT, "%.2f s", time)));
  }

  private static String shown(OptionalDouble number, DoubleFunction<String> text) {
    return number.isPresent() ? text.apply(number.getAsDouble()) : "–";
  }

  private void failures() throws IOException {
    if (found.errors().isEmpty()) {
      return;
    }
    line("<h2>Failures</h2><p>The first error of each combination that had one.</p><dl>");
    for (Standing arm : listed()) {
      String error = found.errors().get(arm.arm());
      if (error != null) {
        line(
            "<dt>%s</dt><dd class=\"problem\">%s</dd>"
                .formatted(
                    escaped(names.brief(arm.arm())), escaped(Cells.cut(error, LONGEST_ERROR))));
      }
    }
    line("</dl>");
  }

  private void method() throws IOException {
    SelectionPlan plan = found.plan();
    line("<h2>How it was done</h2><dl>");
    item("selector", Selectors.name(plan.selector()));
    item("objective", SelectionSummary.objective(plan.objective()));
    item("datapoints", Integer.toString(plan.datapoints()));
    item("intervals", summary.intervals());
    if (plan.budget() < plan.allEvaluations()) {
      item("budget", "%d evaluations".formatted(plan.budget()));
    }
    item("seed", Long.toString(plan.seed()));
    item("journal", found.journal().toString());
    line("</dl>");
  }

  private void item(String name, String text) throws IOException {
    line("<dt>" + escaped(name) + "</dt><dd>" + escaped(text) + "</dd>");
  }

  private void figure(String name, String number, String beside) {
    try {
      line(
          "<li><span>%s</span><strong>%s</strong><small>%s</small></li>"
              .formatted(name, escaped(number), escaped(beside)));
    } catch (IOException unwritable) {
      throw new UncheckedIOException(unwritable);
    }
  }

  private void line(String html) throws IOException {
    out.write(html + "\n");
  }
}
