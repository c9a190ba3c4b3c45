package dev.weir.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jline.utils.Signals;
import org.jspecify.annotations.Nullable;

/**
 * SIGHUP while something runs: configuration is read again, as servers do. With a terminal it means
 * that the terminal was closed, and ends the process as before.
 */
final class Hangup implements AutoCloseable {

  private static final String SIGNAL = "HUP";

  private final boolean isHandled;
  private final @Nullable Object before;

  private Hangup(boolean isHandled, Runnable reload) {
    this.isHandled = isHandled;
    this.before = isHandled ? Signals.register(SIGNAL, reload) : null;
  }

  static Hangup reloads(Runnable reload) {
    return new Hangup(!hasTerminal(), reload);
  }

  /** Also where input and output are redirected: only a process with a terminal can open this. */
  private static boolean hasTerminal() {
    try (var _ = Files.newInputStream(Path.of("/dev/tty"))) {
      return true;
    } catch (IOException none) {
      return false;
    }
  }

  @Override
  public void close() {
    if (isHandled) {
      Signals.unregister(SIGNAL, before);
    }
  }
}
