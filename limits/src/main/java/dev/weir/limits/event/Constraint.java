package dev.weir.limits.event;

/** What a request waits for. */
public enum Constraint {
  NOTHING("nothing"),
  /** All calls together: {@code max-concurrency}. */
  MAX_CONCURRENCY("max-concurrency"),
  /** Somebody holds all calls. */
  PAUSE("pause"),
  /** The least gap between starts: {@code delay}. */
  DELAY("delay"),
  /** Room in the window of its scope. */
  WINDOW("window"),
  /** What is configured for its engine, or for its model there. */
  ENGINE_LIMIT("engine-limit"),
  /** An advertised quota. */
  QUOTA("quota"),
  /** A rate that was learned or stated. */
  PACE("pace"),
  /** The server asked everybody to wait. */
  HOLD("retry-after"),
  /** The provider is away. */
  CIRCUIT("circuit"),
  /** The provider is full. */
  OVERLOAD("overload"),
  /** One request at a time is tried, since several in a row were refused. */
  PROBE("probe"),
  /** Others are before it. */
  TURN("turn"),
  /** Its own next attempt. */
  BACKOFF("backoff"),
  /** A lease on its share of the limits that has to be renewed. */
  LEASE("lease");

  private final String word;

  Constraint(String word) {
    this.word = word;
  }

  /** As it is shown and logged. */
  public String word() {
    return word;
  }
}
