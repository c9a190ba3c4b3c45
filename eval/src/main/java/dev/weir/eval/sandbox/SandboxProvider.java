package dev.weir.eval.sandbox;

/** Opens sandboxes: {@link Sandboxes} real ones, a rehearsal others. Thread-safe. */
public interface SandboxProvider {

  /**
   * Fails early if sandboxes of this kind cannot be opened at all, before anything is paid for.
   *
   * @throws dev.weir.model.ConfigurationException what is missing, and what to do
   */
  void check(SandboxSpec spec) throws InterruptedException;

  /**
   * Whether commands of such a sandbox find a program; true if only an open one could tell.
   *
   * @param program its name, not a path
   */
  boolean has(SandboxSpec spec, String program);

  /**
   * Opens a sandbox and sets it up; waits while too many are open.
   *
   * @param waits is told of that wait, and later of every wait of a command for its turn
   * @throws dev.weir.model.ConfigurationException if sandboxes of this kind cannot be opened here
   * @throws SandboxException if it cannot be opened or set up; nothing is left of it then
   */
  Sandbox open(SandboxSpec spec, SandboxSetup setup, Waits waits) throws InterruptedException;

  /** How many wait for a sandbox, or for their turn to run a command in one. */
  int waiting();

  /** Of these, how many wait for their turn to run a command. */
  int waitingForCommands();
}
