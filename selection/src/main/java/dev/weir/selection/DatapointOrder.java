package dev.weir.selection;

import java.util.SplittableRandom;
import java.util.stream.IntStream;

/** The order in which all arms meet the datapoints. */
final class DatapointOrder {

  private final int[] datapoints;
  private final int[] positions;

  private DatapointOrder(int[] datapoints) {
    this.datapoints = datapoints;
    this.positions = new int[datapoints.length];
    for (int position = 0; position < datapoints.length; position++) {
      positions[datapoints[position]] = position;
    }
  }

  /** Shuffled by the seed, since a sorted dataset would mislead the first looks. */
  static DatapointOrder of(SelectionPlan plan) {
    int[] datapoints = IntStream.range(0, plan.datapoints()).toArray();
    if (plan.selector() instanceof Selector.ArmElimination arm && arm.documented()) {
      return new DatapointOrder(datapoints);
    }
    var random = new SplittableRandom(plan.seed());
    for (int i = datapoints.length - 1; i > 0; i--) {
      int other = random.nextInt(i + 1);
      int datapoint = datapoints[i];
      datapoints[i] = datapoints[other];
      datapoints[other] = datapoint;
    }
    return new DatapointOrder(datapoints);
  }

  int datapoint(int position) {
    return datapoints[position];
  }

  int position(int datapoint) {
    if (datapoint < 0 || datapoint >= positions.length) {
      throw new IllegalArgumentException(
          "`datapoint` must be from 0 to %d, was %d".formatted(positions.length - 1, datapoint));
    }
    return positions[datapoint];
  }
}
