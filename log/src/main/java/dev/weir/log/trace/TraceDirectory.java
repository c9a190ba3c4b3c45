package dev.weir.log.trace;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/** Where traces are kept. */
public final class TraceDirectory {

  private TraceDirectory() {}

  /**
   * {@code WEIR_TRACE_DIR}; else below {@code XDG_STATE_HOME}; else below the user's home.
   *
   * @return nothing if none of them is known
   */
  public static Optional<Path> of(Map<String, String> environment) {
    return path(environment, "WEIR_TRACE_DIR", "")
        .or(() -> path(environment, "XDG_STATE_HOME", "weir/traces"))
        .or(() -> path(environment, "HOME", ".local/state/weir/traces"))
        .or(() -> path(environment, "LOCALAPPDATA", "weir/traces"));
  }

  private static Optional<Path> path(Map<String, String> environment, String name, String below) {
    String value = environment.getOrDefault(name, "");
    try {
      return value.isBlank() ? Optional.empty() : Optional.of(Path.of(value).resolve(below));
    } catch (InvalidPathException malformed) {
      return Optional.empty();
    }
  }
}
