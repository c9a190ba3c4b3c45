package dev.weir.eval.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.eval.sandbox.SandboxFileException.Reason;
import dev.weir.model.ConfigurationException;
import dev.weir.time.Completion;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** With the real program: needs bubblewrap, and runs in the profile {@code installed}. */
@Tag("installed")
class BubblewrapSandboxTest extends SandboxContract {

  @Override
  SandboxSpec spec() {
    return SandboxSpec.bubblewrap();
  }

  private static String out(Sandbox sandbox, String line) throws InterruptedException {
    return sandbox.exec(shell(line)).stdout().strip();
  }

  @Test
  void theSystemIsReadOnlyAndNobodysHomeIsThere() throws Exception {
    Files.writeString(elsewhere.resolve("secret"), "secret");
    try (Sandbox sandbox = open()) {
      assertThat(sandbox.exec(shell("echo x > /usr/weir-was-here")).success()).isFalse();
      assertThat(Path.of("/usr/weir-was-here")).doesNotExist();
      assertThat(reason(() -> sandbox.writeFile("/usr/weir-was-here", new byte[1])))
          .isEqualTo(Reason.PERMISSION);
      assertThat(reason(() -> sandbox.writeFile("/usr/weir/was-here", new byte[1])))
          .isEqualTo(Reason.PERMISSION);
      assertThat(out(sandbox, "ls -d /root /home /etc/shadow /etc/ssh 2>/dev/null")).isEmpty();
      assertThat(out(sandbox, "cat " + elsewhere.resolve("secret"))).isEmpty();
    }
  }

  @Test
  void aLinkOfAProgramDoesNotLeadOut() throws Exception {
    Files.writeString(elsewhere.resolve("secret"), "secret");
    try (Sandbox sandbox = open()) {
      out(
          sandbox,
          "ln -s %s link; ln -s %s/new new".formatted(elsewhere.resolve("secret"), elsewhere));
      assertThat(reason(() -> sandbox.readFile("link"))).isEqualTo(Reason.NOT_FOUND);
      assertThat(reason(() -> sandbox.readFile("../.." + elsewhere.resolve("secret"))))
          .isEqualTo(Reason.NOT_FOUND);
      assertThat(reason(() -> sandbox.writeFile("new", new byte[1]))).isNotNull();
    }
    assertThat(elsewhere.resolve("new")).doesNotExist();
  }

  @Test
  void temporaryFilesStayInTheSandboxAndBetweenCommands() throws Exception {
    try (Sandbox sandbox = open()) {
      out(sandbox, "echo mine > /tmp/weir-mine");
      assertThat(Path.of("/tmp/weir-mine")).doesNotExist();
      assertThat(sandbox.readFile("/tmp/weir-mine")).asString().isEqualTo("mine\n");
    }
  }

  @Test
  void namespacesAreItsOwn() throws Exception {
    try (Sandbox sandbox = open()) {
      for (String namespace : List.of("user", "pid", "net", "ipc", "uts", "mnt")) {
        String own = Files.readSymbolicLink(Path.of("/proc/self/ns", namespace)).toString();
        assertThat(out(sandbox, "readlink /proc/self/ns/" + namespace))
            .startsWith(namespace + ":[")
            .isNotEqualTo(own);
      }
      assertThat(out(sandbox, "tail -n +3 /proc/net/dev | cut -d: -f1").strip()).isEqualTo("lo");
      assertThat(out(sandbox, "grep CapEff /proc/self/status")).endsWith("0000000000000000");
      assertThat(out(sandbox, "hostname")).isEqualTo("sandbox");
      assertThat(out(sandbox, "ls -d /proc/[0-9]* | wc -l")).hasSize(1);
    }
  }

  @Test
  void theNetworkIsThereIfAskedFor() throws Exception {
    try (Sandbox sandbox = open(spec().withNetwork(true))) {
      assertThat(out(sandbox, "readlink /proc/self/ns/net"))
          .isEqualTo(Files.readSymbolicLink(Path.of("/proc/self/ns/net")).toString());
    }
  }

  @Test
  void whatIsMountedCanBeReadButNotWritten() throws Exception {
    Files.writeString(elsewhere.resolve("data"), "data");
    try (Sandbox sandbox = open(spec().withMounts(List.of(elsewhere)))) {
      String data = elsewhere.resolve("data").toString();
      assertThat(sandbox.readFile(data)).asString().isEqualTo("data");
      assertThat(reason(() -> sandbox.writeFile(data, new byte[1]))).isEqualTo(Reason.PERMISSION);
    }
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> open(spec().withMounts(List.of(elsewhere.resolve("none")))))
        .withMessageContaining("none, which does not exist on this machine");
  }

  @Test
  void whatACommandLeavesBehindEndsWithIt() throws Exception {
    try (Sandbox sandbox = open()) {
      out(sandbox, "(setsid sh -c 'while :; do echo x >> ticks; sleep 0.01; done' &); sleep 0.1");
      String ticks = out(sandbox, "wc -c < ticks");
      assertThat(Integer.parseInt(ticks)).isPositive();
      assertThat(out(sandbox, "sleep 0.1; wc -c < ticks")).isEqualTo(ticks);
    }
  }

  /** A process that is to die with its parent dies with the thread that started it. */
  @Test
  void aCommandOutlivesTheThreadThatAskedForIt() throws Exception {
    SandboxFolder folder = SandboxFolder.create(parent);
    var bubblewrap =
        new BubblewrapEnclosure(
            spec(), Path.of("/usr/bin/bwrap"), folder, Map.of("PATH", path()), "x.");
    List<String> command = List.of("sh", "-c", "echo > /tmp/begun; sleep 0.5; echo lives");
    Launch launch = bubblewrap.launch(command, Map.of(), Optional.empty());
    var started = new Completion<RunningProcess>(TIME, "the process");
    Thread shortLived =
        Thread.ofPlatform().start(() -> started.completeWith(() -> begun(launch, folder)));
    shortLived.join();
    try (RunningProcess process = started.await()) {
      assertThat(process.await(Duration.ofSeconds(30))).isTrue();
      assertThat(process.output().text()).isEqualTo("lives\n");
    }
    folder.delete();
  }

  private static RunningProcess begun(Launch launch, SandboxFolder folder) throws Exception {
    var process = RunningProcess.start(launch, new byte[0], folder.folder(), 100, TIME);
    while (!Files.exists(folder.temporary().resolve("begun"))) {
      TIME.sleep(Duration.ofMillis(5));
    }
    return process;
  }
}
