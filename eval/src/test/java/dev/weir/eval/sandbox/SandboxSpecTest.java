package dev.weir.eval.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.weir.model.ConfigurationException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SandboxSpecTest {

  private static SandboxSpec read(String type, Map<String, String> options) {
    return SandboxSpec.of(type, options, Map.of());
  }

  @Test
  void aTypeAloneHasTheDefaults() {
    assertThat(read("local", Map.of())).isEqualTo(SandboxSpec.local());
    assertThat(read("bubblewrap", Map.of())).isEqualTo(SandboxSpec.bubblewrap());
    assertThat(read("docker:python:3.13", Map.of())).isEqualTo(SandboxSpec.docker("python:3.13"));
    assertThat(SandboxSpec.local().network()).isTrue();
    assertThat(SandboxSpec.docker("x").network()).isFalse();
    assertThat(SandboxSpec.local().outputLimit()).isEqualTo(10 * 1024 * 1024);
  }

  @Test
  void everyOptionIsRead() {
    SandboxSpec docker =
        SandboxSpec.of(
            "docker",
            Map.of(
                "image", "debian:13",
                "network", "true",
                "processes", "64",
                "cpu_time", "1.5m",
                "memory", "512MB",
                "file_size", "2G",
                "cpus", "1.5",
                "output_limit", "64KiB",
                "file_limit", "1000"),
            Map.of("A", "b"));
    assertThat(docker)
        .isEqualTo(
            new SandboxSpec(
                SandboxType.DOCKER,
                "debian:13",
                true,
                new ProcessLimits(
                    Optional.of(64),
                    Optional.of(Duration.ofSeconds(90)),
                    Optional.of(512L << 20),
                    Optional.of(2L << 30)),
                Optional.of(1.5),
                List.of(),
                Map.of("A", "b"),
                65_536,
                1_000));
    assertThat(read("bubblewrap", Map.of("mounts", "/opt/data:/srv")).mounts())
        .containsExactly(Path.of("/opt/data"), Path.of("/srv"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "dokcer | network | true | sandbox 'dokcer' is unknown; did you mean 'docker'?",
        "local | netwrok | true | sandbox `netwrok` is unknown; did you mean 'network'?",
        "local | network | false | `network` cannot be false for a local sandbox",
        "local | network | perhaps | sandbox `network` must be true or false, was 'perhaps'",
        "local | image | x | `image` is only for docker sandboxes, not for local",
        "local | cpus | 2 | `cpus` is only for docker sandboxes, not for local",
        "docker:x | mounts | /a | `mounts` is only for bubblewrap sandboxes, not for docker",
        "docker | cpus | 1 | `image` must name the image of a docker sandbox",
        "docker:x | image | y | sandbox `image` is given twice",
        "docker:--privileged | cpus | 1 | `image` must be a name that does not begin with '-'",
        "docker:x | cpus | 0 | `cpus` must be > 0, was 0.0",
        "docker:x | cpus | NaN | sandbox `cpus` must be a number",
        "docker:x | memory | much | sandbox `memory` must be a size such as",
        "docker:x | memory | 0 | `memory` must be >= 1, was 0",
        "docker:x | memory | 999999999999T | sandbox `memory` must be a size such as",
        "local | processes | 0 | `processes` must be >= 1, was 0",
        "local | cpu_time | soon | sandbox `cpu_time` must be a duration",
        "local | output_limit | 4GB | `output_limit` must be from 1 to 1073741824",
        "bubblewrap | mounts | data | `mounts` must be absolute paths, was data",
      })
  void whatCannotBeIsRefused(String type, String option, String value, String message) {
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> read(type, Map.of(option, value)))
        .withMessageContaining(message);
  }

  @Test
  void valuesOfVariablesAreNotShown() {
    assertThat(SandboxSpec.local().withEnvironment(Map.of("KEY", "secret-1")).toString())
        .contains("KEY")
        .doesNotContain("secret-1");
    assertThat(ExecRequest.of("x").withEnvironment(Map.of("KEY", "secret-1")).toString())
        .contains("KEY")
        .doesNotContain("secret-1");
  }

  @Test
  void aRequestIsSomethingAProcessCanBeGiven() {
    assertThatIllegalArgumentException().isThrownBy(() -> ExecRequest.of());
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ExecRequest.of("echo", "a\0b"))
        .withMessageContaining("zero character");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ExecRequest.of("x").withEnvironment(Map.of("A=B", "c")))
        .withMessageContaining("'A=B'");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ExecRequest.of("x").withTimeout(Duration.ZERO))
        .withMessageContaining("`timeout` must be > 0");
  }

  @Test
  void capsHaveDefaultsOfTheirTypeAndMachine() {
    SandboxCaps caps = SandboxCaps.defaults();
    assertThat(caps.sandboxes(SandboxType.LOCAL, 4)).isEqualTo(Gate.UNLIMITED);
    assertThat(caps.sandboxes(SandboxType.BUBBLEWRAP, 4)).isEqualTo(8);
    assertThat(caps.sandboxes(SandboxType.DOCKER, 4)).isEqualTo(8);
    assertThat(caps.subprocesses(4)).isEqualTo(4);
    var given = new SandboxCaps(Optional.of(3), Optional.of(5));
    assertThat(given.sandboxes(SandboxType.LOCAL, 4)).isEqualTo(3);
    assertThat(given.subprocesses(4)).isEqualTo(5);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new SandboxCaps(Optional.of(0), Optional.empty()))
        .withMessage("`max-sandboxes` must be >= 1, was 0");
  }
}
