package dev.weir.log;

import static dev.weir.log.HtmlFrame.escaped;

import dev.weir.log.RunResult.ScorerMetrics;
import dev.weir.log.SampleResult.LogMessage;
import dev.weir.log.SampleResult.LogToolCall;
import dev.weir.log.SampleResult.ScoreResult;
import java.io.IOException;
import java.io.Writer;
import java.math.RoundingMode;
import java.nio.file.Path;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A log as one static page: the headline, failures first, each sample with its transcript. Nothing
 * is loaded from elsewhere, and nothing in it can act.
 */
final class HtmlPage {

  /** A page is for looking at; the log has the whole. */
  private static final int LONGEST_TEXT = 4_000;

  private static final int LONGEST_SNIPPET = 140;
  private static final int MOST_SAMPLES = 1_000;
  private static final int MOST_KINDS = 20;
  private static final int NAMED_SAMPLES = 5;

  /** Results of tools that are longer are folded. */
  private static final int UNFOLDED = 300;

  private static final DateTimeFormatter CLOCK =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss", Locale.ROOT).withZone(ZoneOffset.UTC);

  private final LoggedRunSummary run;
  private final LogEntry.Status status;
  private final Writer out;

  HtmlPage(LoggedRunSummary run, LogEntry.Status status, Writer out) {
    this.run = run;
    this.status = status;
    this.out = out;
  }

  /** Gives what is damaged and therefore left out, in sentences. */
  List<String> write() throws IOException {
    RunStart start = run.start();
    String title = start.task() + " on " + start.model();
    HtmlFrame.begin(out, title, HtmlFrame.resource(HtmlPage.class, "samples.css"));
    line("<main>");
    line("<p class=\"kicker\">weir eval · %s</p>".formatted(escaped(name(run.file()))));
    line("<h1>" + escaped(title) + "</h1>");
    headline();
    figures();
    metrics();
    Set<String> damage = new LinkedHashSet<>();
    failures(damage);
    samples(damage);
    line("</main>");
    HtmlFrame.end(out);
    return List.copyOf(damage);
  }

  private static String name(Path file) {
    return String.valueOf(file.getFileName());
  }

  // What came of the run.

  private void headline() throws IOException {
    RunResult result = run.result();
    Optional<ScorerMetrics> first = result.scores().stream().findFirst();
    Optional<String> metric = first.flatMap(HtmlPage::headlineMetric);
    if (first.isPresent() && metric.isPresent()) {
      double value = first.get().metrics().getOrDefault(metric.get(), Double.NaN);
      line(
          "<p class=\"headline\"><strong>%s</strong> %s</p>"
              .formatted(number(value), escaped(metric.get())));
      if (first.get().interval().isPresent()) {
        line("<p>%s</p>".formatted(interval(first.get().interval().get())));
      }
    }
    if (status != LogEntry.Status.SUCCESS) {
      String why = status == LogEntry.Status.RUNNING ? "" : result.error().orElse("");
      line(
          "<p class=\"verdict open\">Run %s%s</p>"
              .formatted(status.word(), why.isEmpty() ? "" : ": " + escaped(why)));
    }
  }

  /** The metric that a run is known by. */
  private static Optional<String> headlineMetric(ScorerMetrics scores) {
    Set<String> metrics = scores.metrics().keySet();
    return metrics.contains("accuracy")
        ? Optional.of("accuracy")
        : metrics.contains("mean") ? Optional.of("mean") : metrics.stream().findFirst();
  }

  private static String interval(RunResult.Range range) {
    return "95 % interval " + range(range);
  }

  private static String range(RunResult.Range range) {
    return bounds(range) + range.method().map(method -> " (" + escaped(method) + ")").orElse("");
  }

  /** In a narrow window, the method goes below the numbers. */
  private static String rangeCell(RunResult.Range range) {
    return "<span class=\"bounds\">%s</span>".formatted(bounds(range))
        + range.method().map(method -> " <small>" + escaped(method) + "</small>").orElse("");
  }

  private static String bounds(RunResult.Range range) {
    return number(range.low()) + " to " + number(range.high());
  }

  private void figures() throws IOException {
    RunResult result = run.result();
    RunResult.Counts counts = result.samples();
    line("<ul class=\"figures\">");
    List<String> beside = new ArrayList<>();
    beside.add(counts.scored() + " scored");
    if (counts.failed() > 0) {
      beside.add(counts.failed() + " failed");
    }
    if (counts.unfinished() > 0) {
      beside.add(counts.unfinished() + " not finished");
    }
    figure("samples", String.valueOf(counts.total()), String.join(", ", beside));
    figure(
        "time",
        String.format(Locale.ROOT, "%.1f s", result.seconds()),
        "began " + CLOCK.format(run.start().started()) + " UTC");
    figure(
        "tokens",
        String.format(Locale.ROOT, "%,d", result.tokens().input() + result.tokens().output()),
        String.format(
            Locale.ROOT, "%,d in, %,d out", result.tokens().input(), result.tokens().output()));
    figure(
        "cost", cost(result.cost()), result.retries() == 0 ? "" : "retries: " + result.retries());
    line("</ul>");
  }

  private void figure(String name, String number, String beside) throws IOException {
    line(
        "<li><span>%s</span><strong>%s</strong><small>%s</small></li>"
            .formatted(name, escaped(number), escaped(beside)));
  }

  private static String cost(Cost cost) {
    return cost.unknownCalls() > 0
        ? "unknown"
        : "$" + cost.knownUsd().setScale(4, RoundingMode.HALF_UP).toPlainString();
  }

  /** All of them, where the headline does not say all. */
  private void metrics() throws IOException {
    List<ScorerMetrics> scores = run.result().scores();
    if (scores.isEmpty()) {
      return;
    }
    line(
        "<h2>Metrics</h2><div class=\"scroll\"><table"
            + " class=\"metrics\"><thead><tr><th>scorer</th>");
    line(
        "<th>reducer</th><th>metric</th><th class=\"number\">value</th><th>95 %"
            + " interval</th></tr>");
    line("</thead><tbody>");
    for (ScorerMetrics score : scores) {
      Optional<String> known = headlineMetric(score);
      for (Map.Entry<String, Double> metric : score.metrics().entrySet()) {
        boolean isKnown = known.filter(metric.getKey()::equals).isPresent();
        line(
            "<tr><td>%s</td><td>%s</td><td>%s</td><td class=\"number\">%s</td><td>%s</td></tr>"
                .formatted(
                    escaped(score.scorer()).replace("_", "_<wbr>"),
                    escaped(score.reducer()),
                    escaped(metric.getKey()),
                    number(metric.getValue()),
                    isKnown ? score.interval().map(HtmlPage::rangeCell).orElse("") : ""));
      }
    }
    line("</tbody></table></div>");
  }

  private void failures(Set<String> damage) throws IOException {
    // Logs of other programs do not say in their header how many failed.
    FailureKinds failures = FailureKinds.of(run.file());
    damage.addAll(failures.damage());
    if (failures.failed() == 0) {
      return;
    }
    line("<h2>Errors by kind</h2><ul class=\"kinds\">");
    for (FailureKinds.Kind kind : failures.kinds().stream().limit(MOST_KINDS).toList()) {
      if (kind.count() > 0) {
        List<String> named = kind.samples().stream().limit(NAMED_SAMPLES).map(this::named).toList();
        long more = kind.count() - named.size();
        line(
            "<li><strong>%s ×</strong> %s<br><small>%s%s</small></li>"
                .formatted(
                    kind.count(),
                    escaped(cut(kind.example())),
                    escaped(String.join(", ", named)),
                    more == 0 ? "" : " and " + more + " more"));
      }
    }
    line("</ul>");
  }

  private String named(SamplePlace place) {
    return run.start().epochs() > 1
        ? "%s (epoch %d)".formatted(place.id(), place.epoch())
        : place.id();
  }

  // The samples.

  private void samples(Set<String> damage) throws IOException {
    try (OrderedSamples samples =
        OrderedSamples.open(
            run.file(), _ -> true, OrderedSamples.Order.FAILURES_FIRST, Long.MAX_VALUE)) {
      Map<SampleVerdict, Integer> counts = new EnumMap<>(SampleVerdict.class);
      samples.selected().forEach(it -> counts.merge(SampleVerdict.of(it), 1, Integer::sum));
      boolean hasEpochs = run.start().epochs() > 1;
      SampleVerdict group = null;
      int written = 0;
      for (var next = samples.next();
          next.isPresent() && written < MOST_SAMPLES;
          next = samples.next(), written++) {
        SampleVerdict verdict = SampleVerdict.of(next.get());
        if (verdict != group) {
          line(
              "<h2>%s <small>%s</small></h2>"
                  .formatted(heading(verdict), counts.getOrDefault(verdict, 0)));
          group = verdict;
        }
        sample(next.get(), verdict, hasEpochs);
      }
      int more = samples.selected().size() - written;
      if (written == MOST_SAMPLES && more > 0) {
        line(
            "<p>%s more samples are not on this page; the log has them (weir log show).</p>"
                .formatted(more));
      }
      damage.addAll(samples.damage());
    }
  }

  private static String heading(SampleVerdict verdict) {
    return switch (verdict) {
      case ERROR -> "Failed with an error";
      case WRONG -> "Score below 1";
      case UNFINISHED -> "Not finished";
      case UNSCORED -> "Not scored";
      case PASSED -> "Passed";
    };
  }

  private void sample(SampleResult sample, SampleVerdict verdict, boolean hasEpochs)
      throws IOException {
    String epoch = hasEpochs ? " <small>epoch %s</small>".formatted(sample.epoch()) : "";
    String answer =
        switch (verdict) {
          case ERROR -> sample.error().orElse("");
          case WRONG, PASSED, UNSCORED, UNFINISHED ->
              sample.scores().values().stream()
                  .findFirst()
                  .flatMap(ScoreResult::answer)
                  .or(sample::output)
                  .orElse("");
        };
    String score = sample.score().map(HtmlPage::number).orElse("–");
    line(
        "<details class=\"sample %s\"><summary><span class=\"id\">%s%s</span><span class=\"score\">%s</span>"
                .formatted(verdict.word(), escaped(sample.id()), epoch, score)
            + "<span class=\"asked\">%s</span><span class=\"answer\">%s</span></summary>"
                .formatted(escaped(snippet(sample.input())), escaped(snippet(answer))));
    if (sample.messages().isEmpty()) {
      message("user", "user", sample.input());
      if (sample.output().isPresent()) {
        message("assistant", "assistant", sample.output().get());
      }
    }
    for (LogMessage message : sample.messages()) {
      message(message);
    }
    if (!sample.targets().isEmpty()) {
      message("target", "target", String.join(" | ", sample.targets()));
    }
    for (Map.Entry<String, ScoreResult> scored : sample.scores().entrySet()) {
      score(scored.getKey(), scored.getValue());
    }
    for (SampleFailure error : sample.errorRetries()) {
      message("error", "error, retried", error.message());
    }
    if (sample.error().isPresent()) {
      message("error", "error", sample.error().get());
    }
    if (sample.limit().isPresent()) {
      message("error", "limit: " + sample.limit().get().type(), sample.limit().get().message());
    }
    line("<p class=\"usage\">" + escaped(usage(sample)) + "</p></details>");
  }

  private static String usage(SampleResult sample) {
    return String.format(
        Locale.ROOT,
        "%.1f s · %,d %s in, %,d out · %s%s",
        sample.times().total(),
        sample.tokens().input(),
        sample.tokens().input() == 1 ? "token" : "tokens",
        sample.tokens().output(),
        sample.cost().unknownCalls() > 0 ? "cost unknown" : cost(sample.cost()),
        sample.retries() == 0 ? "" : " · retries: " + sample.retries());
  }

  private void message(LogMessage message) throws IOException {
    String tool = message.tool().map(name -> " " + name).orElse("");
    String label = message.role() + tool + (message.failed() ? ", failed" : "");
    if (message.role().equals("tool") && message.content().length() > UNFOLDED) {
      line(
          "<details class=\"message tool\"><summary>%s <small>%s characters: %s</small></summary>"
                  .formatted(
                      escaped(label),
                      message.content().length(),
                      escaped(snippet(message.content())))
              + "<pre>%s</pre></details>".formatted(escaped(cut(message.content()))));
      return;
    }
    String role =
        List.of("system", "user", "assistant", "tool").contains(message.role())
            ? message.role()
            : "user";
    line(
        "<div class=\"message %s\"><h3>%s</h3>%s"
            .formatted(role, escaped(label), text(message.content())));
    for (LogToolCall call : message.toolCalls()) {
      line(
          "<p class=\"call\">→ <strong>%s</strong> <code>%s</code></p>"
              .formatted(escaped(call.name()), escaped(cut(call.arguments()))));
    }
    line("</div>");
  }

  private void message(String kind, String label, String text) throws IOException {
    line(
        "<div class=\"message %s\"><h3>%s</h3>%s</div>"
            .formatted(kind, escaped(label), text(text)));
  }

  private void score(String scorer, ScoreResult score) throws IOException {
    String answer =
        score
            .answer()
            .filter(text -> !text.isBlank())
            .map(text -> text("answer: " + text))
            .orElse("");
    String explanation =
        score.explanation().filter(why -> !why.isBlank()).map(HtmlPage::text).orElse("");
    line(
        "<div class=\"message score %s\"><h3>score %s: %s</h3>%s%s</div>"
            .formatted(
                score.value() < 1 ? "low" : "full",
                escaped(scorer),
                number(score.value()),
                answer,
                explanation));
  }

  private static String text(String text) {
    return text.isBlank() ? "" : "<pre>" + escaped(cut(text.strip())) + "</pre>";
  }

  private static String number(double value) {
    // A score may have 300 digits, which are no run.
    return String.format(Locale.ROOT, Math.abs(value) < 1e7 ? "%.3f" : "%.3e", value);
  }

  private static String snippet(String text) {
    String line = text.strip().replaceAll("\\s+", " ");
    return line.length() <= LONGEST_SNIPPET ? line : line.substring(0, LONGEST_SNIPPET) + "…";
  }

  private static String cut(String text) {
    return text.length() <= LONGEST_TEXT ? text : text.substring(0, LONGEST_TEXT) + "…";
  }

  private void line(String html) throws IOException {
    out.write(html + "\n");
  }
}
