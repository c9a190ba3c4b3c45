package dev.weir.selection;

/** Rounds in which all active arms see the same next datapoints, more in each round. */
final class Batches {

  private final int initial;
  private final double growth;
  private double batch;
  private int upTo;

  /** An {@code initial} of 0 is a tenth of the dataset. */
  Batches(int initial, double growth) {
    this.initial = initial;
    this.growth = growth;
  }

  /** Finished when one arm is left or all datapoints are used. */
  Round next(Field field, long remaining) {
    int[] active = field.active();
    if (active.length == 0 || upTo == field.datapoints() || (active.length == 1 && upTo > 0)) {
      return Round.FINISHED;
    }
    batch = upTo == 0 ? first(field.datapoints()) : batch * growth;
    long affordable = remaining / active.length;
    if (affordable == 0 && upTo > 0) {
      // Too little for another look: what is over the budget is not begun.
      affordable = 1;
    }
    upTo = (int) Math.min(field.datapoints(), upTo + Math.min((long) batch, affordable));
    var round = new Round(field.arms());
    for (int arm : active) {
      round.upTo(arm, upTo);
    }
    return round;
  }

  private double first(int datapoints) {
    return initial > 0 ? initial : Math.max(1, datapoints / 10);
  }
}
