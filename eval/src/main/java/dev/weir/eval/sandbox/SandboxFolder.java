package dev.weir.eval.sandbox;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import org.jspecify.annotations.Nullable;

/**
 * The directory of this machine that a sandbox has for itself; only its user can look into it.
 *
 * @param folder holds the others, and input on its way to commands
 * @param root where commands run
 * @param temporary for what they need for a while
 */
record SandboxFolder(Path folder, Path root, Path temporary) {

  /** By its real path, so that paths can be compared. */
  static SandboxFolder create(Path parent) {
    try {
      Path folder = Files.createTempDirectory(parent, "weir-sandbox-").toRealPath();
      return new SandboxFolder(
          folder,
          Files.createDirectory(folder.resolve("root")),
          Files.createDirectory(folder.resolve("tmp")));
    } catch (IOException failed) {
      throw new SandboxException(
          "cannot make a directory for a sandbox in %s: %s".formatted(parent, failed), failed);
    }
  }

  void delete() {
    try {
      Files.walkFileTree(folder, new Deletion());
    } catch (NoSuchFileException gone) {
      // Which is what is wanted.
    } catch (IOException failed) {
      throw new SandboxException(
          "cannot remove the directory of a sandbox, %s; remove it by hand: %s"
              .formatted(folder, failed),
          failed);
    }
  }

  private static final class Deletion extends SimpleFileVisitor<Path> {

    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
      Files.deleteIfExists(file);
      return FileVisitResult.CONTINUE;
    }

    /** A program may have taken its own rights away: then the directory cannot be listed. */
    @Override
    public FileVisitResult visitFileFailed(Path file, IOException why) throws IOException {
      if (why instanceof NoSuchFileException) {
        return FileVisitResult.CONTINUE;
      }
      if (!Files.isDirectory(file, LinkOption.NOFOLLOW_LINKS) || isOpen(file)) {
        throw why;
      }
      open(file);
      Files.walkFileTree(file, new Deletion());
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes)
        throws IOException {
      if (!isOpen(directory)) {
        open(directory);
      }
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException why)
        throws IOException {
      if (why != null) {
        throw why;
      }
      Files.deleteIfExists(directory);
      return FileVisitResult.CONTINUE;
    }

    private static boolean isOpen(Path directory) throws IOException {
      return Files.getPosixFilePermissions(directory, LinkOption.NOFOLLOW_LINKS)
          .containsAll(PosixFilePermissions.fromString("rwx------"));
    }

    private static void open(Path directory) throws IOException {
      Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx------"));
    }
  }
}
