package dev.weir.eval.sandbox;

import dev.weir.model.Printable;

/** The last words of a command that failed, which are the ones that matter, in one line. */
final class Complaint {

  private static final int LONGEST = 400;

  private Complaint() {}

  static String of(ExecResult result) {
    String how = result.timedOut() ? "it took too long" : "exit code " + result.exitCode();
    String said = (result.stderr().isBlank() ? result.stdout() : result.stderr()).strip();
    if (said.isEmpty()) {
      return how;
    }
    String end = said.length() > LONGEST ? "…" + said.substring(said.length() - LONGEST) : said;
    return how + ": " + Printable.line(end);
  }
}
