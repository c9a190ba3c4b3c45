package dev.weir.log.trace;

import dev.weir.log.StateDirectory;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/** Where traces are kept. */
public final class TraceDirectory {

  private static final String VARIABLE = "WEIR_TRACE_DIR";

  private TraceDirectory() {}

  /**
   * {@code WEIR_TRACE_DIR}, or else {@code traces} in the {@link StateDirectory}.
   *
   * @return nothing if neither is known
   */
  public static Optional<Path> of(Map<String, String> environment) {
    return chosen(environment.getOrDefault(VARIABLE, ""))
        .or(() -> StateDirectory.of(environment).map(state -> state.resolve("traces")));
  }

  private static Optional<Path> chosen(String path) {
    try {
      return path.isBlank() ? Optional.empty() : Optional.of(Path.of(path));
    } catch (InvalidPathException malformed) {
      return Optional.empty();
    }
  }
}
