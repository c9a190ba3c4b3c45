package dev.weir.eval.sandbox;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Does in a new sandbox what its setup says. */
final class Preparation {

  /** From a file, so that commands of the script do not read the script as their input. */
  private static final String RUN =
      """
      cat > "$1" && bash "$1" < /dev/null
      code=$?
      rm -f "$1"
      exit $code
      """;

  private final ShellSandbox sandbox;
  private final int fileLimit;

  Preparation(ShellSandbox sandbox, int fileLimit) {
    this.sandbox = sandbox;
    this.fileLimit = fileLimit;
  }

  /**
   * @throws SandboxException at the first thing that fails
   */
  void perform(SandboxSetup setup) throws InterruptedException {
    for (Map.Entry<String, SandboxFile> file : setup.files().entrySet()) {
      switch (file.getValue()) {
        case SandboxFile.Text(String content) ->
            write(file.getKey(), content.getBytes(StandardCharsets.UTF_8));
        case SandboxFile.Copy(Path source) -> copy(source, file.getKey());
      }
    }
    if (setup.script().isPresent()) {
      run(setup.script().get(), setup);
    }
  }

  private void run(String script, SandboxSetup setup) throws InterruptedException {
    String file = sandbox.temporaryDirectory() + "/weir-setup.sh";
    ExecResult result =
        sandbox.exec(
            ExecRequest.of("/bin/sh", "-c", RUN, "sh", file)
                .withStdin(script)
                .withTimeout(setup.timeout()));
    if (!result.success()) {
      throw new SandboxException(
          "the setup script of the sandbox failed: "
              + (result.timedOut() ? "it was ended after %s; ".formatted(setup.timeout()) : "")
              + Complaint.of(result));
    }
  }

  private void copy(Path source, String path) throws InterruptedException {
    if (!Files.isDirectory(source)) {
      write(path, content(source));
      return;
    }
    List<Path> files;
    try (Stream<Path> all = Files.walk(source)) {
      files = all.filter(Files::isRegularFile).sorted().toList();
    } catch (IOException | UncheckedIOException failed) {
      throw unreadable(source, failed);
    }
    for (Path file : files) {
      write(path + "/" + source.relativize(file), content(file));
    }
  }

  private byte[] content(Path source) {
    try {
      long size = Files.size(source);
      if (size > fileLimit) {
        throw new SandboxException(
            "the file %s for the sandbox has %d bytes, more than the limit of %d; `file_limit`"
                    .formatted(source, size, fileLimit)
                + " sets it");
      }
      return Files.readAllBytes(source);
    } catch (IOException failed) {
      throw unreadable(source, failed);
    }
  }

  private static SandboxException unreadable(Path source, Exception failed) {
    return new SandboxException(
        "the file %s for the sandbox cannot be read: %s".formatted(source, failed), failed);
  }

  private void write(String path, byte[] content) throws InterruptedException {
    try {
      sandbox.writeFile(path, content);
    } catch (SandboxFileException failed) {
      throw new SandboxException(String.valueOf(failed.getMessage()), failed);
    }
  }
}
