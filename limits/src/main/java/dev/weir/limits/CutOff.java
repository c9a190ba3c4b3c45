package dev.weir.limits;

/** What had become of a request that was not finished when it ended. */
public sealed interface CutOff
    permits CallInterruptedException, DeadlinePassedException, StoppedException {

  /** Those that were begun, perhaps none. */
  int attempts();

  /** Where the time went; the last attempt is told as called, whether it had ended or not. */
  Call.Times times();
}
