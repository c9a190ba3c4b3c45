package dev.weir.eval.run;

import dev.weir.eval.dataset.Sample;
import dev.weir.log.SampleFailure;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Queue;

/**
 * Which samples are still to be run: all once, then all again as often as there are epochs, then
 * those that have failed and get another try. Not thread-safe.
 */
final class Turns {

  private final List<Sample> samples;
  private final int epochs;
  private final KeptSamples kept;
  // Those that an earlier run has finished.
  private final BitSet done = new BitSet();
  private final Queue<Ticket> again = new ArrayDeque<>();
  private long next;

  /**
   * @param kept what an earlier run has finished
   * @param tally is told of it
   */
  Turns(List<Sample> samples, int epochs, KeptSamples kept, Tally tally) {
    this.samples = samples;
    this.epochs = epochs;
    this.kept = kept;
    for (int index = 0; index < samples.size(); index++) {
      for (int epoch = 1; epoch <= epochs; epoch++) {
        int sample = index;
        int turn = (epoch - 1) * samples.size() + index;
        kept.find(samples.get(index), epoch)
            .ifPresent(
                finished -> {
                  tally.keep(sample, finished);
                  done.set(turn);
                });
      }
    }
    next = done.nextClearBit(0);
  }

  /** Samples, each repetition counted. */
  int total() {
    return samples.size() * epochs;
  }

  boolean hasNext() {
    return next < total() || !again.isEmpty();
  }

  Ticket take() {
    if (next >= total()) {
      return again.remove();
    }
    int taken = (int) next;
    next = done.nextClearBit(taken + 1);
    int index = taken % samples.size();
    int epoch = taken / samples.size() + 1;
    return new Ticket(index, epoch, kept.errors(samples.get(index), epoch));
  }

  /** It has failed, and gets another try when all others had theirs. */
  void runAgain(Ticket ticket, SampleFailure error) {
    List<SampleFailure> errors = new ArrayList<>(ticket.errors);
    errors.add(error);
    again.add(new Ticket(ticket.index, ticket.epoch, List.copyOf(errors)));
  }

  /** Those that would have got another try, in this run or after an earlier one: they get none. */
  List<Ticket> takeFailed() {
    List<Ticket> failed = new ArrayList<>();
    while (hasNext()) {
      Ticket left = take();
      if (!left.errors.isEmpty()) {
        failed.add(left);
      }
    }
    return failed;
  }
}
