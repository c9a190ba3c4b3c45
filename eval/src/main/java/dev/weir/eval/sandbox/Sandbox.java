package dev.weir.eval.sandbox;

/**
 * A place of one sample where its programs run and its files are.
 *
 * <p>Closing ends every program that still runs in there and removes all files. Any number of tasks
 * may use a sandbox at once.
 */
public interface Sandbox extends AutoCloseable {

  /**
   * Runs a command until it ends. When its time is up, or the task is cancelled, it is ended with
   * all that it started. Output beyond the limit of the sandbox is dropped and flagged; the command
   * is not held up by it.
   *
   * @throws InterruptedException if the task is cancelled
   * @throws SandboxException if the sandbox is broken
   * @throws IllegalStateException if the sandbox is closed
   */
  ExecResult exec(ExecRequest request) throws InterruptedException;

  /**
   * Starts a program that is spoken to while it runs; it ends when it, or the sandbox, is closed.
   * It has no turn among commands, which may wait for each other: it would hold it for too long.
   *
   * @param request its input and its time do not apply
   * @throws SandboxException if it cannot be started
   */
  default Dialogue start(ExecRequest request) throws InterruptedException {
    throw new SandboxException("this sandbox cannot keep a program running");
  }

  /**
   * @param path in the sandbox; relative to the working directory
   * @throws SandboxFileException if it cannot be read
   */
  byte[] readFile(String path) throws SandboxFileException, InterruptedException;

  /**
   * Writes a file, in place of the one that was there; makes the directories it needs.
   *
   * @param path in the sandbox; relative to the working directory
   * @throws SandboxFileException if it cannot be written
   */
  void writeFile(String path, byte[] content) throws SandboxFileException, InterruptedException;

  /** Where commands run unless they say otherwise, as they see it. */
  String workingDirectory();

  /**
   * Ends what runs and removes what is left. Closing again has no effect.
   *
   * @throws SandboxException if something could not be removed; it says what
   */
  @Override
  void close();
}
