package dev.weir.eval.sandbox;

import dev.weir.eval.sandbox.SandboxFileException.Reason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A directory of this machine, and processes as any other, with an environment of their own. */
final class LocalEnclosure implements Enclosure {

  private final SandboxSpec spec;
  private final SandboxFolder folder;
  private final Map<String, String> environment;
  private final String mark;

  /**
   * @param host the variables of this program, of which few are passed on
   * @param mark how the marks of all its commands begin
   */
  LocalEnclosure(SandboxSpec spec, SandboxFolder folder, Map<String, String> host, String mark) {
    this.spec = spec;
    this.folder = folder;
    this.mark = mark;
    this.environment =
        HostEnvironment.forCommands(
            host, folder.root().toString(), folder.temporary().toString(), spec.environment());
  }

  @Override
  public String workingDirectory() {
    return folder.root().toString();
  }

  @Override
  public String temporaryDirectory() {
    return folder.temporary().toString();
  }

  @Override
  public ProcessLimits shellLimits() {
    return spec.limits();
  }

  @Override
  public Launch launch(List<String> command, Map<String, String> added, Optional<String> user) {
    user.ifPresent(spec::requireUser);
    Map<String, String> all = new LinkedHashMap<>(environment);
    all.putAll(added);
    return new Launch(command, all);
  }

  @Override
  public void end(String markOfCommand) {
    ProcessTree.endMarked(markOfCommand);
  }

  /** Follows links, too; not safe from a program that changes them meanwhile, nor meant to be. */
  @Override
  public String resolve(String path, String attempt) throws SandboxFileException {
    try {
      Path wanted = folder.root().resolve(path).normalize();
      if (!isInside(wanted) || !isInside(real(wanted))) {
        throw new SandboxFileException(Reason.OUTSIDE, attempt, path);
      }
      return wanted.toString();
    } catch (InvalidPathException | NoSuchFileException noFile) {
      throw new SandboxFileException(Reason.NOT_FOUND, attempt, path);
    } catch (IOException failed) {
      throw new SandboxFileException(
          Reason.FAILED, attempt, path, String.valueOf(failed.getMessage()));
    }
  }

  private boolean isInside(Path path) {
    return path.startsWith(folder.root()) || path.startsWith(folder.temporary());
  }

  /**
   * Where a path leads, as far as it exists.
   *
   * @throws NoSuchFileException for a link to nothing, which may be anywhere
   */
  private static Path real(Path path) throws IOException {
    Path above = path.getParent();
    return above == null || Files.exists(path, LinkOption.NOFOLLOW_LINKS)
        ? path.toRealPath()
        : real(above);
  }

  @Override
  public void close() {
    ProcessTree.endMarked(mark);
  }
}
