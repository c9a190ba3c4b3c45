package dev.weir.selection;

/** Every arm on every datapoint, or on as many as the budget allows. */
final class BruteForcePolicy implements Policy {

  private boolean asked;

  @Override
  public Round next(Field field, long remaining) {
    if (asked) {
      return Round.FINISHED;
    }
    asked = true;
    int datapoints = (int) Math.min(field.datapoints(), remaining / field.arms());
    var round = new Round(field.arms());
    for (int arm : field.active()) {
      round.upTo(arm, datapoints);
    }
    return round;
  }
}
