package dev.weir.log;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * The directory in which Weir keeps traces and learned limits.
 *
 * <pre>
 *   WEIR_STATE_DIR                        on every platform
 *   XDG_STATE_HOME/weir                   on every platform, if it is an absolute path
 *   ~/Library/Application Support/weir    macOS
 *   %LOCALAPPDATA%\weir                   Windows
 *   ~/.local/state/weir                   elsewhere
 * </pre>
 */
public final class StateDirectory {

  /** Overrides the directory of the platform. */
  public static final String VARIABLE = "WEIR_STATE_DIR";

  private static final String NAME = "weir";

  private StateDirectory() {}

  /** The directory on this platform; empty if the environment names none. */
  public static Optional<Path> of(Map<String, String> environment) {
    return of(environment, System.getProperty("os.name", ""));
  }

  static Optional<Path> of(Map<String, String> environment, String system) {
    return path(environment, VARIABLE)
        // By that standard a relative path is to be ignored.
        .or(() -> path(environment, "XDG_STATE_HOME").filter(Path::isAbsolute).map(child(NAME)))
        .or(() -> usual(environment, system.toLowerCase(Locale.ROOT)));
  }

  private static Optional<Path> usual(Map<String, String> environment, String system) {
    Optional<Path> home = path(environment, "HOME");
    if (system.startsWith("mac")) {
      return home.map(child("Library/Application Support/" + NAME));
    }
    Optional<Path> local = path(environment, "LOCALAPPDATA").map(child(NAME));
    Optional<Path> unix = home.map(child(".local/state/" + NAME));
    return system.startsWith("windows") ? local.or(() -> unix) : unix.or(() -> local);
  }

  private static UnaryOperator<Path> child(String name) {
    return parent -> parent.resolve(name);
  }

  private static Optional<Path> path(Map<String, String> environment, String name) {
    String value = environment.getOrDefault(name, "");
    try {
      return value.isBlank() ? Optional.empty() : Optional.of(Path.of(value));
    } catch (InvalidPathException malformed) {
      return Optional.empty();
    }
  }
}
