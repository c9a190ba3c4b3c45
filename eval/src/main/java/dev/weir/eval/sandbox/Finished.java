package dev.weir.eval.sandbox;

/** How a process ended, and what it printed. */
record Finished(int exitCode, boolean timedOut, Captured output, Captured errors) {

  /** The exit code of a process that was ended by force, as shells give it. */
  private static final int KILLED = 128 + 9;

  /**
   * @param ended by itself, not because its time was up
   */
  static Finished of(RunningProcess process, boolean ended) {
    return new Finished(
        ended ? process.exitCode() : KILLED, !ended, process.output(), process.errors());
  }

  ExecResult asResult() {
    return new ExecResult(
        exitCode, output.text(), errors.text(), timedOut, output.truncated(), errors.truncated());
  }
}
