package dev.weir.eval.sandbox;

import dev.weir.eval.sandbox.SandboxFileException.Reason;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Reads and writes files of a sandbox by small scripts that run in there.
 *
 * <p>So a file is what the programs of the sandbox see under its name, with the rights they have: a
 * link that a program made cannot lead out.
 */
final class ShellFiles {

  /** So that complaints can be understood. */
  static final Map<String, String> ENVIRONMENT = Map.of("LC_ALL", "C");

  private static final int NOT_FOUND = 100;
  private static final int IS_DIRECTORY = 101;
  private static final int PERMISSION = 102;

  /** Prints at most so many bytes. */
  private static final String READ =
      """
      if [ -d "$1" ]; then exit 101; fi
      if [ ! -e "$1" ]; then exit 100; fi
      if [ ! -r "$1" ]; then exit 102; fi
      exec head -c "$2" < "$1"
      """;

  private static final String WRITE =
      """
      if [ -d "$1" ]; then exit 101; fi
      if [ -e "$1" ] && [ ! -w "$1" ]; then exit 102; fi
      mkdir -p "${1%/*}/" || exit 1
      if [ ! -e "$1" ] && [ ! -w "${1%/*}/" ]; then exit 102; fi
      exec cat > "$1"
      """;

  /** What programs say in English, which is what they are asked to speak. */
  private static final Pattern FORBIDDEN =
      Pattern.compile("Permission denied|Read-only file system|Operation not permitted");

  private ShellFiles() {}

  /** Prints a byte more than the limit if there are more. */
  static List<String> read(String path, int limit) {
    return List.of("/bin/sh", "-c", READ, "sh", path, Long.toString(limit + 1L));
  }

  /** The content is its input. */
  static List<String> write(String path) {
    return List.of("/bin/sh", "-c", WRITE, "sh", path);
  }

  /** Why a script failed. */
  static Reason reason(int exitCode, String errors) {
    return switch (exitCode) {
      case NOT_FOUND -> Reason.NOT_FOUND;
      case IS_DIRECTORY -> Reason.IS_DIRECTORY;
      case PERMISSION -> Reason.PERMISSION;
      default -> FORBIDDEN.matcher(errors).find() ? Reason.PERMISSION : Reason.FAILED;
    };
  }
}
