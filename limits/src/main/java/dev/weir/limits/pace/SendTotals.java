package dev.weir.limits.pace;

import dev.weir.limits.pace.PaceState.At;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * How much had been taken from a bucket at each send, in order of time: a running total that can be
 * looked up, and corrected when a send turns out to have taken nothing.
 */
final class SendTotals {

  /** Bounds the memory of a very fast scope; what is older is not asked for. */
  private static final int KEPT = 20_000;

  private static final int FIRST_ROOM = 64;

  private double[] at;
  private double[] totals;
  private int start;
  private int end;

  SendTotals() {
    this.at = new double[FIRST_ROOM];
    this.totals = new double[FIRST_ROOM];
  }

  SendTotals(List<At> state) {
    int room = Math.max(FIRST_ROOM, state.size());
    this.at = new double[room];
    this.totals = new double[room];
    for (At entry : state) {
      at[end] = entry.at();
      totals[end++] = entry.value();
    }
  }

  List<At> state() {
    List<At> entries = new ArrayList<>(end - start);
    for (int i = start; i < end; i++) {
      entries.add(new At(at[i], totals[i]));
    }
    return entries;
  }

  /** Everything that was taken. */
  double total() {
    return start == end ? 0 : totals[end - 1];
  }

  void add(double now, double cost) {
    double total = total() + cost;
    if (end == at.length) {
      makeRoom();
    }
    at[end] = now;
    totals[end++] = total;
    if (end - start > KEPT) {
      start++;
    }
  }

  /** What had been taken up to a moment, its own sends included. */
  double upTo(double moment) {
    int index = indexAfter(moment);
    if (index == start) {
      // Older than what is kept: nothing is known, so nothing was taken since.
      return start == end ? 0 : totals[start];
    }
    return totals[index - 1];
  }

  /** A send of that moment took less. */
  void giveBack(double moment, double amount) {
    for (int i = firstAt(moment); i < end; i++) {
      totals[i] -= amount;
    }
  }

  /** A send of that moment did not take place. */
  void remove(double moment) {
    int index = firstAt(moment);
    if (index == end || at[index] != moment) {
      return;
    }
    double amount = totals[index] - (index > start ? totals[index - 1] : 0);
    for (int i = index; i < end - 1; i++) {
      at[i] = at[i + 1];
      totals[i] = totals[i + 1] - amount;
    }
    end--;
  }

  /** Whether a send of that moment is still known. */
  boolean knows(double moment) {
    int index = firstAt(moment);
    return index < end && at[index] == moment;
  }

  /**
   * The level of a bucket at a moment, from what it was at an earlier one and was sent since.
   *
   * @param refunds whether what was given back since is in the bucket, too
   */
  double replay(
      double from, double levelThen, double rate, double capacity, double now, boolean refunds) {
    double level = levelThen;
    double then = from;
    int first = indexAfter(from);
    double before = first == start ? (start == end ? 0 : totals[start]) : totals[first - 1];
    for (int i = first; i < end && at[i] <= now; i++) {
      double amount = totals[i] - before;
      level =
          Math.min(capacity, level + rate * (at[i] - then))
              - (refunds ? amount : Math.max(0, amount));
      then = at[i];
      before = totals[i];
    }
    return Math.min(capacity, level + rate * (now - then));
  }

  /** When something was taken after a moment and before another, oldest first. */
  double[] times(double from, double until) {
    return Arrays.copyOfRange(at, indexAfter(from), Math.max(indexAfter(from), firstAt(until)));
  }

  /** When something was next taken after a moment; NaN if nothing was. */
  double nextAfter(double moment) {
    int index = indexAfter(moment);
    return index < end ? at[index] : Double.NaN;
  }

  /** The highest rate at which so much or more was taken up to a moment, and not before another. */
  double fastest(double from, double until, double least) {
    int first = indexAfter(from);
    int last = firstAt(until);
    double fastest = 0;
    for (int i = last - 1; i >= first; i--) {
      double taken = totals[last - 1] - (i > start ? totals[i - 1] : 0);
      if (taken >= least && until > at[i]) {
        fastest = Math.max(fastest, taken / (until - at[i]));
      }
    }
    return fastest;
  }

  /** How much was taken each time: as {@link #times}; nothing for what was given back. */
  double[] amounts(double from, double until) {
    int first = indexAfter(from);
    int last = Math.max(first, firstAt(until));
    double[] amounts = new double[last - first];
    double before = first > start ? totals[first - 1] : first < end ? totals[first] : 0;
    for (int i = first; i < last; i++) {
      amounts[i - first] = totals[i] - before;
      before = totals[i];
    }
    return amounts;
  }

  private int firstAt(double moment) {
    int low = start;
    int high = end;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (at[middle] < moment) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  private int indexAfter(double moment) {
    return firstAt(Math.nextUp(moment));
  }

  private void makeRoom() {
    int size = end - start;
    int room = size > at.length / 2 ? at.length * 2 : at.length;
    double[] movedAt = Arrays.copyOfRange(at, start, start + room);
    double[] movedTotals = Arrays.copyOfRange(totals, start, start + room);
    at = movedAt;
    totals = movedTotals;
    start = 0;
    end = size;
  }
}
