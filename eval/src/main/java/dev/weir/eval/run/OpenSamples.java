package dev.weir.eval.run;

import dev.weir.eval.dataset.Sample;
import dev.weir.time.Shutdown;
import dev.weir.time.Task;
import dev.weir.time.TaskFailedException;
import dev.weir.time.Time;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.function.Consumer;

/**
 * The samples of a run that are being worked on: who they are, and how they are ended. Thread-safe.
 */
final class OpenSamples {

  /**
   * So long samples have to end when they are told to: less than an interrupted process has, so
   * that the log of those that did is whole.
   */
  private static final Duration PATIENCE = Duration.ofSeconds(8);

  /** One of them has called System.exit, and never ends; the others need but a moment. */
  private static final Duration PATIENCE_AT_EXIT = Duration.ofSeconds(1);

  private static final Comparator<Ticket> OLDEST_FIRST =
      Comparator.comparingLong(Ticket::openedAt)
          .thenComparingInt(ticket -> ticket.epoch)
          .thenComparingInt(ticket -> ticket.index);

  private final Time time;
  private final List<Sample> samples;
  private final Set<Ticket> open = new HashSet<>();

  /**
   * @param samples of the dataset, which tickets point into
   */
  OpenSamples(Time time, List<Sample> samples) {
    this.time = time;
    this.samples = samples;
  }

  /** Its task has been started. */
  synchronized void add(Ticket ticket) {
    open.add(ticket);
  }

  synchronized void remove(Ticket ticket) {
    open.remove(ticket);
  }

  synchronized boolean isEmpty() {
    return open.isEmpty();
  }

  synchronized int size() {
    return open.size();
  }

  private synchronized List<Ticket> all() {
    return List.copyOf(open);
  }

  /** The oldest first. */
  synchronized List<OpenSample> oldest(int most) {
    long now = time.nanos();
    return open.stream()
        .sorted(OLDEST_FIRST)
        .limit(most)
        .map(
            ticket ->
                new OpenSample(
                    samples.get(ticket.index).id(),
                    ticket.epoch,
                    Duration.ofNanos(now - ticket.openedAt()),
                    ticket.isScoring()))
        .toList();
  }

  /** Without an epoch, the oldest. */
  synchronized Optional<Ticket> find(String id, Optional<Integer> epoch) {
    return open.stream()
        .filter(ticket -> samples.get(ticket.index).id().equals(id))
        .filter(ticket -> epoch.isEmpty() || epoch.get() == ticket.epoch)
        .min(OLDEST_FIRST);
  }

  /**
   * Tells all of them to end. Not under a lock: each sample needs it to end, and the first would
   * wait until the last of ten thousand was told.
   */
  void cancel() {
    List<Ticket> left = all();
    left.forEach(ticket -> ticket.cancelled = true);
    left.forEach(ticket -> ticket.started().cancel());
  }

  /**
   * Waits for all of them, even if this task is cancelled.
   *
   * @param unended takes those that do not end when they are told to; nobody else records them
   * @param broken takes what one failed with that should have been in its record
   * @return false if this task was cancelled
   */
  boolean await(Consumer<Ticket> unended, Consumer<Throwable> broken) {
    boolean undisturbed = true;
    long until = time.after(Shutdown.isByExit() ? PATIENCE_AT_EXIT : PATIENCE);
    for (Ticket ticket : all()) {
      undisturbed &= await(ticket, until, broken);
      if (!ticket.started().isDone() && ticket.isMineToRecord()) {
        unended.accept(ticket);
      } else {
        undisturbed &= await(ticket, Time.NEVER, broken);
      }
    }
    return undisturbed;
  }

  private boolean await(Ticket ticket, long until, Consumer<Throwable> broken) {
    boolean undisturbed = true;
    Task<?> task = ticket.started();
    while (!task.isDone() && time.nanos() < until) {
      try {
        if (task.join(until)) {
          task.join();
        }
      } catch (InterruptedException again) {
        // Samples are cancelled already and end soon; their results must not be lost.
        undisturbed = false;
      } catch (CancellationException ended) {
        break;
      } catch (TaskFailedException failed) {
        broken.accept(failed.getCause());
        break;
      }
    }
    return undisturbed;
  }
}
