package dev.weir.eval.run;

import dev.weir.eval.dataset.Sample;
import dev.weir.eval.sample.GenerationFailedException;
import dev.weir.eval.sample.SampleState;
import dev.weir.eval.scorer.NoScoreException;
import dev.weir.eval.scorer.Score;
import dev.weir.eval.task.TaskDefinition.NamedScorer;
import dev.weir.limits.DeadlinePassedException;
import dev.weir.limits.StoppedException;
import dev.weir.log.ModelCall;
import dev.weir.log.RunResult.ModelUse;
import dev.weir.log.SampleResult;
import dev.weir.log.SampleResult.LogMessage;
import dev.weir.log.SampleResult.Note;
import dev.weir.log.SampleResult.ScoreResult;
import dev.weir.model.ConfigurationException;
import dev.weir.model.Message;
import dev.weir.model.Response;
import dev.weir.model.ToolCall;
import dev.weir.model.Usage;
import dev.weir.model.price.Spend;
import dev.weir.time.Time;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Scores samples of a log again. Thread-safe. */
public final class Rescorer {

  /** The scorer whose answer says what was chosen, which the log does not tell otherwise. */
  private static final String CHOICE = "choice";

  private static final String CHOSEN = "choices";

  /** In the metadata of a score: the scores of all repetitions. */
  public static final String REPEATS = "repeats";

  /** Who notes that a sample could not be scored. */
  private static final String SOURCE = "weir/score";

  private final Time time;
  private final String task;
  private final long seed;
  private final List<NamedScorer> scorers;
  private final Graders graders;
  private final boolean keepsScores;
  private final int repeat;
  private final int retries;
  private final Runnable beforeCall;
  private final KnownTerms terms;

  /**
   * @param task whose calls these are
   * @param graders the models that scorers may ask
   * @param keepsScores whether the scores that are there stay
   * @param repeat how often each answer is judged
   * @param retries how often a scorer that fails is retried
   * @param beforeCall is told on the task that is about to ask a model
   */
  public Rescorer(
      Time time,
      String task,
      long seed,
      List<NamedScorer> scorers,
      Graders graders,
      boolean keepsScores,
      int repeat,
      int retries,
      Runnable beforeCall) {
    this.time = time;
    this.task = task;
    this.seed = seed;
    this.scorers = List.copyOf(scorers);
    this.graders = graders;
    this.terms = graders.terms();
    this.keepsScores = keepsScores;
    this.repeat = repeat;
    this.retries = retries;
    this.beforeCall = beforeCall;
  }

  /** What became of a sample. */
  public enum Outcome {
    SCORED,
    /** It had failed or been cancelled in its run: there is nothing to score. */
    LEFT_OUT,
    /** It could not be scored: it is as it was, with a note why, and can be scored later. */
    FAILED,
    /** The work was ended before it was scored: it is as it was, without new scores. */
    NOT_REACHED
  }

  /**
   * A sample as it is now.
   *
   * @param refusal why the provider refused for good, if that is why it failed
   */
  public record Rescored(
      SampleResult sample, Outcome outcome, Optional<Response.Failure> refusal) {}

  /**
   * Whatever a scorer throws is noted beside the sample. It is no error of the sample itself, whose
   * answer is as good as before.
   *
   * @throws ConfigurationException if a scorer wants what is not there
   * @throws InterruptedException if the task is cancelled, or nothing may be asked any more
   */
  public Rescored score(SampleResult logged) throws InterruptedException {
    if (isLeftOut(logged)) {
      return unscored(logged);
    }
    Map<String, ScoreResult> scores = kept(logged);
    SampleState state = state(logged);
    var context = new ScoringContext(this, state, time, seed);
    Optional<String> error = Optional.empty();
    Optional<Response.Failure> refusal = Optional.empty();
    String asked = "";
    try {
      for (NamedScorer scorer : scorers) {
        asked = scorer.name();
        scores.putAll(Records.scores(Map.of(scorer.name(), score(scorer, state, context))));
      }
    } catch (InterruptedException | ConfigurationException fatal) {
      throw fatal;
    } catch (StoppedRunException usedUp) {
      throw new InterruptedException(usedUp.getMessage());
    } catch (StoppedException stopped) {
      if (stopped.isOutage()) {
        // Other graders may answer; what was not scored is scored by the next command.
        error = Optional.of(String.valueOf(stopped.getMessage()));
      } else {
        throw new InterruptedException("others were refused for good");
      }
    } catch (GenerationFailedException failed) {
      error = Optional.of(String.valueOf(failed.getMessage()));
      refusal = Optional.of(failed.failure()).filter(Ending::isForGood);
    } catch (NoScoreException | DeadlinePassedException told) {
      error = Optional.of(String.valueOf(told.getMessage()));
    } catch (Exception | StackOverflowError broken) {
      // A defect of a scorer is a result and must be seen.
      error = Optional.of(broken.toString());
    }
    if (error.isPresent()) {
      if (Thread.interrupted()) {
        throw new InterruptedException("ended while it was scored");
      }
      context.note(SOURCE, Map.of("scorer", asked, "error", error.get()));
    }
    return new Rescored(
        with(logged, scores, Optional.of(context)),
        error.isPresent() ? Outcome.FAILED : Outcome.SCORED,
        refusal);
  }

  /** The mean of all repetitions, each of which is kept; what else is said is that of the first. */
  private Score score(NamedScorer scorer, SampleState state, ScoringContext context)
      throws Exception {
    Score first = score(scorer, state, context, 0);
    if (repeat == 1) {
      return first;
    }
    List<Double> values = new ArrayList<>();
    values.add(first.value());
    for (int i = 1; i < repeat; i++) {
      values.add(score(scorer, state, context, i).value());
    }
    Map<String, Object> metadata = new LinkedHashMap<>(first.metadata());
    metadata.put(REPEATS, values);
    double mean = values.stream().mapToDouble(Double::doubleValue).average().orElseThrow();
    return new Score(mean, first.answer(), first.explanation(), metadata);
  }

  private Score score(NamedScorer scorer, SampleState state, ScoringContext context, int repetition)
      throws Exception {
    return ScorerRetries.score(
        scorer.name(),
        retries,
        new ScorerRetries.Scoring() {
          @Override
          public Score attempt(int attempt) throws Exception {
            context.repeats(repetition, attempt);
            return scorer.score(state, context);
          }

          @Override
          public boolean retries(Map<String, Object> note) {
            context.note(SOURCE, note);
            return !Thread.currentThread().isInterrupted();
          }
        });
  }

  /** What becomes of a sample that is not scored. */
  public Rescored unscored(SampleResult logged) {
    return new Rescored(
        with(logged, kept(logged), Optional.empty()),
        isLeftOut(logged) ? Outcome.LEFT_OUT : Outcome.NOT_REACHED,
        Optional.empty());
  }

  private static boolean isLeftOut(SampleResult logged) {
    return logged.cancelled() || logged.error().isPresent();
  }

  private Map<String, ScoreResult> kept(SampleResult logged) {
    return new LinkedHashMap<>(keepsScores ? logged.scores() : Map.of());
  }

  private static SampleState state(SampleResult logged) {
    var state =
        new SampleState(
            new Sample(
                logged.id(),
                logged.input(),
                List.of(),
                logged.targets(),
                logged.choices(),
                new LinkedHashMap<String, @Nullable Object>(logged.metadata()),
                Map.of(),
                Optional.empty()),
            logged.epoch());
    state.setMessages(logged.messages().stream().map(Rescorer::message).toList());
    logged.output().ifPresent(state::setOutput);
    state.store().putAll(logged.store());
    ScoreResult choice = logged.scores().get(CHOICE);
    if (choice != null && !state.store().containsKey(CHOSEN)) {
      // Of answers that were shown in another order, only this tells which were meant.
      state.store().put(CHOSEN, choice.answer().orElse(""));
    }
    return state;
  }

  private static Message message(LogMessage logged) {
    return switch (logged.role()) {
      case "system" -> Message.instructions(logged.content());
      case "assistant" ->
          new Message.Assistant(
              logged.content(),
              "",
              logged.toolCalls().stream()
                  .map(call -> new ToolCall(call.id(), call.name(), call.arguments()))
                  .toList(),
              Optional.empty());
      case "tool" ->
          new Message.ToolResult(
              logged.toolCallId().orElse(""),
              logged.tool().orElse(""),
              logged.content(),
              logged.failed(),
              logged.timedOut());
      default -> Message.user(logged.content());
    };
  }

  // The class file of a record lacks the annotation of its constructor's map.
  @SuppressWarnings("NullAway")
  private static SampleResult with(
      SampleResult logged, Map<String, ScoreResult> scores, Optional<ScoringContext> used) {
    List<String> requestIds = new ArrayList<>(logged.requestIds());
    List<Note> notes = new ArrayList<>(logged.notes());
    List<LogMessage> otherMessages = new ArrayList<>(logged.otherMessages());
    List<ModelCall> calls = new ArrayList<>(logged.calls());
    used.ifPresent(
        context -> {
          SampleHistory.Told told = context.told(otherMessages.size());
          otherMessages.addAll(Records.messages(told.others()));
          calls.addAll(told.calls());
          requestIds.addAll(context.meter().requestIds());
          notes.addAll(context.notes());
        });
    Optional<SampleMeter> meter = used.map(ScoringContext::meter);
    return new SampleResult(
        logged.id(),
        logged.epoch(),
        logged.contentHash(),
        logged.started(),
        logged.input(),
        logged.targets(),
        logged.choices(),
        logged.metadata(),
        logged.messages(),
        otherMessages,
        calls,
        logged.toolRuns(),
        logged.states(),
        logged.output(),
        logged.stopReason(),
        logged.store(),
        scores,
        logged.error(),
        logged.traceback(),
        logged.cancelled(),
        logged.errorRetries(),
        logged.limit(),
        logged.retries() + meter.map(SampleMeter::retries).orElse(0L),
        requestIds,
        logged.tokens().plus(Records.tokens(meter.map(SampleMeter::usage).orElse(Usage.NONE))),
        logged.cost().plus(Records.cost(meter.map(SampleMeter::spend).orElse(Spend.NONE))),
        logged.cachedAnswers() + meter.map(SampleMeter::cachedAnswers).orElse(0L),
        notes,
        logged.times());
  }

  // What the context needs.

  String task() {
    return task;
  }

  PricedModel role(String role, boolean isBegun) {
    return graders.role(role, isBegun);
  }

  void asks() {
    beforeCall.run();
  }

  KnownTerms terms() {
    return terms;
  }

  /** What the models of the roles did so far, if anything. */
  public List<ModelUse> uses() {
    return graders.all().entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .map(role -> role.getValue().count().use(role.getValue().model(), role.getKey()))
        .filter(use -> use.calls() > 0 || use.retries() > 0)
        .toList();
  }
}
