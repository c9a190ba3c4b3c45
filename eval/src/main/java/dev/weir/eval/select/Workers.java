package dev.weir.eval.select;

import dev.weir.eval.Trials;
import dev.weir.eval.Trials.Trial;
import dev.weir.eval.dataset.Sample;
import dev.weir.eval.select.SelectionJournal.Ended;
import dev.weir.model.ConfigurationException;
import dev.weir.selection.Arms;
import dev.weir.selection.Evaluation;
import dev.weir.selection.Outcome;
import dev.weir.time.Signal;
import dev.weir.time.Task;
import dev.weir.time.Time;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Runs evaluations, each on a task of its own, and keeps what comes of them. Thread-safe. */
final class Workers {

  private final Time time;
  private final Trials trials;
  private final Arms arms;
  private final SelectionJournal journal;
  private final Signal news;

  // Guarded by itself.
  private final List<Worked> worked = new ArrayList<>();

  /**
   * What a task has ended with.
   *
   * @param ended absent if nothing came of it
   * @param why nothing did
   * @param broken what went wrong in Weir, the journal or the task's own code
   * @param paid dollars of its answers although nothing came of it, but for those of before
   */
  record Worked(
      Evaluation evaluation,
      Optional<Ended> ended,
      Optional<String> why,
      Optional<RuntimeException> broken,
      double paid) {}

  Workers(Time time, Trials trials, Arms arms, SelectionJournal journal) {
    this.time = time;
    this.trials = trials;
    this.arms = arms;
    this.journal = journal;
    this.news = time.signal("the end of an evaluation, or room for another");
    trials.tell(news::send);
  }

  /**
   * @param ahead whether it is not decided as yet
   */
  Task<?> start(Evaluation evaluation, boolean ahead) {
    Sample sample = trials.samples().get(evaluation.datapoint());
    return time.start(
        "evaluation of sample " + sample.id(),
        () -> {
          Worked done = work(evaluation, sample, ahead);
          synchronized (worked) {
            worked.add(done);
          }
          news.send();
        });
  }

  /**
   * Waits until one has ended, or a call has left or is back; false when it is too late for that.
   */
  boolean await(long deadline) throws InterruptedException {
    return news.await(deadline);
  }

  /** Those that have ended since it was last asked. */
  List<Worked> takeEnded() {
    synchronized (worked) {
      List<Worked> all = List.copyOf(worked);
      worked.clear();
      return all;
    }
  }

  private Worked work(Evaluation evaluation, Sample sample, boolean ahead) {
    try {
      EvaluationMemory memory = journal.memory(evaluation);
      Trial trial = trials.run(ModelSelection.models(arms, evaluation.arm()), sample, memory);
      memory.requireKept();
      double paid = trial.knownCost() + memory.unused();
      if (trial.unfinished()) {
        double more = Math.max(0, paid - memory.before());
        return new Worked(evaluation, Optional.empty(), trial.error(), Optional.empty(), more);
      }
      requireShare(trial);
      var ended =
          new Ended(
              evaluation,
              new Outcome(trial.score(), trial.cost(), trial.latency()),
              trial.error(),
              paid,
              memory.before(),
              ahead,
              trial.excused());
      journal.append(ended);
      return new Worked(evaluation, Optional.of(ended), Optional.empty(), Optional.empty(), 0);
    } catch (ClosedByInterruptException cancelled) {
      // While it looked for what is known of it.
      Optional<String> why = Optional.of("an evaluation was cancelled");
      return new Worked(evaluation, Optional.empty(), why, Optional.empty(), 0);
    } catch (IOException unwritable) {
      return broken(
          evaluation,
          new ConfigurationException(
              "%s cannot be used (%s); what is in it is kept: run the same again to go on"
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
}
