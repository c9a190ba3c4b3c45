package dev.weir.eval.select;

import dev.weir.eval.Trials;
import dev.weir.eval.Trials.Trial;
import dev.weir.eval.dataset.Sample;
import dev.weir.eval.option.SelectionOptions;
import dev.weir.eval.select.SelectionJournal.Ended;
import dev.weir.model.ConfigurationException;
import dev.weir.selection.Dispatcher;
import dev.weir.selection.Elimination;
import dev.weir.selection.Evaluation;
import dev.weir.selection.Look;
import dev.weir.selection.Outcome;
import dev.weir.selection.Selection;
import dev.weir.selection.SelectionPlan;
import dev.weir.selection.SelectionResult;
import dev.weir.selection.Standing;
import dev.weir.time.Signal;
import dev.weir.time.Task;
import dev.weir.time.Time;
import java.io.IOException;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs what a selection decides.
 *
 * <pre>
 *   dispatcher ──> a task for each evaluation: run the sample ──> journal ──> ended
 *       ^                                                                       │
 *       └──────────────── told by the task that runs the engine <──────────────┘
 * </pre>
 *
 * What the journal knows already is told instead of run.
 *
 * <p>One task runs it; others may look at it. Its monitor guards what they see, and is held while
 * something changes; nothing is waited for meanwhile.
 */
final class Engine {

  private static final int MOST_HISTORIES = 100;
  private static final int MOST_LOOKS = 12;

  private final Time time;
  private final Trials trials;
  private final SelectionOptions options;
  private final SelectionJournal journal;
  private final Map<Evaluation, Ended> known;
  private final double wastedBefore;
  private final Consumer<SelectionProgress> watcher;
  private final Selection selection;
  private final Dispatcher dispatcher;
  private final Signal someEnded;

  // Guarded by itself: what tasks have ended with.
  private final List<Worked> worked = new ArrayList<>();

  // Changed by the task that runs the engine, and by it alone; guarded by this, for who looks on.
  private final Map<Evaluation, Task<?>> running = new LinkedHashMap<>();
  private final Map<Integer, String> errors = new HashMap<>();
  private final Standing[] standings;
  // Combinations of which more is known than when they were last looked at.
  private final Set<Integer> changed = new HashSet<>();
  private final long begun;
  private Optional<String> leader = Optional.empty();
  private int replayedRound = -1;
  private int shownRound;
  private boolean shownEnd;
  private long kept;
  private double knownCost;
  private boolean interrupted;
  private @Nullable String stopped;
  private @Nullable RuntimeException broken;

  /**
   * What a task has ended with.
   *
   * @param ended absent if nothing came of it
   * @param why nothing did
   * @param broken what went wrong in Weir, the journal or the task's own code
   * @param wasted dollars that were paid although nothing came of it
   */
  private record Worked(
      Evaluation evaluation,
      Optional<Ended> ended,
      Optional<String> why,
      Optional<RuntimeException> broken,
      double wasted) {}

  Engine(
      Time time,
      Trials trials,
      SelectionPlan plan,
      SelectionOptions options,
      SelectionJournal.Opened opened,
      Consumer<SelectionProgress> watcher) {
    this.time = time;
    this.trials = trials;
    this.options = options;
    this.journal = opened.journal();
    this.known = opened.known();
    this.wastedBefore = opened.wasted();
    this.knownCost = wastedBefore;
    this.watcher = watcher;
    this.selection = Selection.begin(plan);
    this.dispatcher = new Dispatcher(selection, options.schedule(), options.maxConcurrent());
    this.someEnded = time.signal("the end of an evaluation");
    this.standings = new Standing[plan.arms().size()];
    this.begun = time.nanos();
    for (int arm = 0; arm < standings.length; arm++) {
      changed.add(arm);
    }
  }

  SelectionFindings run() {
    long deadline = options.budget().time().map(time::after).orElse(Time.NEVER);
    try (journal) {
      trials.spent(spentBefore());
      startAll();
      show();
      while (!running.isEmpty()) {
        await(deadline);
        takeEnded();
        startAll();
        show();
      }
    } catch (IOException lost) {
      // Each outcome was durable before it counted; only the end of the file is missing.
      stopped = stopped == null ? "the journal could not be closed: " + lost : stopped;
    }
    if (broken != null) {
      throw broken;
    }
    SelectionResult result = selection.result();
    return new SelectionFindings(
        trials.task(),
        selection.plan(),
        result,
        kept,
        knownCost,
        Optional.ofNullable(stopped),
        interrupted,
        errors,
        history(result),
        Duration.ofNanos(time.nanos() - begun),
        journal.file());
  }

  private Map<Integer, List<Look>> history(SelectionResult result) {
    Map<Integer, List<Look>> history = new LinkedHashMap<>();
    result.standings().stream()
        .limit(MOST_HISTORIES)
        .forEach(arm -> history.put(arm.arm(), selection.looks(arm.arm(), MOST_LOOKS)));
    return history;
  }

  private BigDecimal spentBefore() {
    double spent =
        known.values().stream().mapToDouble(ended -> ended.outcome().cost().orElse(0)).sum();
    return BigDecimal.valueOf(spent + wastedBefore);
  }

  /** Whoever ends it gets what is known; what has not ended by then is not. */
  private void await(long deadline) {
    try {
      // One that was stopped has but to wait for those that end.
      if (!someEnded.await(stopped == null ? deadline : Time.NEVER) && stopped == null) {
        endNow("the time is used up");
      }
    } catch (InterruptedException wanted) {
      interrupted = true;
      endNow("it was interrupted");
    }
  }

  private synchronized void endNow(String why) {
    stop(why);
    running.values().forEach(Task::cancel);
  }

  private void stop(String why) {
    stopped = stopped == null ? why : stopped;
    selection.stop();
  }

  /** Tells what is decided and known, before slots are given to what is not. */
  private void tellKnown() {
    boolean isMore = !known.isEmpty() && replayedRound != selection.round();
    while (isMore) {
      replayedRound = selection.round();
      for (Evaluation decided : selection.waiting()) {
        Ended before = known.remove(decided);
        if (before != null) {
          kept++;
          count(before);
          told(() -> selection.tell(decided, before.outcome()));
        }
      }
      isMore = !known.isEmpty() && replayedRound != selection.round();
    }
  }

  private synchronized void startAll() {
    tellKnown();
    while (stopped == null && !selection.isEnded()) {
      Optional<Evaluation> next = dispatcher.start();
      if (next.isEmpty()) {
        break;
      }
      Ended before = known.remove(next.get());
      if (before == null) {
        start(next.get());
      } else {
        kept++;
        finish(before);
        tellKnown();
      }
    }
  }

  private void start(Evaluation evaluation) {
    Sample sample = trials.samples().get(evaluation.datapoint());
    running.put(
        evaluation,
        time.start(
            "evaluation of sample " + sample.id(),
            () -> {
              Worked done = work(evaluation, sample);
              synchronized (worked) {
                worked.add(done);
              }
              someEnded.send();
            }));
  }

  /** On a task of its own. */
  private Worked work(Evaluation evaluation, Sample sample) {
    try {
      Trial trial =
          trials.run(ModelSelection.models(selection.plan().arms(), evaluation.arm()), sample);
      if (trial.unfinished()) {
        double paid = trial.cost().orElse(0);
        if (paid > 0) {
          journal.waste(paid);
        }
        return new Worked(evaluation, Optional.empty(), trial.error(), Optional.empty(), paid);
      }
      requireShare(trial);
      var ended =
          new Ended(
              evaluation, new Outcome(trial.score(), trial.cost(), trial.latency()), trial.error());
      journal.append(ended, sample.id());
      return new Worked(evaluation, Optional.of(ended), Optional.empty(), Optional.empty(), 0);
    } catch (IOException unwritable) {
      return broken(
          evaluation,
          new ConfigurationException(
              "%s cannot be written (%s); what is in it is kept: run the same again to go on"
                  .formatted(journal.file(), unwritable.getMessage()),
              unwritable));
    } catch (RuntimeException failed) {
      return broken(evaluation, failed);
    }
  }

  private static Worked broken(Evaluation evaluation, RuntimeException failed) {
    return new Worked(evaluation, Optional.empty(), Optional.empty(), Optional.of(failed), 0);
  }

  private static void requireShare(Trial trial) {
    if (trial.score().isPresent()
        && !(trial.score().getAsDouble() >= 0 && trial.score().getAsDouble() <= 1)) {
      throw new ConfigurationException(
          "a selection needs scores from 0 to 1, but the first scorer gave %s"
              .formatted(trial.score().getAsDouble()));
    }
  }

  private void takeEnded() {
    List<Worked> all;
    synchronized (worked) {
      all = List.copyOf(worked);
      worked.clear();
    }
    take(all);
  }

  private synchronized void take(List<Worked> all) {
    for (Worked one : all) {
      running.remove(one.evaluation());
      knownCost += one.wasted();
      one.ended().ifPresent(this::finish);
      one.broken().ifPresent(this::fail);
      if (one.ended().isEmpty() && one.broken().isEmpty()) {
        stop(one.why().orElse("an evaluation was ended"));
      }
    }
  }

  private void fail(RuntimeException failed) {
    broken = broken == null ? failed : broken;
    endNow("it failed");
  }

  private void finish(Ended ended) {
    count(ended);
    told(() -> dispatcher.finish(ended.evaluation(), ended.outcome()));
  }

  private void count(Ended ended) {
    knownCost += ended.outcome().cost().orElse(0);
    changed.add(ended.evaluation().arm());
    ended.error().ifPresent(error -> errors.putIfAbsent(ended.evaluation().arm(), error));
  }

  private void told(Runnable telling) {
    try {
      telling.run();
    } catch (IllegalArgumentException unusable) {
      fail(new ConfigurationException(String.valueOf(unusable.getMessage()), unusable));
    }
  }

  private void show() {
    if (selection.round() == shownRound && selection.isEnded() == shownEnd) {
      return;
    }
    shownRound = selection.round();
    shownEnd = selection.isEnded();
    OptionalInt first = selection.leader();
    SelectionProgress progress;
    synchronized (this) {
      leader =
          first.isPresent()
              ? Optional.of(selection.plan().arms().label(first.getAsInt()))
              : Optional.empty();
      progress = progress();
    }
    watcher.accept(progress);
  }

  private SelectionProgress progress() {
    SelectionPlan plan = selection.plan();
    return new SelectionProgress(
        selection.round(),
        selection.told(),
        Math.min(plan.budget(), plan.allEvaluations()),
        selection.survivors().size(),
        plan.arms().size(),
        leader,
        knownCost);
  }

  /** For who looks on, from another task. */
  synchronized SelectionPicture picture() {
    selection.eliminations().stream()
        .map(Elimination::arm)
        .filter(arm -> changed.contains(arm) || standings[arm].elimination().isEmpty())
        .forEach(changed::add);
    changed.forEach(arm -> standings[arm] = selection.standing(arm));
    changed.clear();
    Map<Integer, Integer> underWay = new HashMap<>();
    running.keySet().forEach(one -> underWay.merge(one.arm(), 1, Integer::sum));
    return new SelectionPicture(
        progress(),
        List.of(standings),
        Set.copyOf(selection.survivors()),
        underWay,
        kept,
        options.maxConcurrent(),
        trials.models(),
        trials.waitingForSandboxes(),
        Duration.ofNanos(time.nanos() - begun));
  }
}
