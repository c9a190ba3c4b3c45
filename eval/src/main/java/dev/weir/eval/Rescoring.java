package dev.weir.eval;

import dev.weir.eval.metric.Reducer;
import dev.weir.eval.option.RunOptions;
import dev.weir.eval.option.Secrets;
import dev.weir.eval.option.Settings;
import dev.weir.eval.option.TraceOptions.LogLevel;
import dev.weir.eval.run.Budget;
import dev.weir.eval.run.Graders;
import dev.weir.eval.run.RunTrace;
import dev.weir.eval.task.TaskDefinition.NamedScorer;
import dev.weir.log.Cost;
import dev.weir.log.LogFiles;
import dev.weir.log.RunLog;
import dev.weir.log.RunLogReader;
import dev.weir.log.RunResult;
import dev.weir.log.RunResult.ModelUse;
import dev.weir.log.RunResult.ScorerMetrics;
import dev.weir.log.RunStart;
import dev.weir.log.Tokens;
import dev.weir.log.journal.JournalOptions;
import dev.weir.model.ConfigurationException;
import dev.weir.model.PathSpelling;
import dev.weir.model.Response;
import dev.weir.statistics.VarianceComponents;
import dev.weir.time.Time;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Scores the samples of a log again, without asking the evaluated model anything, and writes a new
 * log. Samples that failed or were cancelled in their run stay as they are.
 *
 * <pre>{@code
 * Rescoring.Request request =
 *     Rescoring.Request.of(log, new NamedScorer("math", Scorers.math()));
 * Rescoring.prepare(Time.system(), request, Settings.NONE, Host.process()).run();
 * }</pre>
 *
 * <p>Runs once.
 */
public final class Rescoring {

  /** A bound for memory: so many samples may be with a grader at once. */
  private static final int MOST_OPEN = 500;

  /** In the metadata of the new log: which run it was. */
  private static final String RESCORED = "rescored_run";

  private final Time time;
  private final Request request;
  private final RunStart start;
  private final List<NamedScorer> scorers;
  private final RunOptions options;
  private final Path directory;
  private final RunTrace trace;
  private final Models models;
  private final Graders graders;
  private final boolean isRehearsal;

  private Rescoring(
      Time time,
      Request request,
      RunStart start,
      List<NamedScorer> scorers,
      RunOptions options,
      Path directory,
      RunTrace trace,
      Models models,
      Graders graders,
      boolean isRehearsal) {
    this.time = time;
    this.request = request;
    this.start = start;
    this.scorers = scorers;
    this.options = options;
    this.directory = directory;
    this.trace = trace;
    this.models = models;
    this.graders = graders;
    this.isRehearsal = isRehearsal;
  }

  /** What becomes of the scores that are there. */
  public enum Action {
    /** They stay; a new one of the same name gets another: {@code exact_2}. */
    APPEND,
    OVERWRITE
  }

  /**
   * What is to be done.
   *
   * @param log of a run
   * @param scorers at least one, with distinct names
   * @param outputFile where the new log is written; absent for a name of its own beside the old one
   * @param written the scorers as somebody wrote them, with what they were given. By it a scoring
   *     is known that was cut off, and gone on with; empty if nobody wrote them, and all is scored
   * @param repeat how often each answer is judged; its score is the mean
   */
  public record Request(
      Path log,
      List<NamedScorer> scorers,
      Action action,
      Optional<Path> outputFile,
      List<RunStart.Step> written,
      int repeat) {

    public Request {
      scorers = List.copyOf(scorers);
      written = List.copyOf(written);
      if (scorers.isEmpty()) {
        throw new IllegalArgumentException("`scorers` must not be empty");
      }
      if (repeat < 1) {
        throw new IllegalArgumentException("`repeat` must be >= 1, was " + repeat);
      }
    }

    /** Judges each answer once. */
    public Request(
        Path log,
        List<NamedScorer> scorers,
        Action action,
        Optional<Path> outputFile,
        List<RunStart.Step> written) {
      this(log, scorers, action, outputFile, written, 1);
    }

    /** Scorers that a program made. */
    public Request(Path log, List<NamedScorer> scorers, Action action, Optional<Path> outputFile) {
      this(log, scorers, action, outputFile, List.of(), 1);
    }

    /** The same with each answer judged so often. */
    public Request withRepeat(int times) {
      return new Request(log, scorers, action, outputFile, written, times);
    }

    /** Adds scores to those that are there. */
    public static Request of(Path log, NamedScorer... scorers) {
      return new Request(log, List.of(scorers), Action.APPEND, Optional.empty());
    }
  }

  /**
   * Finds the models that grade, and makes sure that the log can be read and another written.
   *
   * @param given of it, what concerns models and limits: {@code model_role}, {@code max_samples}
   * @throws ConfigurationException if anything cannot be used
   */
  public static Rescoring prepare(Time time, Request request, Settings given, Host host) {
    RunStart old = start(request.log());
    RunOptions options = RunOptions.parse(given);
    Path directory =
        request
            .outputFile()
            .map(file -> parent(file))
            .or(options::logDir)
            .orElseGet(() -> parent(request.log()));
    request.outputFile().ifPresent(Rescoring::requireNew);
    List<NamedScorer> scorers = distinct(request, old.scorers());
    String id = Long.toUnsignedString(time.freshSeed(), Character.MAX_RADIX);
    var trace =
        new RunTrace(
            time,
            id,
            host.traceDirectory(),
            options.trace().traceBodies().orElse(false),
            host.watcher());
    long seed = options.seed().orElse(old.seed());
    var models = new Models(time, host, options, seed, trace);
    Map<String, Models.OpenModel> roles = models.graders(options);
    models.requirePrices(List.of(), options);
    var graders =
        new Graders(
            new Budget(options.budget()),
            new Secrets(host.environment()),
            watch -> LoggedRun.watched(roles, watch));
    reducers(options, old.epochs());
    boolean isRehearsal = host.rehearsal().isPresent();
    if (!isRehearsal) {
      prepareDirectory(directory);
    }
    return new Rescoring(
        time,
        request,
        started(
            time,
            id,
            old,
            names(request, scorers, old),
            request.log(),
            ScoringIdentity.of(request, old, options, given, seed)),
        scorers,
        options,
        directory,
        trace,
        models,
        graders,
        isRehearsal);
  }

  private static RunStart start(Path log) {
    try (var reader = RunLogReader.open(log)) {
      return reader.start();
    } catch (IOException unreadable) {
      throw new ConfigurationException(
          Files.exists(log)
              ? "the log cannot be read: " + unreadable.getMessage()
              : "there is no log %s%s".formatted(log, PathSpelling.hint(log)),
          unreadable);
    }
  }

  private static Path parent(Path file) {
    return file.resolveSibling("");
  }

  private static void requireNew(Path file) {
    if (Files.exists(file)) {
      throw new ConfigurationException(
          "%s already exists; choose another output file, or remove it".formatted(file));
    }
  }

  private static void prepareDirectory(Path directory) {
    try {
      RunLog.prepare(directory);
    } catch (IOException unwritable) {
      throw new ConfigurationException(
          "the directory %s cannot be written to (%s); choose another one with --output-file"
              .formatted(directory, unwritable),
          unwritable);
    }
  }

  private static List<NamedScorer> distinct(Request request, List<String> there) {
    Set<String> taken =
        new HashSet<>(request.action() == Action.APPEND ? there : List.<String>of());
    List<NamedScorer> distinct = new ArrayList<>();
    for (NamedScorer scorer : request.scorers()) {
      String name = scorer.name();
      for (int i = 2; !taken.add(name); i++) {
        name = scorer.name() + "_" + i;
      }
      distinct.add(new NamedScorer(name, scorer.scorer(), scorer.metrics()));
    }
    return distinct;
  }

  private static List<String> names(Request request, List<NamedScorer> scorers, RunStart old) {
    List<String> names =
        new ArrayList<>(request.action() == Action.APPEND ? old.scorers() : List.<String>of());
    scorers.forEach(scorer -> names.add(scorer.name()));
    return names;
  }

  private static RunStart started(
      Time time,
      String id,
      RunStart old,
      List<String> scorers,
      Path scored,
      Optional<String> identity) {
    Map<String, String> metadata = new LinkedHashMap<>(old.metadata());
    metadata.put(RESCORED, old.runId());
    metadata.remove(EarlierScores.SCORED_WITH);
    identity.ifPresent(known -> metadata.put(EarlierScores.SCORED_WITH, known));
    return new RunStart(
        id,
        old.taskId(),
        old.task(),
        old.origin(),
        old.dataset(),
        old.solvers(),
        old.model(),
        old.roles(),
        old.epochs(),
        old.seed(),
        old.concurrencyMode(),
        old.maxConnections(),
        scorers,
        old.config(),
        old.tags(),
        metadata,
        time.instant(),
        Optional.empty(),
        Optional.of(LogFiles.current(scored).toAbsolutePath().normalize().toString()),
        Optional.empty(),
        Optional.empty());
  }

  /** Those that were asked for; empty if the old log decides. */
  private static List<Reducer> reducers(RunOptions options, int epochs) {
    List<Reducer> reducers = options.samples().reducers().stream().map(Reducer::parse).toList();
    reducers.forEach(reducer -> reducer.requireEpochs(epochs));
    return reducers;
  }

  /** What is known of the run, with the scorers that it will have. */
  public RunStart start() {
    return start;
  }

  /** Reads the limits of engines again, which is done anyway when their files change. */
  public void reloadEngineLimits() {
    models.reloadEngineLimits();
  }

  /** What is to be shown while it runs. */
  public LogLevel logLevel() {
    return options.trace().logLevel().orElse(LogLevel.WARNING);
  }

  /**
   * Scores all samples and writes the new log; goes on with scorings of the same directory that had
   * the same scorers, given the same, and were cut off. Cancelling the calling task ends it
   * cleanly, and so does a budget that is used up; the new log then has all samples, and the scores
   * that there were by then.
   *
   * <p>With a host that rehearses, it writes nothing, and the file is the log that it scores.
   *
   * @throws ConfigurationException if a scorer wants a model that has no role; nothing is written
   * @throws IOException if the new log cannot be written, or the old one not be read to its end
   */
  public Finished run() throws IOException {
    try (trace;
        models) {
      trace.begin();
      models.begin();
      Finished finished =
          new RescoringRun(
                  time,
                  request,
                  start,
                  scorers,
                  reducers(options, start.epochs()),
                  graders,
                  options.errors().failOnError().orElse(0.0),
                  isRehearsal ? 0 : options.errors().mostScorerRetries(),
                  options.samples().maxSamples().orElse(MOST_OPEN),
                  journalOptions(),
                  isRehearsal,
                  trace::warn)
              .run(directory);
      models.cacheProblem().ifPresent(trace::warn);
      return finished;
    }
  }

  private JournalOptions journalOptions() {
    JournalOptions usual = JournalOptions.defaults();
    return options.log().buffer().map(usual::withMaxHeldBytes).orElse(usual);
  }

  /**
   * A log that was scored again.
   *
   * @param result of the whole run, old scores included
   * @param file the new log
   * @param added what the new scores amount to
   * @param variances by scorer, where the variance of its scores comes from: answers or the judge;
   *     only if each answer was judged repeatedly
   * @param scored samples with new scores
   * @param takenOver how many of them an earlier scoring had scored, which was cut off
   * @param leftOut samples that had failed or been cancelled in their run
   * @param failed samples that could not be scored
   * @param graders what the models that grade did for it
   * @param problem why it did not succeed, if so
   * @param cancelled whether it was ended by somebody
   * @param stopped why it was stopped before all was scored although nothing failed: a budget
   * @param refusal why a provider refused for good, if that ended it
   */
  public record Finished(
      RunResult result,
      Path file,
      List<ScorerMetrics> added,
      Map<String, VarianceComponents> variances,
      int scored,
      int takenOver,
      int leftOut,
      int failed,
      List<ModelUse> graders,
      Optional<String> problem,
      boolean cancelled,
      Optional<String> stopped,
      Optional<Response.Failure> refusal) {

    public Finished {
      added = List.copyOf(added);
      variances = Collections.unmodifiableMap(new LinkedHashMap<>(variances));
      graders = List.copyOf(graders);
    }

    /** Of the graders. */
    public Tokens tokens() {
      return graders.stream().map(ModelUse::tokens).reduce(Tokens.NONE, Tokens::plus);
    }

    /** Of the graders. */
    public Cost cost() {
      return graders.stream().map(ModelUse::cost).reduce(Cost.NONE, Cost::plus);
    }

    Finished at(Path place) {
      return with(place, problem);
    }

    Finished failed(String why) {
      return with(file, Optional.of(why));
    }

    private Finished with(Path place, Optional<String> why) {
      return new Finished(
          result, place, added, variances, scored, takenOver, leftOut, failed, graders, why,
          cancelled, stopped, refusal);
    }
  }
}
