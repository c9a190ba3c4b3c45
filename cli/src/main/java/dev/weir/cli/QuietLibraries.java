package dev.weir.cli;

import dev.weir.telemetry.CallExporter;
import java.util.Map;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Keeps the SDK of OpenTelemetry from printing a stack trace whenever it cannot send: Weir reports
 * it, once and in a line. Logging is not even loaded unless the SDK may be.
 */
final class QuietLibraries {

  private QuietLibraries() {}

  static void silence(Map<String, String> environment) {
    if (environment.keySet().stream().anyMatch(name -> name.startsWith(CallExporter.PREFIX))) {
      Held.SDK.setLevel(Level.OFF);
    }
  }

  /** A logger that nobody holds is forgotten, and so is its level. */
  private static final class Held {
    static final Logger SDK = Logger.getLogger("io.opentelemetry");
  }
}
