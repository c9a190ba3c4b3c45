package dev.weir.eval.sandbox;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * A container that waits, and commands that are run in it. The image needs {@code sh}, {@code cat},
 * {@code head} and {@code mkdir}; {@code bash} for setup scripts.
 *
 * <p>Containers carry the label {@value #LABEL}, so that those of a program that was killed can be
 * found: {@code docker ps -a --filter label=dev.weir.sandbox}.
 */
final class DockerEnclosure implements Enclosure {

  private static final String LABEL = "dev.weir.sandbox";
  private static final String TEMPORARY = "/tmp";

  /** Long: the image may have to be fetched. */
  private static final Duration TO_START = Duration.ofMinutes(15);

  private static final Duration TO_ANSWER = Duration.ofSeconds(60);

  /** Ends all processes of the container that have the mark, also those of other users. */
  private static final String END_MARKED =
      """
      for round in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
        found=
        for process in /proc/[0-9]*; do
          if grep -qsF "$1" "$process/environ"; then
            kill -KILL "${process#/proc/}" && found=yes
          fi
        done
        if [ -z "$found" ]; then exit 0; fi
      done
      exit 1
      """;

  private final DockerCommand docker;
  private final String container;
  private final String workingDirectory;

  private DockerEnclosure(DockerCommand docker, String container, String workingDirectory) {
    this.docker = docker;
    this.container = container;
    this.workingDirectory = workingDirectory;
  }

  /**
   * @param id unlike that of any other sandbox of this machine
   */
  static DockerEnclosure start(SandboxSpec spec, DockerCommand docker, String id)
      throws InterruptedException {
    String container = "weir-" + id;
    boolean started = false;
    try {
      var variables = new Variables(docker.environment(), spec.environment());
      ExecResult run =
          docker.run(TO_START, variables.inherited, runWords(spec, container, id, variables));
      requireSuccess(run, "start a container of the image " + spec.image());
      ExecResult where =
          docker.run(TO_ANSWER, Map.of(), List.of("exec", container, "/bin/sh", "-c", "pwd"));
      requireSuccess(where, "find /bin/sh in the image " + spec.image());
      started = true;
      return new DockerEnclosure(docker, container, where.stdout().strip());
    } finally {
      if (!started) {
        // By its name: it may exist although nobody has told its number.
        docker.runPatiently(TO_ANSWER, List.of("rm", "-f", "-v", container));
      }
    }
  }

  private static List<String> runWords(
      SandboxSpec spec, String container, String id, Variables variables) {
    List<String> words = new ArrayList<>(List.of("run", "-d", "--rm", "--init"));
    words.addAll(List.of("--name", container, "--label", LABEL + "=" + id));
    if (!spec.network()) {
      words.addAll(List.of("--network", "none"));
    }
    ProcessLimits limits = spec.limits();
    limits.memory().ifPresent(bytes -> words.addAll(List.of("--memory", bytes + "b")));
    limits.processes().ifPresent(number -> words.addAll(List.of("--pids-limit", "" + number)));
    limits.cpuSeconds().ifPresent(time -> words.addAll(List.of("--ulimit", "cpu=" + time)));
    limits.fileSize().ifPresent(bytes -> words.addAll(List.of("--ulimit", "fsize=" + bytes)));
    spec.cpus()
        .ifPresent(
            number -> words.addAll(List.of("--cpus", String.format(Locale.ROOT, "%.3f", number))));
    words.addAll(variables.words);
    // Whatever the image would do, it is to do nothing.
    words.addAll(List.of("--entrypoint", "tail", spec.image(), "-f", "/dev/null"));
    return words;
  }

  /**
   * How variables reach a container: by the name alone, so that values are not among arguments,
   * which every user of the machine can read. The few names that the docker command has for itself
   * need their values there.
   */
  private static final class Variables {

    private final List<String> words = new ArrayList<>();
    private final Map<String, String> inherited = new LinkedHashMap<>();

    Variables(Map<String, String> own, Map<String, String> given) {
      given.forEach(
          (name, value) -> {
            boolean taken = own.containsKey(name) || name.startsWith("DOCKER_");
            words.addAll(List.of("-e", taken ? name + "=" + value : name));
            if (!taken) {
              inherited.put(name, value);
            }
          });
    }
  }

  private static void requireSuccess(ExecResult result, String what) {
    if (!result.success()) {
      throw new SandboxException("docker cannot %s: %s".formatted(what, Complaint.of(result)));
    }
  }

  @Override
  public String workingDirectory() {
    return workingDirectory;
  }

  @Override
  public String temporaryDirectory() {
    return TEMPORARY;
  }

  /** The container has them. */
  @Override
  public ProcessLimits shellLimits() {
    return ProcessLimits.NONE;
  }

  @Override
  public Launch launch(List<String> command, Map<String, String> added, Optional<String> user) {
    var variables = new Variables(docker.environment(), added);
    List<String> words = new ArrayList<>(List.of(docker.program().toString(), "exec", "-i"));
    words.addAll(variables.words);
    user.ifPresent(name -> words.addAll(List.of("--user", name)));
    words.add(container);
    words.addAll(command);
    Map<String, String> all = new LinkedHashMap<>(docker.environment());
    all.putAll(variables.inherited);
    return new Launch(words, all);
  }

  /** Without the docker command, what it ran goes on. If that cannot be ended, everything is. */
  @Override
  public void end(String mark) {
    ExecResult ended =
        docker.runPatiently(
            TO_ANSWER,
            List.of(
                "exec",
                "--user",
                "0",
                container,
                "/bin/sh",
                "-c",
                END_MARKED,
                "sh",
                ProcessTree.MARK + "=" + mark));
    if (!ended.success()) {
      docker.runPatiently(TO_ANSWER, List.of("restart", "-t", "0", container));
    }
  }

  /** It is looked up in the container: no path leads out. */
  @Override
  public String resolve(String path, String attempt) throws SandboxFileException {
    return InnerPath.resolve(workingDirectory, path, attempt);
  }

  @Override
  public void close() {
    ExecResult removed = docker.runPatiently(TO_ANSWER, List.of("rm", "-f", "-v", container));
    if (!removed.success() && !removed.stderr().contains("No such container")) {
      throw new SandboxException(
          "docker cannot remove the container %s; remove it by hand: %s"
              .formatted(container, Complaint.of(removed)));
    }
  }
}
