package dev.weir.cli;

import dev.weir.model.Printable;
import java.util.List;

/** What of a log is damaged, and therefore not in what was made of it. */
final class LogDamage {

  private LogDamage() {}

  /** Tells it; the exit code says whether all of the log could be read. */
  static int told(List<String> damage, Surroundings surroundings) {
    surroundings.out().flush();
    damage.forEach(place -> surroundings.err().println("weir: " + Printable.line(place)));
    return damage.isEmpty() ? ExitCode.SUCCESS : ExitCode.FAILED;
  }
}
