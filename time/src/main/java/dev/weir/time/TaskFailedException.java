package dev.weir.time;

/** The work of a joined task threw; the cause is what it threw. */
public final class TaskFailedException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  TaskFailedException(String what, Throwable cause) {
    super(what + " failed: " + cause, cause);
  }
}
