package dev.weir.eval.sandbox;

import dev.weir.model.ConfigurationException;
import dev.weir.time.Time;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What this machine has to offer for sandboxes. Thread-safe. */
final class Machine {

  private static final Duration TO_ANSWER = Duration.ofSeconds(60);
  private static final int COMPLAINT_LIMIT = 65_536;
  private static final Path SHELL = Path.of("/bin/sh");

  private final Time time;
  private final Map<String, String> host;
  private final Path parent;

  Machine(Time time, Map<String, String> host, Path parent) {
    this.time = time;
    this.host = host;
    this.parent = parent;
  }

  /**
   * @throws ConfigurationException if sandboxes of this kind cannot be opened here
   */
  void check(SandboxSpec spec) throws InterruptedException {
    switch (spec.type()) {
      case LOCAL -> checkShell();
      case BUBBLEWRAP -> checkBubblewrap(spec);
      case DOCKER -> checkDocker(spec);
    }
  }

  /** Local sandboxes and those of bubblewrap have the programs of this machine. */
  boolean has(SandboxSpec spec, String name) {
    Map<String, String> variables = new HashMap<>(host);
    variables.putAll(spec.environment());
    return spec.type() == SandboxType.DOCKER || HostEnvironment.find(name, variables).isPresent();
  }

  Path program(String name, SandboxSpec spec) {
    return HostEnvironment.find(name, host)
        .orElseThrow(
            () ->
                new ConfigurationException(
                    "a %s sandbox needs the program %s, which is not on the PATH; install it, or"
                            .formatted(spec.type().word(), name)
                        + " choose another type of sandbox: local, bubblewrap or docker"));
  }

  DockerCommand docker(SandboxSpec spec, Path folder) {
    return new DockerCommand(program(DockerCommand.PROGRAM, spec), host, folder, time);
  }

  private static void checkShell() {
    if (!Files.isExecutable(SHELL)) {
      throw new ConfigurationException(
          "a local sandbox needs %s, which this machine does not have".formatted(SHELL));
    }
  }

  private void checkBubblewrap(SandboxSpec spec) throws InterruptedException {
    Path program = program(BubblewrapEnclosure.PROGRAM, spec);
    for (Path mount : spec.mounts()) {
      if (!Files.exists(mount)) {
        throw new ConfigurationException(
            "sandbox `mounts` names %s, which does not exist on this machine".formatted(mount));
      }
    }
    SandboxFolder folder = SandboxFolder.create(parent);
    try {
      var enclosure = new BubblewrapEnclosure(spec, program, folder, host, "check.");
      ExecResult result = run(enclosure, folder);
      if (!result.success()) {
        throw new ConfigurationException(
            "bubblewrap cannot make a sandbox here (%s); if the system forbids it, allow"
                    .formatted(Complaint.of(result))
                + " unprivileged user namespaces, or choose another type of sandbox");
      }
    } finally {
      folder.delete();
    }
  }

  private ExecResult run(Enclosure enclosure, SandboxFolder folder) throws InterruptedException {
    Launch launch = enclosure.launch(List.of("/bin/sh", "-c", ":"), Map.of(), Optional.empty());
    try (RunningProcess process =
        RunningProcess.start(launch, new byte[0], folder.folder(), COMPLAINT_LIMIT, time)) {
      return Finished.of(process, process.await(TO_ANSWER)).asResult();
    } catch (IOException failed) {
      throw new ConfigurationException("bubblewrap cannot be run: " + failed.getMessage(), failed);
    }
  }

  private void checkDocker(SandboxSpec spec) throws InterruptedException {
    ExecResult result =
        docker(spec, parent)
            .run(TO_ANSWER, Map.of(), List.of("version", "--format", "{{.Server.Version}}"));
    if (!result.success()) {
      throw new ConfigurationException(
          "docker does not reach its engine (%s); start it, or choose another type of sandbox"
              .formatted(Complaint.of(result)));
    }
  }
}
