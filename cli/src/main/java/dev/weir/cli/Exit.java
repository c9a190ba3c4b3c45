package dev.weir.cli;

import dev.weir.time.Shutdown;
import java.io.PrintWriter;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;

/**
 * The end of the process, when all is written.
 *
 * <p>Java waits 0.3 s for threads in native code, where one is that waits for sockets. Who started
 * the process may ask not to wait ({@code -Dweir.exit=quick}); what others would do at its end,
 * recordings for example, is not done then.
 */
final class Exit {

  private Exit() {}

  static void with(int code) {
    if ("quick".equals(System.getProperty("weir.exit")) && !Shutdown.isUnderWay()) {
      quickly(code);
    }
    System.exit(code);
  }

  /**
   * The process ends while a command is at work. If no signal asked for it, code of a task has
   * called {@link System#exit}, and must not end the command as if all had gone well.
   */
  static void unlessAsked(PrintWriter err) {
    if (Shutdown.isBySignal() || CleanEnd.isLookedAfter()) {
      return;
    }
    err.println(CleanEnd.EXIT_CALLED + " The command ends unfinished.");
    err.flush();
    Runtime.getRuntime().halt(ExitCode.FAILED);
  }

  @SuppressWarnings("restricted") // the jar has the permission
  private static void quickly(int code) {
    try {
      Linker linker = Linker.nativeLinker();
      linker
          .downcallHandle(
              linker.defaultLookup().findOrThrow("_exit"),
              FunctionDescriptor.ofVoid(ValueLayout.JAVA_INT))
          .invokeExact(code);
    } catch (Throwable unavailable) {
      // As everywhere else, then.
    }
  }
}
