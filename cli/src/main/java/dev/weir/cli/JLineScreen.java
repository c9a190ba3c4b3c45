package dev.weir.cli;

import java.io.IOError;
import java.io.IOException;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jline.terminal.Size;
import org.jline.terminal.Terminal;
import org.jline.terminal.TerminalBuilder;

/**
 * The terminal of the process. It is only asked for its size: what is shown goes to standard output
 * as everything else does, and signals stay with the runtime.
 */
final class JLineScreen implements Screen {

  // Kept, because loggers that nobody holds are forgotten with their level.
  private static final Logger JLINE = Logger.getLogger("org.jline");

  private final Terminal terminal;
  // Written by the one who paints.
  private Size last = Size.of(0, 0);

  private JLineScreen(Terminal terminal) {
    this.terminal = terminal;
  }

  /** Where no terminal is found, or none that can be asked, one of the usual size. */
  static Screen open() {
    JLINE.setLevel(Level.OFF);
    try {
      return new JLineScreen(
          TerminalBuilder.builder()
              .system(true)
              .dumb(true)
              .nativeSignals(false)
              // It would ask the terminal, whose answer nobody reads: the shell would get it.
              .graphemeCluster(false)
              .build());
    } catch (IOException | RuntimeException | LinkageError unknown) {
      // A display of a wrong size is better than no evaluation.
      return USUAL;
    }
  }

  @Override
  public int columns() {
    Size size = size();
    return size.getColumns() > 0 ? size.getColumns() : USUAL.columns();
  }

  @Override
  public int rows() {
    Size size = size();
    return size.getRows() > 0 ? size.getRows() : USUAL.rows();
  }

  /** Where a program has to be asked, it may be cut off at the end of a run: as it was, then. */
  private Size size() {
    try {
      last = terminal.getSize();
    } catch (IOError interrupted) {
      // What was seen last will do for a picture that is about to go.
    }
    return last;
  }

  @Override
  public void close() {
    try {
      terminal.close();
    } catch (IOException | RuntimeException left) {
      // It was only looked at: there is nothing to give back.
    }
  }
}
