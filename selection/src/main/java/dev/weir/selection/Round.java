package dev.weir.selection;

/**
 * What a policy wants to know next: for each arm, the first so many datapoints of the common order.
 */
final class Round {

  /** There is nothing more to ask. */
  static final Round FINISHED = new Round(0);

  private final int[] targets;
  private boolean isOneByOne;

  Round(int arms) {
    this.targets = new int[arms];
  }

  /** Asks for the first {@code datapoints} of an arm, those that are known included. */
  Round upTo(int arm, int datapoints) {
    targets[arm] = datapoints;
    return this;
  }

  /** AgentOpt's schedule begins the next arm when the one before is through. */
  Round oneByOne() {
    isOneByOne = true;
    return this;
  }

  boolean isOneByOne() {
    return isOneByOne;
  }

  int target(int arm) {
    return targets.length == 0 ? 0 : targets[arm];
  }

  boolean isFinished() {
    return targets.length == 0;
  }

  /** How many evaluations that takes. */
  long size(Field field) {
    long size = 0;
    for (int arm = 0; arm < targets.length; arm++) {
      size += Math.max(0, targets[arm] - field.known(arm));
    }
    return size;
  }
}
