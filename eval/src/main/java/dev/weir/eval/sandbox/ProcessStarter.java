package dev.weir.eval.sandbox;

import java.io.IOException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Starts all processes from one thread that lives as long as this program.
 *
 * <p>A process that is to die with its parent (bubblewrap's) dies with the thread that started it.
 * A virtual thread runs on threads that come and go, so it must not be the one.
 */
final class ProcessStarter {

  private static final ExecutorService THREAD =
      Executors.newSingleThreadExecutor(
          work -> Thread.ofPlatform().daemon().name("sandbox process starter").unstarted(work));

  private ProcessStarter() {}

  /**
   * Not interruptible: a start takes milliseconds, and a process that nobody knows of would leak.
   */
  static Process start(ProcessBuilder builder) throws IOException {
    Future<Process> started = THREAD.submit(builder::start);
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return started.get();
        } catch (InterruptedException later) {
          interrupted = true;
        }
      }
    } catch (ExecutionException failed) {
      throw failed.getCause() instanceof IOException told
          ? new IOException(told.getMessage(), failed)
          : new IOException(String.valueOf(failed.getMessage()), failed);
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
