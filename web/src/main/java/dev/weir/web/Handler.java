package dev.weir.web;

/**
 * Answers a request.
 *
 * <p>Runs as a task on the server's {@link dev.weir.time.Time}, so it may wait. When the client has
 * gone, or the server is closed, the task is cancelled: its current wait, or the next one, throws
 * {@link InterruptedException}.
 */
@FunctionalInterface
public interface Handler {

  /**
   * @throws WebException for an answer that says what is wrong with the request
   * @throws InterruptedException if nobody waits for the answer any more
   */
  Answer handle(Request request) throws Exception;
}
