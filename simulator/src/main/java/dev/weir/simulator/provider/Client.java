package dev.weir.simulator.provider;

/**
 * Something that gets requests done: a rate-limit controller with its retry rules.
 *
 * <p>It runs on the event loop of its {@link Session}: timers and callbacks, no threads.
 */
@FunctionalInterface
public interface Client {

  /**
   * Begins to work on the requests of the session, once per simulated process; state belongs to the
   * call, not to the client. Each request ends with {@link Session#done} or {@link Session#giveUp}.
   */
  void start(Session session);
}
