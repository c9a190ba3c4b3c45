package dev.weir.selection;

/**
 * How AgentOpt splits the allowed concurrency between combinations and datapoints.
 *
 * @param combinations how many run at once
 * @param datapoints how many of each run at once
 */
public record Slots(int combinations, int datapoints) {

  /**
   * As many datapoints of one combination as the batch has and the limit allows, and as many
   * combinations as then fit.
   *
   * @param maxConcurrent the limit; below 1 counts as 1
   * @param batch datapoints of each combination; without any, one combination gets all
   */
  public static Slots of(int maxConcurrent, int batch) {
    int limit = Math.max(1, maxConcurrent);
    int datapoints = batch <= 0 ? limit : Math.min(limit, batch);
    return new Slots(limit / datapoints, datapoints);
  }
}
