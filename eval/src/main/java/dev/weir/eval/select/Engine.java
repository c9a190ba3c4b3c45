package dev.weir.eval.select;

import dev.weir.eval.Trials;
import dev.weir.eval.option.SelectionOptions;
import dev.weir.eval.select.SelectionJournal.Ended;
import dev.weir.eval.select.Workers.Worked;
import dev.weir.model.ConfigurationException;
import dev.weir.selection.Dispatcher;
import dev.weir.selection.Evaluation;
import dev.weir.selection.Schedule;
import dev.weir.selection.Selection;
import dev.weir.selection.SelectionPlan;
import dev.weir.selection.SelectionResult;
import dev.weir.time.Task;
import dev.weir.time.Time;
import java.io.IOException;
import java.math.BigDecimal;
import java.time.Duration;
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
 * What the journal knows already is told instead of run. So is what was run ahead, in slots that
 * nothing decided needed: it changes when outcomes are known, and no decision.
 *
 * <p>One task runs it; others may look at it. Its monitor guards what they see, and is held while
 * something changes; nothing is waited for meanwhile.
 */
final class Engine {

  private static final Duration LOOK_AGAIN = Duration.ofMillis(100);

  private final Time time;
  private final Trials trials;
  private final SelectionOptions options;
  private final SelectionJournal journal;
  private final Workers workers;

  // What is told instead of run: that of an earlier time, and what was made ahead.
  private final Map<Evaluation, Ended> known;
  private final BigDecimal paidBefore;
  // With all that is known, whether it will be told or was in vain.
  private final BigDecimal spentBefore;
  private final Consumer<SelectionProgress> watcher;
  private final Selection selection;
  private final Dispatcher dispatcher;
  private final Purse purse;
  private final boolean isShared;

  // Changed by the task that runs the engine, and by it alone; guarded by this, for who looks on.
  private final Map<Evaluation, Task<?>> running = new LinkedHashMap<>();
  // Not decided as yet.
  private final Map<Evaluation, Task<?>> ahead = new LinkedHashMap<>();
  private final Set<Evaluation> madeAhead = new HashSet<>();
  // Told, and ahead of what was decided as far as the journal knows.
  private final Set<Evaluation> early = new HashSet<>();
  private long startedAhead;
  private final Map<Integer, String> errors = new HashMap<>();
  private final Standings standings;
  private final long begun;
  private Optional<String> leader = Optional.empty();
  private int shownRound;
  private boolean shownEnd;
  private long kept;
  private double knownCost;
  private boolean interrupted;
  private @Nullable String stopped;
  private @Nullable RuntimeException broken;

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
    this.paidBefore = opened.paid();
    this.knownCost = paidBefore.doubleValue();
    this.watcher = watcher;
    this.selection = Selection.begin(plan);
    this.spentBefore =
        known.values().stream()
            .map(ended -> BigDecimal.valueOf(ended.paid()))
            .reduce(paidBefore, BigDecimal::add);
    this.purse = new Purse(trials.maxCost(), spentBefore.doubleValue());
    known.values().forEach(purse::learn);
    this.isShared = options.schedule() == Schedule.SHARED;
    // Of the shared schedule the engine counts the slots: who waits for a pace holds none.
    this.dispatcher =
        new Dispatcher(
            selection, options.schedule(), isShared ? Integer.MAX_VALUE : options.maxConcurrent());
    this.workers = new Workers(time, trials, plan.arms(), journal);
    this.standings = new Standings(selection);
    this.begun = time.nanos();
  }

  SelectionFindings run() {
    long deadline = options.budget().time().map(time::after).orElse(Time.NEVER);
    try (journal) {
      trials.spent(spentBefore);
      startAll();
      markDecided();
      show();
      while (!running.isEmpty() || !ahead.isEmpty()) {
        await(deadline);
        takeEnded();
        startAll();
        markDecided();
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
    // The rest was made for another selection of the same.
    List<Ended> vain = known.values().stream().filter(Ended::ahead).toList();
    double inVain = vain.stream().mapToDouble(Ended::more).sum();
    return new SelectionFindings(
        trials.task(),
        selection.plan(),
        result,
        kept,
        new SelectionFindings.Ahead(
            startedAhead, vain.size() + selection.inVain(), inVain + selection.costInVain()),
        knownCost + inVain,
        Optional.ofNullable(stopped),
        interrupted,
        errors,
        standings.history(result),
        Duration.ofNanos(time.nanos() - begun),
        journal.file());
  }

  /** Whoever ends it gets what is known; what has not ended by then is not. */
  private void await(long deadline) {
    try {
      // One that was stopped has but to wait for those that end.
      long until = stopped == null ? deadline : Time.NEVER;
      // Nobody tells when a call begins to wait.
      boolean isFull = isShared && stopped == null && underWay() >= options.maxConcurrent();
      long look = isFull ? time.after(LOOK_AGAIN) : Time.NEVER;
      if (!workers.await(Math.min(until, look)) && until <= look && stopped == null) {
        endNow("the time is used up");
      }
    } catch (InterruptedException wanted) {
      interrupted = true;
      endNow("it was interrupted");
    }
  }

  private synchronized void endNow(String why) {
    trials.endCalls();
    stop(why);
    running.values().forEach(Task::cancel);
    ahead.values().forEach(Task::cancel);
  }

  private void stop(String why) {
    stopped = stopped == null ? why : stopped;
    selection.stop();
  }

  /** Tells what is decided and known, before slots are given to what is not. */
  private void tellKnown() {
    boolean isAnyTold = true;
    // What is told may decide more that is known.
    while (isAnyTold && !known.isEmpty()) {
      isAnyTold = false;
      for (Evaluation decided : selection.waiting()) {
        Ended before = takeKnown(decided);
        if (before != null) {
          isAnyTold = true;
          told(() -> selection.tell(decided, before.outcome()));
        }
      }
    }
  }

  /** Who takes it has but to tell it. */
  private @Nullable Ended takeKnown(Evaluation evaluation) {
    Ended before = known.remove(evaluation);
    if (before != null) {
      count(before);
      if (madeAhead.remove(evaluation)) {
        purse.end(before);
      } else {
        kept++;
      }
    }
    return before;
  }

  private synchronized void startAll() {
    tellKnown();
    while (stopped == null && !selection.isEnded() && isSlotFree()) {
      Optional<Evaluation> next = nextToStart();
      if (next.isEmpty()) {
        break;
      }
      Ended before = takeKnown(next.get());
      if (before == null) {
        Task<?> begun = ahead.remove(next.get());
        purse.begin(next.get());
        boolean isEarly = selection.isEarly(next.get());
        running.put(next.get(), begun == null ? workers.start(next.get(), isEarly) : begun);
      } else {
        told(() -> dispatcher.finish(before.evaluation(), before.outcome()));
        tellKnown();
      }
    }
    startAhead();
  }

  /** Those whose models have room come first; others wait in line for them, in a slot. */
  private Optional<Evaluation> nextToStart() {
    Optional<Evaluation> next =
        isShared
            ? dispatcher.start(arm -> purse.fits(arm) && hasRoom(arm))
            : dispatcher.start(purse::fits);
    if (next.isEmpty() && underWay() < options.maxConcurrent()) {
      next = dispatcher.start(purse::fits);
    }
    if (next.isEmpty() && underWay() == 0 && !selection.waiting().isEmpty()) {
      stop(
          "of the budget of $%s too little is left for another evaluation"
              .formatted(trials.maxCost().orElse(BigDecimal.ZERO).toPlainString()));
    }
    return next;
  }

  private boolean hasRoom(int arm) {
    return trials.hasRoom(ModelSelection.models(selection.plan().arms(), arm));
  }

  private int underWay() {
    return running.size() + ahead.size();
  }

  /** An evaluation whose call waits for its model's pace holds no slot. */
  private boolean isSlotFree() {
    int most = options.maxConcurrent();
    return underWay() < most
        || (isShared && trials.callsInFlight() < most && underWay() - trials.callsHeld() < most);
  }

  /** Slots that nothing decided needs go to what is likely to be decided next. */
  private void startAhead() {
    if (selection.isEnded()) {
      if (stopped == null) {
        // Nothing that is left counts any more.
        trials.endCalls();
        running.values().forEach(Task::cancel);
      }
      ahead.values().forEach(Task::cancel);
    } else if (options.speculate() && stopped == null && isSlotFree()) {
      int most = options.maxConcurrent() + known.size() + ahead.size();
      for (Evaluation likely : selection.likely(most)) {
        if (isSlotFree()
            && hasRoom(likely.arm())
            && !known.containsKey(likely)
            && !ahead.containsKey(likely)) {
          ahead.put(likely, workers.start(likely, true));
          startedAhead++;
        }
      }
    }
  }

  private void takeEnded() {
    take(workers.takeEnded());
  }

  private synchronized void take(List<Worked> all) {
    for (Worked one : all) {
      boolean wasAhead = ahead.remove(one.evaluation()) != null;
      running.remove(one.evaluation());
      knownCost += one.paid();
      purse.end(one.evaluation(), one.paid());
      one.broken().ifPresent(this::fail);
      if (one.ended().isPresent() && wasAhead) {
        known.put(one.evaluation(), one.ended().get());
        madeAhead.add(one.evaluation());
      } else if (one.ended().isPresent()) {
        finish(one.ended().get());
      } else if (one.broken().isEmpty() && !selection.isEnded()) {
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
    purse.end(ended);
    told(() -> dispatcher.finish(ended.evaluation(), ended.outcome()));
  }

  private void count(Ended ended) {
    knownCost += ended.more();
    if (ended.ahead()) {
      early.add(ended.evaluation());
    }
    standings.changed(ended.evaluation().arm());
    ended.error().ifPresent(error -> errors.putIfAbsent(ended.evaluation().arm(), error));
  }

  /** So that another selection of the same does not take it for something that was in vain. */
  private void markDecided() {
    List<Evaluation> decided;
    synchronized (this) {
      decided = early.stream().filter(selection::isDecided).toList();
      decided.forEach(early::remove);
    }
    try {
      for (Evaluation evaluation : decided) {
        journal.decided(evaluation);
      }
    } catch (IOException unwritable) {
      // Nothing that was paid for is lost with a mark; the next outcome tells what is wrong.
    }
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
    Map<Integer, Integer> underWay = new HashMap<>();
    running.keySet().forEach(one -> underWay.merge(one.arm(), 1, Integer::sum));
    ahead.keySet().forEach(one -> underWay.merge(one.arm(), 1, Integer::sum));
    return new SelectionPicture(
        progress(),
        standings.now(),
        Set.copyOf(selection.survivors()),
        underWay,
        kept,
        options.maxConcurrent(),
        trials.models(),
        trials.waitingForSandboxes(),
        Duration.ofNanos(time.nanos() - begun));
  }
}
