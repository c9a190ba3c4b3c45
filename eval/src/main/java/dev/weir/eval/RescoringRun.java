package dev.weir.eval;

import dev.weir.eval.Rescoring.Action;
import dev.weir.eval.Rescoring.Finished;
import dev.weir.eval.metric.Reducer;
import dev.weir.eval.run.Graders;
import dev.weir.eval.run.PricedModel;
import dev.weir.eval.run.Rescorer;
import dev.weir.eval.run.Rescorer.Outcome;
import dev.weir.eval.run.Rescorer.Rescored;
import dev.weir.eval.task.TaskDefinition.NamedScorer;
import dev.weir.log.LoggedSample;
import dev.weir.log.Reduced;
import dev.weir.log.RunLog;
import dev.weir.log.RunLogReader;
import dev.weir.log.RunResult;
import dev.weir.log.RunResult.ModelUse;
import dev.weir.log.RunStart;
import dev.weir.log.journal.JournalListener;
import dev.weir.log.journal.JournalOptions;
import dev.weir.time.Task;
import dev.weir.time.TaskFailedException;
import dev.weir.time.Time;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Reads samples one by one, scores them and writes them down. One worker is enough where no model
 * is asked; each that is about to ask one lets another begin, so that graders are kept busy and
 * memory is bounded. Thread-safe; runs once.
 */
final class RescoringRun {

  private final Time time;
  private final Rescoring.Request request;
  private final RunStart start;
  private final int mostWorkers;
  private final List<String> scorers;
  private final Graders graders;
  private final Rescorer rescorer;
  private final Consumer<String> warn;
  private final JournalOptions journalOptions;
  private final boolean isRehearsal;
  private volatile boolean paused;

  // Guarded by this.
  private final RescoringTally tally;
  private final List<Task<?>> workers = new ArrayList<>();
  private final List<LoggedSample> begun = new ArrayList<>();
  private @Nullable RunLogReader reader;
  private @Nullable EarlierScores earlier;
  private @Nullable RunLog log;
  private boolean stopping;
  private boolean awaited;
  private boolean cancelled;
  private @Nullable Exception broken;

  RescoringRun(
      Time time,
      Rescoring.Request request,
      RunStart start,
      List<NamedScorer> scorers,
      List<Reducer> asked,
      Graders graders,
      double failOnError,
      int scorerRetries,
      int mostWorkers,
      JournalOptions journal,
      boolean isRehearsal,
      Consumer<String> warn) {
    this.time = time;
    this.request = request;
    this.start = start;
    this.mostWorkers = mostWorkers;
    this.scorers = scorers.stream().map(NamedScorer::name).toList();
    this.graders = graders;
    this.warn = warn;
    this.journalOptions = journal.withListener(new Trouble());
    this.isRehearsal = isRehearsal;
    this.rescorer =
        new Rescorer(
            time,
            start.task(),
            start.seed(),
            scorers,
            graders,
            keepsScores(),
            request.repeat(),
            scorerRetries,
            this::startWorker);
    this.tally = new RescoringTally(time, request.action(), start, scorers, asked, failOnError);
  }

  private boolean keepsScores() {
    return request.action() == Action.APPEND;
  }

  Finished run(Path directory) throws IOException {
    // An interrupt closes the files of the task that it reaches: those of this one it does not.
    Task<Finished> scoring =
        time.start("scoring", () -> isRehearsal ? rehearsed(directory) : scored(directory));
    while (true) {
      try {
        return scoring.join();
      } catch (InterruptedException ended) {
        cancel();
      } catch (TaskFailedException failed) {
        switch (failed.getCause()) {
          case IOException unusable -> throw unusable;
          case RuntimeException told -> throw told;
          case null, default -> throw failed;
        }
      }
    }
  }

  /** No other sample is begun, and nobody waits for graders or the disk. */
  private void cancel() {
    RunLog to;
    synchronized (this) {
      // Who comes when all is scored has only to wait until it is written.
      cancelled |= !awaited;
      stopping = true;
      to = log;
    }
    if (to != null) {
      to.hurry();
    }
    cancelWorkers();
  }

  private Finished scored(Path directory) throws IOException {
    Path written;
    @Nullable Finished finished = null;
    try (var from = RunLogReader.open(request.log());
        var before = EarlierScores.in(directory, start, scorers);
        var to = RunLog.begin(time, directory, start, journalOptions)) {
      written = to.file();
      Optional<String> foreign = from.foreignHeader();
      if (foreign.isPresent()) {
        to.keep(foreign.get(), keepsScores());
      }
      boolean isEnded;
      synchronized (this) {
        reader = from;
        earlier = before;
        log = to;
        isEnded = stopping;
      }
      if (isEnded) {
        to.hurry();
      }
      tell(before);
      startWorker();
      awaitWorkers();
      if (isWhole()) {
        keepRest(from);
        Finished counted =
            with(from.damage(), finished(from.end(), ScoredRun.of(request.log(), from), written));
        for (Reduced reduced : reductions(from.end())) {
          to.append(reduced);
        }
        to.end(counted.result());
        tellUse(before);
        List<String> lost = new ArrayList<>();
        Path file = to.finish(lost::add);
        finished = with(lost, counted).at(file);
        before.remove();
      }
    }
    if (finished == null) {
      leave(written);
      throw whatEnded();
    }
    return request.outputFile().isPresent()
        ? moved(finished, request.outputFile().get())
        : finished;
  }

  /** As it would be done; nothing is written. */
  private Finished rehearsed(Path directory) throws IOException {
    try (var from = RunLogReader.open(request.log());
        var before = EarlierScores.in(directory, start, scorers)) {
      synchronized (this) {
        reader = from;
        earlier = before;
      }
      startWorker();
      awaitWorkers();
      if (!isWhole()) {
        throw whatEnded();
      }
      keepRest(from);
      return finished(from.end(), ScoredRun.of(request.log(), from), request.log());
    }
  }

  /** What could not be read has no new scores: that is no success. */
  private static Finished with(List<String> damage, Finished finished) {
    return damage.isEmpty() || finished.problem().isPresent()
        ? finished
        : finished.failed("not all of the log could be read: " + String.join("; ", damage));
  }

  private void tell(EarlierScores before) {
    if (before.size() > 0) {
      warn.accept(
          "%s: the same scoring was cut off; the scores of %d samples are taken over from it"
              .formatted(
                  before.files().stream().map(Path::toString).collect(Collectors.joining(", ")),
                  before.size()));
    }
  }

  /** Samples tell how much was used for them, but not which of several models it was. */
  private void tellUse(EarlierScores before) {
    if (graders.all().size() > 1) {
      before
          .use("", "")
          .ifPresent(
              use ->
                  warn.accept(
                      "the scores that were taken over have cost %d calls with %d tokens in and %d out; the totals have them, but not the figures of each model: the log does not tell which of the roles %s it was"
                          .formatted(
                              use.calls(),
                              use.tokens().input(),
                              use.tokens().output(),
                              graders.all().keySet().stream()
                                  .sorted()
                                  .collect(Collectors.joining(", ")))));
    }
  }

  private synchronized boolean isWhole() {
    return broken == null;
  }

  /** Only what graders were paid for is left behind. */
  private synchronized void leave(Path written) throws IOException {
    if (earlier == null || tally.scored() == earlier.taken()) {
      Files.deleteIfExists(written);
    } else if (Files.exists(written)) {
      warn.accept(
          "%s has the scores that there were by then; the same command resumes with them"
              .formatted(written));
    }
  }

  /** What ended the work. */
  private synchronized RuntimeException whatEnded() throws IOException {
    return switch (broken) {
      case IOException unreadable -> throw unreadable;
      case RuntimeException defect -> defect;
      case null, default -> new IllegalStateException("a worker failed: " + broken, broken);
    };
  }

  /** It gets its name when it is complete. */
  private static Finished moved(Finished finished, Path file) throws IOException {
    Files.move(finished.file(), file);
    return finished.at(file);
  }

  // Workers.

  private void startWorker() {
    synchronized (this) {
      if (!stopping && workers.size() < mostWorkers) {
        workers.add(time.start("score-" + (workers.size() + 1), this::work));
      }
    }
  }

  private void work() {
    try {
      for (Taken next = take(); next != null; next = take()) {
        if (!scored(next)) {
          return;
        }
      }
    } catch (IOException | RuntimeException | Error failed) {
      synchronized (this) {
        stopping = true;
        broken =
            broken != null
                ? broken
                : failed instanceof Exception known
                    ? known
                    : new IllegalStateException("a worker failed: " + failed, failed);
      }
      cancelWorkers();
    }
  }

  /** False if the work was ended before. */
  private boolean scored(Taken next) throws IOException {
    if (next.scored.isPresent()) {
      keep(next.scored.get());
      return true;
    }
    Rescored rescored;
    try {
      rescored = rescorer.score(next.sample.sample());
    } catch (InterruptedException ended) {
      synchronized (this) {
        begun.add(next.sample);
      }
      return false;
    }
    keep(next.sample, rescored);
    return true;
  }

  /** All answers are in the new log, whatever ended the work: it can be used like the old one. */
  private void keepRest(RunLogReader from) throws IOException {
    List<LoggedSample> first;
    synchronized (this) {
      first = List.copyOf(begun);
    }
    for (LoggedSample sample : first) {
      keep(sample, rescorer.unscored(sample.sample()));
    }
    for (Taken next = next(from); next != null; next = next(from)) {
      if (next.scored.isPresent()) {
        keep(next.scored.get());
      } else {
        keep(next.sample, rescorer.unscored(next.sample.sample()));
      }
    }
  }

  /**
   * A sample of the log.
   *
   * @param scored the same with its new scores, if an earlier scoring has them
   */
  private record Taken(LoggedSample sample, Optional<LoggedSample> scored) {}

  private synchronized @Nullable Taken take() throws IOException {
    RunLogReader from = reader;
    stopping |= graders.usedUp().isPresent();
    if (stopping || from == null) {
      return null;
    }
    Taken next = next(from);
    // There is nothing left for others to begin with.
    stopping = next == null;
    return next;
  }

  private synchronized @Nullable Taken next(RunLogReader from) throws IOException {
    Optional<LoggedSample> next = from.logged();
    if (next.isEmpty()) {
      return null;
    }
    return new Taken(
        next.get(), earlier == null ? Optional.empty() : earlier.take(next.get().sample()));
  }

  private void keep(LoggedSample logged, Rescored rescored) throws IOException {
    // Who was asked tells in tokens.
    boolean isPaid = !rescored.sample().tokens().equals(logged.sample().tokens());
    keep(rescored, logged.scored(rescored.sample(), keepsScores(), time.instant()), isPaid);
  }

  /** Its scores are those of an earlier scoring. */
  private void keep(LoggedSample scored) throws IOException {
    keep(new Rescored(scored.sample(), Outcome.SCORED, Optional.empty()), scored, false);
  }

  private void keep(Rescored rescored, LoggedSample asItIsNow, boolean isPaid) throws IOException {
    RunLog to;
    synchronized (this) {
      to = log;
    }
    if (to != null) {
      write(to, asItIsNow, isPaid);
    }
    synchronized (this) {
      tally.add(rescored);
      stopping |= rescored.refusal().isPresent();
    }
  }

  /**
   * What a grader was paid for is on the disk before another is asked. Else nobody waits for the
   * disk, since the old log has the answers; unless it takes nothing.
   */
  private void write(RunLog to, LoggedSample sample, boolean isPaid) throws IOException {
    if (isPaid || paused) {
      to.append(sample);
      return;
    }
    try {
      to.copy(sample);
    } catch (InterruptedException cancelled) {
      to.append(sample);
      Thread.currentThread().interrupt();
    }
  }

  /** While the new log cannot be written, each worker waits with the sample that it has. */
  private final class Trouble implements JournalListener {

    @Override
    public void paused(String why, long bytesHeld) {
      paused = true;
      warn.accept(
          "%s; the scoring is paused. It is tried again every second, for 10 minutes"
              .formatted(why));
    }

    @Override
    public void resumed() {
      paused = false;
      warn.accept("the log can be written again; the scoring continues");
    }
  }

  private void awaitWorkers() {
    for (int i = 0; ; i++) {
      Task<?> worker;
      synchronized (this) {
        // Workers begin only while others work, so that when all have ended none will come.
        if (i >= workers.size()) {
          awaited = true;
          return;
        }
        worker = workers.get(i);
      }
      while (!joined(worker)) {
        cancel();
      }
    }
  }

  private static boolean joined(Task<?> worker) {
    try {
      worker.join();
      return true;
    } catch (InterruptedException interrupted) {
      return false;
    } catch (CancellationException ended) {
      return true;
    } catch (TaskFailedException failed) {
      throw new IllegalStateException("a worker failed: " + failed.getCause(), failed.getCause());
    }
  }

  /** With the lock that readers have: who is interrupted while it reads closes the log for all. */
  private synchronized void cancelWorkers() {
    workers.forEach(Task::cancel);
  }

  private synchronized List<Reduced> reductions(Optional<RunResult> old) {
    return tally.reductions(old);
  }

  private synchronized Finished finished(Optional<RunResult> old, ScoredRun ran, Path written) {
    EarlierScores before = earlier;
    List<ModelUse> uses = new ArrayList<>();
    if (before != null && graders.all().size() == 1) {
      // Of several models nobody knows which of them it was, and that is told.
      for (Map.Entry<String, PricedModel> role : graders.all().entrySet()) {
        before.use(role.getValue().model().name().toString(), role.getKey()).ifPresent(uses::add);
      }
    }
    return tally.finished(
        old,
        ran,
        written,
        rescorer.uses(),
        uses,
        before == null ? 0 : before.taken(),
        cancelled,
        graders.usedUp());
  }
}
