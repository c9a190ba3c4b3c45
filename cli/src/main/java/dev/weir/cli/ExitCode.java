package dev.weir.cli;

/** What the process tells the shell. */
final class ExitCode {

  static final int SUCCESS = 0;

  /** The evaluation failed; also defects of Weir itself. */
  static final int FAILED = 1;

  /** Bad usage or configuration. */
  static final int USAGE = 2;

  /** The provider refused for good: credential, quota. */
  static final int REFUSED = 3;

  /** Interrupted. */
  static final int INTERRUPTED = 130;

  private ExitCode() {}
}
