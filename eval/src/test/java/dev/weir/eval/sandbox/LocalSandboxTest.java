package dev.weir.eval.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.weir.eval.sandbox.SandboxFileException.Reason;
import dev.weir.model.ConfigurationException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LocalSandboxTest extends SandboxContract {

  @Override
  SandboxSpec spec() {
    return SandboxSpec.local();
  }

  @Test
  void theEnvironmentIsItsOwn() throws Exception {
    try (Sandbox sandbox = open()) {
      assertThat(sandbox.exec(ExecRequest.of("env")).stdout().lines())
          .contains("HOME=" + sandbox.workingDirectory(), "LANG=C.UTF-8", "PATH=" + path())
          .map(line -> line.substring(0, line.indexOf('=')))
          .containsExactlyInAnyOrder(
              // PWD is the shell's.
              "HOME", "LANG", "PATH", "TMPDIR", "WEIR_SANDBOX", "PWD");
      assertThat(sandbox.exec(shell("f=$(mktemp) && echo $f")).stdout())
          .startsWith(parent.toRealPath().toString());
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "../secret",
        "a/../../secret",
        "/etc/passwd",
        "link/secret",
        "file-link",
        "link/new/file",
        "/",
        ".."
      })
  void pathsThatLeadOutAreRefused(String path) throws Exception {
    Files.writeString(elsewhere.resolve("secret"), "secret");
    try (Sandbox sandbox = open()) {
      Path root = Path.of(sandbox.workingDirectory());
      Files.createSymbolicLink(root.resolve("link"), elsewhere);
      Files.createSymbolicLink(root.resolve("file-link"), elsewhere.resolve("secret"));
      assertThat(reason(() -> sandbox.readFile(path))).isEqualTo(Reason.OUTSIDE);
      assertThat(reason(() -> sandbox.writeFile(path, new byte[1]))).isEqualTo(Reason.OUTSIDE);
    }
    assertThat(elsewhere.resolve("secret")).hasContent("secret");
    assertThat(elsewhere.resolve("new")).doesNotExist();
  }

  @Test
  void aLinkToNothingIsNotWrittenThrough() throws Exception {
    try (Sandbox sandbox = open()) {
      Path link = Path.of(sandbox.workingDirectory(), "link");
      Files.createSymbolicLink(link, elsewhere.resolve("new"));
      assertThat(reason(() -> sandbox.writeFile("link", new byte[1]))).isEqualTo(Reason.NOT_FOUND);
    }
    assertThat(elsewhere.resolve("new")).doesNotExist();
  }

  @Test
  void pathsWithinAreFollowed() throws Exception {
    try (Sandbox sandbox = open()) {
      sandbox.writeFile("a/b", new byte[3]);
      sandbox.exec(shell("ln -s a here; printf tmp > $TMPDIR/x; printf %s $TMPDIR > where"));
      assertThat(sandbox.readFile("here/../here/b")).hasSize(3);
      String temporary = new String(sandbox.readFile("where"), StandardCharsets.UTF_8);
      assertThat(sandbox.readFile(temporary + "/x")).hasSize(3);
    }
  }

  @Test
  void processesHaveTheLimitsOfTheSpec() throws Exception {
    var limits =
        new ProcessLimits(
            Optional.of(50),
            Optional.of(Duration.ofMillis(6_500)),
            Optional.of(512L << 20),
            Optional.of(1L << 20));
    try (Sandbox sandbox = open(spec().withLimits(limits))) {
      String[] told =
          sandbox
              .exec(ExecRequest.of("bash", "-c", "ulimit -t; ulimit -v; ulimit -f; ulimit -u"))
              .stdout()
              .split("\n", -1);
      assertThat(told[0]).as("seconds").isEqualTo("7");
      assertThat(told[1]).as("KiB").isEqualTo("524288");
      assertThat(told[2]).as("KiB").isEqualTo("1024");
      assertThat(Integer.parseInt(told[3])).as("processes").isBetween(51, 50 + 100_000);
      ExecResult large = sandbox.exec(shell("head -c 2000000 /dev/zero > large; wc -c < large"));
      assertThat(large.stdout().strip()).isEqualTo("1048576");
    }
  }

  @Test
  void cpuTimeHasAnEnd() throws Exception {
    var limits =
        new ProcessLimits(
            Optional.empty(),
            Optional.of(Duration.ofSeconds(1)),
            Optional.empty(),
            Optional.empty());
    try (Sandbox sandbox = open(spec().withLimits(limits))) {
      ExecResult result = sandbox.exec(shell("while :; do :; done"));
      assertThat(result.exitCode()).isEqualTo(137);
      assertThat(result.timedOut()).isFalse();
    }
  }

  @Test
  void thereAreNoOtherUsers() throws Exception {
    try (Sandbox sandbox = open()) {
      assertThatExceptionOfType(ConfigurationException.class)
          .isThrownBy(() -> sandbox.exec(shell("id").withUser("nobody")))
          .withMessageContaining("a local sandbox cannot run a command as another user");
    }
  }

  @Test
  void whatAProgramHasLockedIsRemovedAllTheSame() throws Exception {
    try (Sandbox sandbox = open()) {
      sandbox.exec(shell("mkdir -p a/b && echo x > a/b/c && chmod 000 a/b/c a/b a"));
    }
  }

  @Test
  void aProcessMayOutliveItsCommandButNotTheSandbox() throws Exception {
    try (Sandbox sandbox = open()) {
      sandbox.exec(shell("(while [ ! -e stop ]; do sleep 0.01; done; echo > stopped) &"));
      sandbox.writeFile("stop", new byte[0]);
      while (!sandbox.exec(shell("test -e stopped")).success()) {
        TIME.sleep(Duration.ofMillis(5));
      }
    }
  }

  @Test
  void theMarkCannotBeGivenAway() throws Exception {
    try (Sandbox sandbox = open()) {
      String mark =
          sandbox
              .exec(shell("echo $WEIR_SANDBOX").withEnvironment(Map.of("WEIR_SANDBOX", "other")))
              .stdout();
      assertThat(mark).matches("[0-9a-f]{16}\\.1\\.\n");
    }
  }

  @Test
  void closingAllClosesThoseThatAreOpenAndOpensNoMore() throws Exception {
    Sandbox one = open();
    Sandbox other = open();
    sandboxes().close();
    assertThat(Path.of(one.workingDirectory())).doesNotExist();
    assertThat(Path.of(other.workingDirectory())).doesNotExist();
    assertThatIllegalStateException()
        .isThrownBy(this::open)
        .withMessageContaining("cannot open a sandbox");
  }
}
