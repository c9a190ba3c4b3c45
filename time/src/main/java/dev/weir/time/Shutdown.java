package dev.weir.time;

/**
 * Something to do when the process is asked to end, by Ctrl+C or a termination signal, before it
 * does.
 *
 * <p>The process waits for the action, so it must be quick. Closing takes it back. Thread-safe.
 */
public final class Shutdown implements AutoCloseable {

  private final Thread hook;

  private Shutdown(Thread hook) {
    this.hook = hook;
  }

  public static Shutdown onRequest(Runnable action) {
    Thread hook = Thread.ofPlatform().name("shutdown").unstarted(action);
    Runtime.getRuntime().addShutdownHook(hook);
    return new Shutdown(hook);
  }

  /** Whether the process is ending, and with an exit code that is decided. */
  public static boolean isUnderWay() {
    try {
      onRequest(() -> {}).close();
      return false;
    } catch (IllegalStateException underWay) {
      return true;
    }
  }

  /**
   * Whether it is a signal that ends the process, rather than a call of {@link System#exit}. Java
   * handles each signal on a thread that is named after it, and that waits for the actions.
   */
  public static boolean isBySignal() {
    return Thread.getAllStackTraces().keySet().stream()
        .anyMatch(thread -> thread.getName().matches("SIG[A-Z0-9]+ handler"));
  }

  /** Whether a call of {@link System#exit} ends the process: whoever made it does not go on. */
  public static boolean isByExit() {
    return isUnderWay() && !isBySignal();
  }

  @Override
  public void close() {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException underWay) {
      // The process is ending already and the action is running: nothing to take back.
    }
  }
}
