package dev.weir.eval.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.model.ConfigurationException;
import dev.weir.time.Task;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Not with Docker: with a stand-in of that name on the PATH, a script that writes down how it was
 * called and runs commands as processes of this machine. What an engine does with these arguments
 * is not shown here.
 */
class DockerSandboxTest extends SandboxContract {

  /** A container is a directory; what is run in it has only the variables it is handed. */
  private static final String STAND_IN =
      """
      #!/bin/bash
      here=$(dirname "$0")
      { printf '%s ' "${@//$'\\n'/;}"; echo; } >> "$here/calls"
      case $1 in
        version)
          [ -e "$here/no-engine" ] && { echo 'Cannot connect to the Docker daemon' >&2; exit 1; }
          echo 29.0.0 ;;
        run)
          shift
          while [ $# -gt 0 ]; do
            case $1 in
              --name) name=$2; shift 2 ;;
              -e) [[ $2 == *=* ]] && set="$2" || set="$2=${!2}"; variables+=("$set"); shift 2 ;;
              --network|--label|--memory|--pids-limit|--ulimit|--cpus|--entrypoint) shift 2 ;;
              -d|--rm|--init) shift ;;
              *) break ;;
            esac
          done
          [ "$1" = no-such-image ] && { echo "pull access denied for $1" >&2; exit 125; }
          mkdir -p "$here/containers/$name"
          printf '%s\\0' "${variables[@]}" > "$here/containers/.$name"
          if [ "$1" = slow-image ]; then exec sleep 1000; fi
          echo 0123456789abcdef ;;
        exec)
          shift
          while [ $# -gt 0 ]; do
            case $1 in
              -i) shift ;;
              -e) [[ $2 == *=* ]] && set="$2" || set="$2=${!2}"; variables+=("$set"); shift 2 ;;
              --user) shift 2 ;;
              *) break ;;
            esac
          done
          name=$1; shift
          [ "$1" = /bin/sh ] || { echo 'every command is run by /bin/sh' >&2; exit 99; }
          [ -e "$here/no-shell" ] && { echo 'exec: "/bin/sh": no such file' >&2; exit 127; }
          [ -e "$here/no-grep" ] && [[ $3 == *grep* ]] && exit 127
          cd "$here/containers/$name" || exit 1
          mapfile -d '' own < "$here/containers/.$name"
          exec env -i PATH=/usr/local/bin:/usr/bin:/bin "${own[@]:-A=}" "${variables[@]:-A=}" "$@" ;;
        restart)
          for process in /proc/[0-9]*; do
            grep -qs "WEIR_SANDBOX=${4#weir-}[.]" "$process/environ" && kill -9 "${process#/proc/}"
          done ;;
        rm)
          [ -d "$here/containers/$4" ] || { echo "Error: No such container: $4" >&2; exit 1; }
          [ -e "$here/not-removable" ] && { echo "device is busy" >&2; exit 1; }
          for process in /proc/[0-9]*; do
            grep -qs "WEIR_SANDBOX=${4#weir-}[.]" "$process/environ" && kill -9 "${process#/proc/}"
          done
          rm -rf "$here/containers/$4" ;;
      esac
      """;

  @TempDir Path bin;

  @BeforeEach
  void installStandIn() throws IOException {
    Files.createDirectories(bin.resolve("containers"));
    Path program = Files.writeString(bin.resolve("docker"), STAND_IN);
    Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));
  }

  @Override
  SandboxSpec spec() {
    return SandboxSpec.docker("debian:13");
  }

  @Override
  String path() {
    return bin + ":/usr/bin:/bin";
  }

  private List<String> calls() throws IOException {
    return Files.readAllLines(bin.resolve("calls")).stream()
        .map(line -> line.replaceAll("[0-9a-f]{16}", "ID").strip())
        .toList();
  }

  private void assertNoContainers() throws IOException {
    try (var left = Files.list(bin.resolve("containers"))) {
      assertThat(left.filter(Files::isDirectory)).isEmpty();
    }
  }

  @Test
  void aContainerHasNoNetworkALabelAndIsRemoved() throws Exception {
    open().close();
    assertThat(calls())
        .containsExactly(
            "version --format {{.Server.Version}}",
            "run -d --rm --init --name weir-ID --label dev.weir.sandbox=ID --network none"
                + " --pids-limit 1024 --ulimit fsize=1073741824"
                + " --entrypoint tail debian:13 -f /dev/null",
            "exec weir-ID /bin/sh -c pwd",
            "rm -f -v weir-ID");
    assertNoContainers();
  }

  @Test
  void optionsBecomeThoseOfTheContainer() throws Exception {
    SandboxSpec spec =
        spec()
            .withNetwork(true)
            .withCpus(1.5)
            .withLimits(
                new ProcessLimits(
                    Optional.of(64),
                    Optional.of(Duration.ofSeconds(30)),
                    Optional.of(512L << 20),
                    Optional.empty()));
    open(spec).close();
    assertThat(calls().get(1))
        .isEqualTo(
            "run -d --rm --init --name weir-ID --label dev.weir.sandbox=ID --memory 536870912b"
                + " --pids-limit 64 --ulimit cpu=30 --cpus 1.500"
                + " --entrypoint tail debian:13 -f /dev/null");
  }

  @Test
  void valuesOfVariablesAreNotAmongTheArguments() throws Exception {
    try (Sandbox sandbox = open(spec().withEnvironment(Map.of("TOKEN", "secret-1")))) {
      ExecResult result =
          sandbox.exec(
              shell("echo $TOKEN $OTHER $PATH")
                  .withEnvironment(Map.of("OTHER", "secret-2", "PATH", "/usr/bin:/bin:/here")));
      assertThat(result.stdout()).isEqualTo("secret-1 secret-2 /usr/bin:/bin:/here\n");
    }
    assertThat(String.join("\n", calls()))
        .contains("-e TOKEN ", "-e OTHER ", "-e PATH=/usr/bin:/bin:/here ")
        .doesNotContain("secret");
  }

  @Test
  void aCommandRunsAsTheUserItNames() throws Exception {
    try (Sandbox sandbox = open()) {
      sandbox.exec(shell("true").withUser("nobody"));
    }
    assertThat(calls())
        .anyMatch(call -> call.matches("exec -i -e WEIR_SANDBOX --user nobody weir-ID /bin/sh .*"));
  }

  @Test
  void everythingIsEndedWhereOneCommandCannotBe() throws Exception {
    Files.createFile(bin.resolve("no-grep"));
    try (Sandbox sandbox = open()) {
      ExecResult result =
          sandbox.exec(
              shell("echo $$ > pid; (setsid sleep 1000 &) ; exec sleep 1000")
                  .withTimeout(Duration.ofMillis(500)));
      assertThat(result.timedOut()).isTrue();
      assertThat(calls()).contains("restart -t 0 weir-ID");
    }
  }

  @Test
  void anImageThatCannotBeStartedSaysSo() throws Exception {
    assertThatExceptionOfType(SandboxException.class)
        .isThrownBy(() -> open(SandboxSpec.docker("no-such-image")))
        .withMessage(
            "docker cannot start a container of the image no-such-image: exit code 125: pull"
                + " access denied for no-such-image");
    assertThat(calls()).last().isEqualTo("rm -f -v weir-ID");
    Files.createFile(bin.resolve("no-shell"));
    assertThatExceptionOfType(SandboxException.class)
        .isThrownBy(this::open)
        .withMessageContaining("docker cannot find /bin/sh in the image debian:13");
    assertNoContainers();
  }

  @Test
  void whoeverIsCancelledWhileAContainerStartsLeavesNone() throws Exception {
    Task<Sandbox> task = TIME.start("opening", () -> open(SandboxSpec.docker("slow-image")));
    while (!Files.exists(bin.resolve("calls")) || calls().size() < 2) {
      TIME.sleep(Duration.ofMillis(5));
    }
    task.cancel();
    assertThatExceptionOfType(CancellationException.class).isThrownBy(task::join);
    assertThat(calls()).last().isEqualTo("rm -f -v weir-ID");
    assertNoContainers();
  }

  @Test
  void aContainerThatIsGoneNeedsNoRemoving() throws Exception {
    Sandbox sandbox = open();
    Files.delete(Path.of(sandbox.workingDirectory()));
    sandbox.close();
  }

  @Test
  void aContainerThatStaysIsNamed() throws Exception {
    Files.createFile(bin.resolve("not-removable"));
    Sandbox sandbox = open();
    assertThatExceptionOfType(SandboxException.class)
        .isThrownBy(sandbox::close)
        .withMessageMatching(
            "docker cannot remove the container weir-[0-9a-f]{16}; remove it by hand: exit code 1:"
                + " device is busy");
  }

  @Test
  void anEngineThatIsNotThereIsToldBeforeAnythingIsPaid() throws Exception {
    Files.createFile(bin.resolve("no-engine"));
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> sandboxes().check(spec()))
        .withMessage(
            "docker does not reach its engine (exit code 1: Cannot connect to the Docker daemon);"
                + " start it, or choose another type of sandbox");
  }
}
