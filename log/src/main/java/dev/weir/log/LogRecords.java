package dev.weir.log;

/** What the records of a run's journal are; docs/log-format.md tells their bodies. */
final class LogRecords {

  /** How the run began: JSON of {@link RunStart}, perhaps with {@link JournalRecords.Began}. */
  static final int START = 1;

  /** A sample that has ended: JSON as in an {@code .eval} file, with a {@link SampleKey}. */
  static final int SAMPLE = 2;

  /** JSON of {@link LimitChange}. */
  static final int LIMIT = 3;

  /** JSON of {@link ConfigChange}. */
  static final int CHANGE = 4;

  /** How the run ended: JSON of {@link RunResult} without its start. */
  static final int END = 5;

  /** All that was to be kept of the log that this one goes on with is here; empty. */
  static final int COPIED = 6;

  /** JSON of {@link Reduced}: some samples; those of the same scorer and reducer follow. */
  static final int REDUCED = 7;

  /** What another program wrote of the run, if its samples are scored: JSON of its header. */
  static final int FOREIGN = 8;

  /**
   * What the runs used that this one goes on with, beyond the samples that it keeps of them: JSON
   * of {@link EarlierUse}. The last counts.
   */
  static final int USED = 9;

  private LogRecords() {}
}
