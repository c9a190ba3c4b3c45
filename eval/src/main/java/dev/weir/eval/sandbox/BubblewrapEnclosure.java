package dev.weir.eval.sandbox;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Runs each command in namespaces of its own, by bubblewrap.
 *
 * <p>A command sees the programs of this machine, read-only, of {@code /etc} only what programs
 * need, a {@code /tmp} of the sandbox, and its directory as {@code /workspace}; nobody's home. It
 * sees no other processes, and those it leaves behind end with it.
 */
final class BubblewrapEnclosure implements Enclosure {

  static final String PROGRAM = "bwrap";

  private static final String WORKSPACE = "/workspace";
  private static final String TEMPORARY = "/tmp";

  private static final List<String> SYSTEM =
      List.of("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32");

  /** Not all of it: there are host keys and password hashes, too. */
  private static final List<String> SETTINGS =
      List.of(
          "/etc/alternatives",
          "/etc/ca-certificates",
          "/etc/group",
          "/etc/hosts",
          "/etc/ld.so.cache",
          "/etc/ld.so.conf",
          "/etc/ld.so.conf.d",
          "/etc/localtime",
          "/etc/mime.types",
          "/etc/nsswitch.conf",
          "/etc/passwd",
          "/etc/pki",
          "/etc/resolv.conf",
          "/etc/ssl/certs",
          "/etc/ssl/openssl.cnf");

  private final SandboxSpec spec;
  private final String mark;
  private final Map<String, String> environment;
  private final List<String> wrapper;

  BubblewrapEnclosure(
      SandboxSpec spec, Path program, SandboxFolder folder, Map<String, String> host, String mark) {
    this.spec = spec;
    this.mark = mark;
    this.environment = HostEnvironment.forCommands(host, WORKSPACE, TEMPORARY, spec.environment());
    this.wrapper = wrapper(spec, program, folder);
  }

  /** Whether what is written there is seen by the next command: each has a system of its own. */
  static boolean keeps(Path path) {
    Path place = Path.of(WORKSPACE).resolve(path).normalize();
    return place.startsWith(WORKSPACE) || place.startsWith(TEMPORARY);
  }

  private static List<String> wrapper(SandboxSpec spec, Path program, SandboxFolder folder) {
    List<String> words = new ArrayList<>(List.of(program.toString()));
    words.addAll(List.of("--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts"));
    words.add("--unshare-cgroup-try");
    if (!spec.network()) {
      words.add("--unshare-net");
    }
    words.addAll(List.of("--die-with-parent", "--new-session", "--cap-drop", "ALL"));
    words.addAll(List.of("--hostname", "sandbox"));
    SYSTEM.forEach(path -> words.addAll(List.of("--ro-bind-try", path, path)));
    SETTINGS.forEach(path -> words.addAll(List.of("--ro-bind-try", path, path)));
    words.addAll(List.of("--proc", "/proc", "--dev", "/dev"));
    words.addAll(List.of("--bind", folder.temporary().toString(), TEMPORARY));
    words.addAll(List.of("--bind", folder.root().toString(), WORKSPACE));
    // After the rest: a mount may be below one of them.
    spec.mounts()
        .forEach(path -> words.addAll(List.of("--ro-bind", path.toString(), path.toString())));
    words.addAll(List.of("--chdir", WORKSPACE, "--"));
    return List.copyOf(words);
  }

  @Override
  public String workingDirectory() {
    return WORKSPACE;
  }

  @Override
  public String temporaryDirectory() {
    return TEMPORARY;
  }

  @Override
  public ProcessLimits shellLimits() {
    return spec.limits();
  }

  @Override
  public Launch launch(List<String> command, Map<String, String> added, Optional<String> user) {
    user.ifPresent(spec::requireUser);
    List<String> words = new ArrayList<>(wrapper);
    words.addAll(command);
    // Handed on by inheritance: arguments can be read by every user of the machine.
    Map<String, String> all = new LinkedHashMap<>(environment);
    all.putAll(added);
    return new Launch(words, all);
  }

  @Override
  public void end(String markOfCommand) {
    ProcessTree.endMarked(markOfCommand);
  }

  /** The scripts that use it run inside: no path leads out. */
  @Override
  public String resolve(String path, String attempt) throws SandboxFileException {
    return InnerPath.resolve(WORKSPACE, path, attempt);
  }

  @Override
  public void close() {
    ProcessTree.endMarked(mark);
  }
}
