package dev.weir.eval.sandbox;

/**
 * How a command ended.
 *
 * @param exitCode what it returned; 128 + the number of the signal that ended it, so 137 when its
 *     time was up; 126 if it could not be run and 127 if there is no such program, as in a shell
 * @param stdout what it printed, up to the limit, as UTF-8
 * @param stderr what it complained, up to the limit, as UTF-8
 * @param timedOut whether it was ended because its time was up
 * @param stdoutTruncated whether it printed more than is here
 * @param stderrTruncated whether it complained more than is here
 */
public record ExecResult(
    int exitCode,
    String stdout,
    String stderr,
    boolean timedOut,
    boolean stdoutTruncated,
    boolean stderrTruncated) {

  /** Whether it ended by itself and returned 0. */
  public boolean success() {
    return exitCode == 0 && !timedOut;
  }
}
