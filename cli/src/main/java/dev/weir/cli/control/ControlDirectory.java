package dev.weir.cli.control;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A directory with the sockets of evaluations that run, into which only its owner can look.
 *
 * <p>A socket is named after the process and the evaluation: {@code 4711-1k2j3h.sock}.
 */
record ControlDirectory(Path path) {

  static final Set<PosixFilePermission> OWNER_ONLY = PosixFilePermissions.fromString("rwx------");
  static final Set<PosixFilePermission> SOCKET_OF_OWNER =
      PosixFilePermissions.fromString("rw-------");

  private static final String DIRECTORY_VARIABLE = "WEIR_CTL_DIR";

  private static final Pattern SOCKET = Pattern.compile("(\\d{1,18})-[0-9a-z]+\\.sock");

  /** More evaluations than anybody runs at once. */
  private static final int MOST_SOCKETS = 1_000;

  /**
   * Where sockets may be, the best place first. Processes of one user may know different ones: a
   * run takes the first that it can use, and who looks for runs looks in all.
   */
  static List<ControlDirectory> candidates(Map<String, String> environment) {
    Optional<Path> chosen = path(environment, DIRECTORY_VARIABLE, "");
    if (chosen.isPresent()) {
      return List.of(new ControlDirectory(chosen.get()));
    }
    List<ControlDirectory> candidates = new ArrayList<>();
    path(environment, "XDG_RUNTIME_DIR", "weir")
        .map(ControlDirectory::new)
        .ifPresent(candidates::add);
    path(environment, "XDG_STATE_HOME", "weir/run")
        .or(() -> path(environment, "HOME", ".local/state/weir/run"))
        .map(ControlDirectory::new)
        .ifPresent(candidates::add);
    // Paths of sockets are short: about a hundred bytes. This one is.
    candidates.add(
        new ControlDirectory(
            Path.of(
                System.getProperty("java.io.tmpdir"), "weir-" + System.getProperty("user.name"))));
    return candidates;
  }

  private static Optional<Path> path(Map<String, String> environment, String name, String below) {
    String value = environment.getOrDefault(name, "");
    try {
      return value.isBlank() ? Optional.empty() : Optional.of(Path.of(value).resolve(below));
    } catch (InvalidPathException malformed) {
      return Optional.empty();
    }
  }

  /** Makes it, and makes sure that it is ours alone. */
  void prepare() throws IOException {
    Path parent = path.toAbsolutePath().getParent();
    if (parent != null) {
      Files.createDirectories(parent);
    }
    if (!Files.exists(path, NOFOLLOW_LINKS)) {
      Files.createDirectory(path, PosixFilePermissions.asFileAttribute(OWNER_ONLY));
    }
    if (!isPrivate() && Files.isDirectory(path, NOFOLLOW_LINKS)) {
      // Fails unless it is ours.
      Files.setPosixFilePermissions(path, OWNER_ONLY);
    }
    if (!isPrivate()) {
      throw new IOException("%s is no directory that only its owner can open".formatted(path));
    }
  }

  /** Whether it is a directory that nobody but its owner can look into. */
  private boolean isPrivate() throws IOException {
    return Files.isDirectory(path, NOFOLLOW_LINKS)
        && OWNER_ONLY.containsAll(Files.getPosixFilePermissions(path, NOFOLLOW_LINKS));
  }

  /** Whether whoever made the socket is the owner of the directory. */
  boolean isOwn(Path socket) throws IOException {
    return isPrivate()
        && Files.getOwner(socket, NOFOLLOW_LINKS).equals(Files.getOwner(path, NOFOLLOW_LINKS));
  }

  Path socket(long pid, String id) {
    return path.resolve("%d-%s.sock".formatted(pid, id));
  }

  /** What looks like a socket, of processes that live or not. */
  List<Path> sockets() throws IOException {
    if (!Files.isDirectory(path, NOFOLLOW_LINKS) || !isPrivate()) {
      return List.of();
    }
    List<Path> sockets = new ArrayList<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(path)) {
      for (Path file : files) {
        if (sockets.size() < MOST_SOCKETS && pid(file).isPresent() && isOwn(file)) {
          sockets.add(file);
        }
      }
    }
    sockets.sort(null);
    return sockets;
  }

  private static OptionalLong pid(Path socket) {
    Matcher name = SOCKET.matcher(socket.getFileName().toString());
    return name.matches() ? OptionalLong.of(Long.parseLong(name.group(1))) : OptionalLong.empty();
  }

  /** Removes a socket at which nobody listens, if its process has ended. */
  static void removeStale(Path socket) throws IOException {
    OptionalLong pid = pid(socket);
    boolean lives = pid.isPresent() && ProcessHandle.of(pid.getAsLong()).isPresent();
    if (!lives) {
      Files.deleteIfExists(socket);
    }
  }
}
