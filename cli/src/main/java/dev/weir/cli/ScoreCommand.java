package dev.weir.cli;

import dev.weir.cli.carriers.Carriers;
import dev.weir.eval.Host;
import dev.weir.eval.Rescoring;
import dev.weir.eval.component.Component;
import dev.weir.eval.memory.MemoryUse;
import dev.weir.eval.metric.Metric;
import dev.weir.eval.metric.Metrics;
import dev.weir.eval.option.Settings;
import dev.weir.eval.scorer.Scorer;
import dev.weir.eval.scorer.Scorers;
import dev.weir.eval.task.TaskDefinition.NamedScorer;
import dev.weir.log.RunLog;
import dev.weir.log.RunResult.ScorerMetrics;
import dev.weir.log.RunStart;
import dev.weir.log.trace.TraceDirectory;
import dev.weir.model.ConfigurationException;
import dev.weir.model.Printable;
import dev.weir.model.Spelling;
import dev.weir.statistics.VarianceComponents;
import dev.weir.time.Task;
import java.math.RoundingMode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code weir score}: scores the samples of a log again. */
@Command(
    name = "score",
    description = {
      "Score the answers in a log again, with other scorers or graders, and write a new log.",
      "Samples that failed or were cancelled in their run stay as they are."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  weir score logs/LOG.eval --scorer exact --scorer match:location=any,numeric=true",
      "  weir score logs/LOG.eval --scorer 'pattern:colour is (\\w+)' --metric mean --metric ci",
      "  weir score logs/LOG.eval --scorer model_graded_qa --model-role"
          + " grader=openai/gpt-5.6-terra",
      "  weir score logs/LOG.eval --scorer model_graded_qa --model-role grader=openai/gpt-5.6-terra"
          + " --dry-run",
      "  weir score logs/LOG.eval --scorer model_graded_qa --model-role grader=openai/gpt-5.6-terra"
          + " --max-cost 5",
      "  weir score logs/LOG.eval --scorer f1 --action overwrite --output-file f1.eval --json"
    })
final class ScoreCommand implements Callable<Integer> {

  private static final int MOST_REPEATS = 1_000;

  private static final List<String> HEADINGS =
      List.of("scorer", "reducer", "metric", "value [95 %]");

  /** Options of a run that mean something here, besides those that regulate calls. */
  private static final Set<String> OFFERED =
      Set.of(
          "model-role",
          "model-base-url",
          "cache",
          "prices",
          "seed",
          "epochs-reducer",
          "max-samples",
          "fail-on-error",
          "scorer-retries",
          "log-dir",
          "log-buffer",
          "log-level",
          "trace-bodies",
          "metrics-port",
          "metrics-host",
          "max-cost",
          "max-tokens-total");

  @Parameters(arity = "1", paramLabel = "LOG", description = "The log of a run.")
  private Path log = Path.of("");

  @Option(
      names = "--scorer",
      required = true,
      paramLabel = "NAME[:KEY=VALUE,…]",
      description = "A scorer with its arguments; may be repeated. See docs/scorers.md.")
  private List<String> scorers = List.of();

  @Option(
      names = "--metric",
      paramLabel = "NAME[:KEY=VALUE,…]",
      description = "A metric of the new scores; may be repeated. Default: accuracy and stderr.")
  private List<String> metrics = List.of();

  @Option(
      names = "--action",
      paramLabel = "append|overwrite",
      description = "Whether the old scores stay. Default: append.")
  private @Nullable String action;

  @Option(
      names = "--output-file",
      paramLabel = "FILE",
      description = "Where the new log is written. Default: beside the old one.")
  private @Nullable Path outputFile;

  @Option(
      names = "--repeat",
      paramLabel = "N",
      description =
          "Judge each answer N times, score it by the mean, and split the variance of scores into"
              + " that of answers and that of the judge. Default: 1; at most 1000.")
  private @Nullable Integer repeat;

  @Option(
      names = "--json",
      description = "Print one JSON document instead of a table. Default: false.")
  private @Nullable Boolean json;

  @Spec private @Nullable CommandSpec spec;

  @Mixin private final DryRunFlag dryRun = new DryRunFlag();

  private final RunFlags flags = new RunFlags();
  private final Surroundings surroundings;
  private final Environment environment;

  ScoreCommand(Surroundings surroundings) {
    this.surroundings = surroundings;
    this.environment = new Environment(surroundings.environment());
  }

  /** The command with those options of a run that concern models and limits. */
  static CommandLine commandLine(Surroundings surroundings) {
    var command = new ScoreCommand(surroundings);
    var commandLine = new CommandLine(command);
    CommandSpec all = CommandSpec.create();
    command.flags.addTo(all);
    for (OptionSpec option : all.options()) {
      if (isOffered(option.longestName().substring(2))) {
        commandLine.getCommandSpec().addOption(OptionSpec.builder(option).build());
      }
    }
    return commandLine;
  }

  private static boolean isOffered(String name) {
    return OFFERED.contains(name)
        || RunFlags.option(name).group() == dev.weir.eval.option.Option.Group.REGULATION;
  }

  @Override
  public Integer call() throws Exception {
    boolean asJson = environment.flag(json, "WEIR_JSON");
    var live = new LiveLog(surroundings);
    Map<String, String> variables = surroundings.variablesForModels();
    List<Wanted> wanted = scorers.stream().map(Wanted::parse).toList();
    var request =
        new Rescoring.Request(
            log,
            named(wanted),
            action(),
            Optional.ofNullable(outputFile),
            wanted.stream().map(Wanted::step).toList(),
            repeat());
    Settings settings = flags.settings(surroundings.environment());
    if (dryRun.isSet(environment)) {
      return tell(RehearsedScoring.of(request, settings, variables), asJson);
    }
    var rescoring =
        Rescoring.prepare(
            surroundings.time(),
            request,
            settings,
            new Host(variables, TraceDirectory.of(variables), live)
                .withMetrics(MetricsEndpoint.of(surroundings, live::say))
                .withMemory(MemoryUse.BY_DEFAULT)
                .watched(surroundings.terminal()));
    live.show(rescoring.logLevel());
    Task<Rescoring.Finished> running = surroundings.time().start("score", rescoring::run);
    try (var _ = Carriers.fitted();
        var _ = Hangup.reloads(rescoring::reloadEngineLimits);
        var _ =
            CleanEnd.of(
                surroundings.time(),
                running,
                Resumption.repeated(spec, surroundings.environment()))) {
      try {
        return tell(running.join(), asJson);
      } finally {
        // Before the process may end.
        surroundings.out().flush();
        surroundings.err().flush();
      }
    }
  }

  private int tell(RehearsedScoring expected, boolean asJson) {
    if (asJson) {
      surroundings.out().println(expected.json());
    } else {
      expected.print(surroundings.out());
    }
    return ExitCode.SUCCESS;
  }

  private int tell(Rescoring.Finished finished, boolean asJson) {
    if (asJson) {
      surroundings.out().println(RunLog.summary(finished.result(), Optional.of(finished.file())));
    } else {
      print(finished);
    }
    return exitCode(finished);
  }

  // What was asked for.

  /** A scorer as it was written, and what there is of that name. */
  private record Wanted(ComponentWord word, Component<Scorer> scorer) {

    static Wanted parse(String text) {
      var word = ComponentWord.parse("--scorer", text);
      return new Wanted(
          word,
          Scorers.find(word.name())
              .orElseThrow(
                  () ->
                      new ConfigurationException(
                          "there is no scorer '%s'%s"
                              .formatted(
                                  word.name(), Spelling.hint(word.name(), Scorers.names())))));
    }

    RunStart.Step step() {
      return new RunStart.Step(word.name(), word.arguments(scorer));
    }
  }

  private List<NamedScorer> named(List<Wanted> wanted) {
    List<Metric> ofEach = metrics();
    return wanted.stream()
        .map(one -> new NamedScorer(one.word.name(), one.word.make(one.scorer), ofEach))
        .toList();
  }

  private List<Metric> metrics() {
    List<Metric> wanted = new ArrayList<>();
    Set<String> names = new HashSet<>();
    for (String word : metrics) {
      var given = ComponentWord.parse("--metric", word);
      Metric metric = Metrics.of(given.name(), Map.copyOf(given.pairs()));
      if (!names.add(metric.name())) {
        throw new ConfigurationException(
            "--metric '%s' is there twice; name it once".formatted(metric.name()));
      }
      wanted.add(metric);
    }
    return wanted.isEmpty() ? Metrics.usual() : wanted;
  }

  private int repeat() {
    int times = repeat == null ? 1 : repeat;
    if (times > MOST_REPEATS) {
      throw new ConfigurationException(
          "--repeat must be at most %s, was %s".formatted(MOST_REPEATS, times));
    }
    return times;
  }

  private Rescoring.Action action() {
    return switch (action) {
      case null -> Rescoring.Action.APPEND;
      case "append" -> Rescoring.Action.APPEND;
      case "overwrite" -> Rescoring.Action.OVERWRITE;
      default ->
          throw new ConfigurationException(
              "--action must be append or overwrite, was '%s'".formatted(action));
    };
  }

  // What became of it.

  private void print(Rescoring.Finished finished) {
    List<List<String>> rows = new ArrayList<>();
    for (ScorerMetrics scorer : finished.added()) {
      scorer
          .metrics()
          .keySet()
          .forEach(
              metric ->
                  rows.add(
                      List.of(
                          Printable.line(scorer.scorer()),
                          scorer.reducer(),
                          metric,
                          ResultTable.value(scorer, metric))));
    }
    surroundings.out().println();
    surroundings.out().println(row(HEADINGS, rows));
    surroundings
        .out()
        .println(widths(rows).mapToObj("─"::repeat).collect(Collectors.joining("  ")));
    rows.forEach(cells -> surroundings.out().println(row(cells, rows)));
    surroundings.out().println();
    tell(finished);
    finished
        .variances()
        .forEach((scorer, parts) -> surroundings.out().println(variance(scorer, parts)));
    ResultTable.intervals(List.of(finished.result())).ifPresent(surroundings.out()::println);
    surroundings.out().println("Log: " + Printable.line(finished.file().toString()));
  }

  private void tell(Rescoring.Finished finished) {
    int total = finished.result().samples().total();
    surroundings.out().printf("Scored: %d of %d samples%n", finished.scored(), total);
    if (finished.takenOver() > 0) {
      surroundings
          .out()
          .printf(
              "Taken over: %s of a scoring that was cut off; no grader was asked again%n",
              Numbers.count(finished.takenOver(), "sample"));
    }
    if (finished.leftOut() > 0) {
      surroundings
          .out()
          .printf("Left out: %d that failed or were cancelled in their run%n", finished.leftOut());
    }
    if (finished.failed() > 0) {
      surroundings
          .out()
          .printf(
              "Not scored: %d; the notes of each sample say why: weir log dump %s --sample ID%n",
              finished.failed(), Printable.line(finished.file().toString()));
    }
    if (finished.tokens().input() > 0) {
      surroundings
          .out()
          .printf(
              "Graders: %s in, %d out, %s%n",
              Numbers.count(finished.tokens().input(), "token"),
              finished.tokens().output(),
              cost(finished));
    }
    Optional<String> early =
        finished.cancelled()
            ? Optional.of("Interrupted")
            : finished.stopped().map(why -> "Stopped, " + why);
    early.ifPresent(
        why ->
            surroundings
                .out()
                .println(
                    "%s: the log has all samples, and what was scored by then.%nResume: %s%s"
                        .formatted(
                            why,
                            Resumption.repeated(spec, surroundings.environment()).command(),
                            outputFile == null ? "" : " (with another --output-file)")));
    finished.problem().ifPresent(why -> surroundings.err().println("weir: " + Printable.line(why)));
    if (finished.failed() > 0 && finished.problem().isPresent()) {
      surroundings
          .err()
          .println(
              "To allow failed samples: --fail-on-error=false, or a share such as 0.1; to retry"
                  + " scorers that fail: --scorer-retries");
    }
    if (isWithoutScore(finished)) {
      surroundings
          .out()
          .println("Failed: none of %s was scored".formatted(samples(finished.failed())));
    }
  }

  private static String samples(int count) {
    return Numbers.count(count, "sample");
  }

  private static boolean isWithoutScore(Rescoring.Finished finished) {
    return finished.scored() == 0 && finished.failed() > 0;
  }

  /** What more gradings of each answer would bring, and what they cannot. */
  private static String variance(String scorer, VarianceComponents parts) {
    return String.format(
        Locale.ROOT,
        "Variance of %s: %.4f from answers, %.4f from the judge (%.0f %%); standard error %.3f with"
            + " %d gradings of each answer, %.3f with one, %.3f with any number",
        Printable.line(scorer),
        parts.between(),
        parts.within(),
        100 * parts.shareWithin(),
        parts.standardError(parts.repeats()),
        parts.repeats(),
        parts.standardError(1),
        parts.standardError(Double.POSITIVE_INFINITY));
  }

  private static String cost(Rescoring.Finished finished) {
    String known =
        "$" + finished.cost().knownUsd().setScale(4, RoundingMode.HALF_UP).toPlainString();
    if (finished.cost().unknownCalls() == 0) {
      return known;
    }
    return finished.cost().pricedCalls() == 0 ? "cost unknown" : "at least " + known;
  }

  private static int exitCode(Rescoring.Finished finished) {
    if (finished.cancelled()) {
      return ExitCode.INTERRUPTED;
    }
    if (finished.refusal().isPresent()) {
      return ExitCode.REFUSED;
    }
    return finished.problem().isPresent()
            || finished.stopped().isPresent()
            || isWithoutScore(finished)
        ? ExitCode.FAILED
        : ExitCode.SUCCESS;
  }

  private static String row(List<String> texts, List<List<String>> rows) {
    int[] widths = widths(rows).toArray();
    return IntStream.range(0, widths.length)
        .mapToObj(i -> texts.get(i) + " ".repeat(Math.max(0, widths[i] - texts.get(i).length())))
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
