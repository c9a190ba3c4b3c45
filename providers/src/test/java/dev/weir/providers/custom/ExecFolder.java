package dev.weir.providers.custom;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;

/** A folder with the tests' program and a file that describes it. */
final class ExecFolder {

  private ExecFolder() {}

  /** Writes {@code model.sh} and {@code model.yaml}; the path of the second. */
  static Path fill(Path folder, String... lines) {
    try (InputStream program =
        Objects.requireNonNull(ExecFolder.class.getResourceAsStream("model.sh"))) {
      Path script = folder.resolve("model.sh");
      Files.deleteIfExists(script);
      Files.copy(program, script);
      if (!script.toFile().setExecutable(true)) {
        throw new IOException("cannot make " + script + " a program");
      }
      return Files.writeString(folder.resolve("model.yaml"), String.join("\n", lines));
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }
}
