package dev.weir.cli;

import dev.weir.log.OrderedSamples;
import dev.weir.log.RunStart;
import dev.weir.log.SampleFailure;
import dev.weir.log.SampleResult;
import dev.weir.log.SampleResult.LogMessage;
import dev.weir.log.SampleResult.ScoreResult;
import dev.weir.log.SampleSummary;
import dev.weir.log.SampleVerdict;
import dev.weir.model.ConfigurationException;
import dev.weir.model.Printable;
import dev.weir.model.Spelling;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.json.JsonMapper;

/** {@code weir log show}: samples as people read them. */
@Command(
    name = "show",
    description = {
      "Show the samples of a log: conversation, tool calls, scores with explanations, errors.",
      "",
      "Samples are shown in the order of the dataset, through a pager if standard output is a"
          + " terminal (WEIR_PAGER, else PAGER, else less)."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  weir log show",
      "  weir log show logs/LOG.eval --failed --limit 3",
      "  weir log show logs/LOG.eval --sample 7 --full",
      "  weir log show logs/LOG.eval --failed --json | jq -r '.samples[].id'"
    })
final class LogShowCommand implements Callable<Integer> {

  private static final JsonMapper JSON = new JsonMapper();

  @Parameters(
      arity = "0..1",
      paramLabel = "LOG",
      description = "Log or journal to show. Default: the newest in WEIR_LOG_DIR, or ./logs.")
  private @Nullable Path file;

  @Option(
      names = "--failed",
      description =
          "Show only samples that ended with an error, or whose first score is below 1."
              + " Default: false.")
  private boolean failed;

  @Option(names = "--sample", paramLabel = "ID", description = "Show only this sample.")
  private @Nullable String sample;

  @Option(
      names = "--epoch",
      paramLabel = "N",
      description = "Show only this epoch. Default: all epochs.")
  private @Nullable Integer epoch;

  @Option(
      names = "--limit",
      paramLabel = "N",
      description = "Show at most N samples. Default: all.")
  private @Nullable Integer limit;

  @Option(
      names = "--full",
      description = "Show long arguments and results of tools in full. Default: false.")
  private boolean full;

  @Option(names = "--no-pager", description = "Do not use a pager. Default: false.")
  private boolean noPager;

  @Option(names = "--json", description = "Print one JSON document. Default: false.")
  private @Nullable Boolean json;

  private final Surroundings surroundings;

  LogShowCommand(Surroundings surroundings) {
    this.surroundings = surroundings;
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    boolean asJson = new Environment(surroundings.environment()).flag(json, "WEIR_JSON");
    Path log = LogPaths.logOrNewest(file, surroundings);
    try (OrderedSamples samples =
        OrderedSamples.open(
            log,
            this::isWanted,
            OrderedSamples.Order.DATASET,
            limit == null ? Long.MAX_VALUE : limit)) {
      if (samples.selected().isEmpty()) {
        return none(log, samples.start(), asJson);
      }
      if (asJson) {
        document(log, samples);
      } else {
        show(log, samples);
      }
      return LogDamage.told(samples.damage(), surroundings);
    }
  }

  private boolean isWanted(SampleSummary summary) {
    return (!failed || SampleVerdict.of(summary).isFailure())
        && (sample == null || sample.equals(summary.id()))
        && (epoch == null || epoch == summary.epoch());
  }

  /** The options that choose samples, as they were given, but for the bound on their number. */
  private String filters() {
    return (failed ? " --failed" : "")
        + (sample == null ? "" : " --sample " + ShellWord.of(sample))
        + (epoch == null ? "" : " --epoch " + epoch)
        + (full ? " --full" : "");
  }

  /** That nothing failed is an answer; that there is no such sample is a mistake. */
  private int none(Path log, RunStart start, boolean asJson) {
    String id = sample;
    List<String> ids = start.dataset().sampleIds().texts();
    if (id != null && (!failed || !ids.contains(id))) {
      String which = epoch == null ? "" : " of epoch " + epoch;
      if (epoch == null && ids.contains(id)) {
        throw new ConfigurationException(
            "sample '%s' is not in %s: the run ended before it; 'weir eval-retry' runs it"
                .formatted(id, log));
      }
      String hint = ids.contains(id) ? "" : Spelling.hint(id, ids);
      throw new ConfigurationException("%s has no sample '%s'%s%s".formatted(log, id, which, hint));
    }
    if (asJson) {
      surroundings.out().println(JSON.writeValueAsString(head(log, start, List.of())));
    } else {
      surroundings
          .out()
          .println("%s has no such samples.".formatted(Printable.line(log.toString())));
    }
    return ExitCode.SUCCESS;
  }

  private void show(Path log, OrderedSamples samples) throws IOException, InterruptedException {
    RunStart start = samples.start();
    int columns = surroundings.columns();
    var pager = Pager.open(surroundings, !noPager);
    try {
      PrintWriter out = pager.out();
      out.println(Printable.line("%s on %s · %s".formatted(start.task(), start.model(), log)));
      out.println();
      var transcript = new Transcript(out, columns, surroundings.colours(), graders(start), full);
      int place = 0;
      for (var next = samples.next(); next.isPresent() && !pager.isLeft(); next = samples.next()) {
        place++;
        transcript.print(next.get(), place + " of " + samples.matching(), start.epochs() > 1);
      }
      int more = samples.matching() - samples.selected().size();
      if (more > 0 && !pager.isLeft()) {
        out.println(
            "%s more; to show all: weir log show %s%s"
                .formatted(Numbers.count(more, "sample"), ShellWord.of(log), filters()));
      }
    } finally {
      pager.finish();
    }
  }

  /** By scorer, the models that grade; the evaluated one if a role has none of its own. */
  private static Map<String, String> graders(RunStart start) {
    Map<String, String> graders = new LinkedHashMap<>();
    List<RunStart.Step> steps = start.scorerSteps().orElse(List.of());
    for (int i = 0; i < steps.size() && steps.size() == start.scorers().size(); i++) {
      if (steps.get(i).solver().startsWith("model_graded")) {
        Object given = steps.get(i).arguments().getOrDefault("roles", List.of("grader"));
        List<?> roles = given instanceof List<?> several ? several : List.of(given);
        graders.put(
            start.scorers().get(i),
            roles.stream()
                .map(
                    role ->
                        start
                            .roles()
                            .getOrDefault(
                                role.toString(), start.model() + ", the evaluated model itself"))
                .collect(Collectors.joining(", ")));
      }
    }
    return graders;
  }

  /** Written as it is read: a log may be larger than memory. */
  private void document(Path log, OrderedSamples samples) throws IOException {
    PrintWriter out = surroundings.out();
    String head = JSON.writeValueAsString(head(log, samples.start(), List.of()));
    out.print(head.substring(0, head.length() - "]}".length()));
    String separator = "\n";
    for (var next = samples.next(); next.isPresent(); next = samples.next()) {
      out.print(separator + JSON.writeValueAsString(document(next.get())));
      separator = ",\n";
    }
    out.println("\n]}");
  }

  private static Map<String, Object> head(Path log, RunStart start, List<Object> samples) {
    Map<String, Object> head = new LinkedHashMap<>();
    head.put("log", log.toString());
    head.put("task", start.task());
    head.put("model", start.model());
    head.put("samples", samples);
    return head;
  }

  private static Map<String, Object> document(SampleResult sample) {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("id", sample.id());
    document.put("epoch", sample.epoch());
    document.put("verdict", SampleVerdict.of(sample).word());
    document.put("input", sample.input());
    document.put("targets", sample.targets());
    document.put("messages", sample.messages().stream().map(LogShowCommand::document).toList());
    document.put("output", sample.output().orElse(null));
    Map<String, Object> scores = new LinkedHashMap<>();
    sample.scores().forEach((scorer, score) -> scores.put(scorer, document(score)));
    document.put("scores", scores);
    document.put("error", sample.error().orElse(null));
    document.put(
        "error_retries", sample.errorRetries().stream().map(SampleFailure::message).toList());
    document.put("limit", sample.limit().map(SampleResult.LimitHit::message).orElse(null));
    document.put("retries", sample.retries());
    document.put("input_tokens", sample.tokens().input());
    document.put("output_tokens", sample.tokens().output());
    document.put("cost_usd", sample.cost().usd().orElse(null));
    document.put("total_seconds", sample.times().total());
    return document;
  }

  private static Map<String, Object> document(LogMessage message) {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("role", message.role());
    document.put("content", message.content());
    if (!message.toolCalls().isEmpty()) {
      document.put(
          "tool_calls",
          message.toolCalls().stream()
              .map(call -> Map.of("name", call.name(), "arguments", call.arguments()))
              .toList());
    }
    message.tool().ifPresent(tool -> document.put("tool", tool));
    if (message.failed()) {
      document.put("failed", true);
    }
    return document;
  }

  private static Map<String, Object> document(ScoreResult score) {
    Map<String, Object> document = new LinkedHashMap<>();
    // JSON has no such numbers.
    document.put("value", Double.isFinite(score.value()) ? score.value() : null);
    document.put("answer", score.answer().orElse(null));
    document.put("explanation", score.explanation().orElse(null));
    return document;
  }
}
