package dev.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The script that starts Weir, on builds whose jar is empty, without sources. */
class LauncherTest {

  /** More than any process has. */
  private static final String NOBODY = "run.99999999";

  @TempDir Path root;

  @BeforeEach
  void setUp() throws IOException {
    Path script = Path.of(System.getProperty("weir.root")).resolve("weir");
    Files.copy(script, root.resolve("weir"), StandardCopyOption.COPY_ATTRIBUTES);
    for (String build : List.of("20260101-000000-1", "20260102-000000-2")) {
      Files.createDirectories(root.resolve(".weir").resolve(build));
      Files.createFile(root.resolve(".weir").resolve(build).resolve("weir.jar"));
      Files.createFile(root.resolve(".weir").resolve(build).resolve(NOBODY));
    }
    Files.writeString(root.resolve(".weir/current"), "20260102-000000-2\n");
  }

  /** Its number; Java finds nothing in the jar. */
  private long run(String command) throws Exception {
    var builder = new ProcessBuilder("sh", root.resolve("weir").toString(), command);
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    builder.redirectErrorStream(true).redirectOutput(root.resolve("said").toFile());
    Process process = builder.start();
    assertThat(process.waitFor()).isEqualTo(1);
    assertThat(root.resolve("said")).content().contains("jar");
    return process.pid();
  }

  private Set<String> files() throws IOException {
    try (Stream<Path> found = Files.walk(root.resolve(".weir"))) {
      Set<String> names = new TreeSet<>();
      found
          .filter(file -> file.getFileName().toString().startsWith("run."))
          .forEach(file -> names.add(root.resolve(".weir").relativize(file).toString()));
      return names;
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"eval", "eval-retry", "eval-set", "select", "score", "simulate"})
  void filesOfRunsThatHaveEndedAreRemoved(String command) throws Exception {
    String ours = "20260101-000000-1/run." + ProcessHandle.current().pid();
    Files.createFile(root.resolve(".weir").resolve(ours));
    long pid = run(command);
    assertThat(files()).containsExactlyInAnyOrder(ours, "20260102-000000-2/run." + pid);
  }

  @Test
  void shortCommandsLeaveThemAlone() throws Exception {
    var _ = run("providers");
    assertThat(files())
        .containsExactlyInAnyOrder("20260101-000000-1/" + NOBODY, "20260102-000000-2/" + NOBODY);
  }
}
