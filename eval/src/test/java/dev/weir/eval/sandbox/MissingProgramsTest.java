package dev.weir.eval.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.model.ConfigurationException;
import dev.weir.time.Time;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class MissingProgramsTest {

  @TempDir Path parent;
  @TempDir Path bin;

  private Sandboxes sandboxes() {
    return new Sandboxes(
        Time.system(), SandboxCaps.defaults(), Map.of("PATH", bin.toString()), parent, 2);
  }

  @Test
  void aProgramThatIsNotInstalledIsNamed() {
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> sandboxes().check(SandboxSpec.bubblewrap()))
        .withMessageContaining("a bubblewrap sandbox needs the program bwrap, which is not on");
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(
            () ->
                sandboxes().open(SandboxSpec.docker("debian:13"), SandboxSetup.NONE, Waits.IGNORED))
        .withMessageContaining("a docker sandbox needs the program docker, which is not on");
  }

  /** By a stand-in: this machine may allow them. */
  @Test
  void forbiddenNamespacesAreToldAsTheyAre() throws Exception {
    Path program =
        Files.writeString(
            bin.resolve("bwrap"),
            "#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n");
    Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> sandboxes().check(SandboxSpec.bubblewrap()))
        .withMessage(
            "bubblewrap cannot make a sandbox here (exit code 1: bwrap: No permissions to create"
                + " new namespace); if the system forbids it, allow unprivileged user namespaces,"
                + " or choose another type of sandbox");
    try (Stream<Path> left = Files.list(parent)) {
      assertThat(left).isEmpty();
    }
  }
}
