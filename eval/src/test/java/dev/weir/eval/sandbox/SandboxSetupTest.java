package dev.weir.eval.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SandboxSetupTest {

  private static final SandboxSpec DOCKER = SandboxSpec.docker("i");

  @TempDir Path directory;

  private static Optional<String> problem(SandboxSpec spec, String... paths) {
    Map<String, SandboxFile> files = new LinkedHashMap<>();
    for (String path : paths) {
      files.put(path, new SandboxFile.Text("x"));
    }
    return problem(spec, files);
  }

  private static Optional<String> problem(SandboxSpec spec, Map<String, SandboxFile> files) {
    return new SandboxSetup(files, Optional.empty(), SandboxSetup.DEFAULT_TIMEOUT).problem(spec);
  }

  @ParameterizedTest
  @ValueSource(strings = {"../x", "a/../../x", "/etc/x", "/tmp/x", ".."})
  void aPathLeadsOutOfALocalSandbox(String path) {
    assertThat(problem(SandboxSpec.local(), path).orElseThrow())
        .isEqualTo(
            "'%s' leads out of the sandbox; give a path below its working directory, such as"
                + " data/input.txt",
            path);
    assertThat(problem(DOCKER, path)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"x", "a/b/x", "./x", "a/../x", "..x"})
  void pathsBelowAreFine(String path) {
    for (SandboxSpec spec :
        new SandboxSpec[] {SandboxSpec.local(), SandboxSpec.bubblewrap(), DOCKER}) {
      assertThat(problem(spec, path)).isEmpty();
    }
  }

  @Test
  void bubblewrapKeepsTwoDirectories() {
    assertThat(problem(SandboxSpec.bubblewrap(), "/workspace/x", "/tmp/x", "../tmp/y")).isEmpty();
    assertThat(problem(SandboxSpec.bubblewrap(), "/data/x").orElseThrow())
        .contains("'/data/x' leads out")
        .contains("not kept");
    assertThat(problem(SandboxSpec.bubblewrap(), "../x")).isPresent();
  }

  @Test
  void filesThatAreInEachOthersWay() {
    assertThat(problem(DOCKER, "a", "a/b"))
        .contains("'a' would have to be a file and, for 'a/b', a directory");
    assertThat(problem(DOCKER, "a/b/c", "./a"))
        .contains("'./a' would have to be a file and, for 'a/b/c', a directory");
    assertThat(problem(DOCKER, "a", "b/../a")).contains("'a' and 'b/../a' are one file");
    assertThat(problem(DOCKER, "a/b", "a/c", "b")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", ".", "a/", "a/.."})
  void onlyADirectoryCanBePutInPlaceOfOne(String path) {
    assertThat(problem(SandboxSpec.local(), path).orElseThrow()).contains("names a directory");
    assertThat(problem(SandboxSpec.local(), Map.of(path, new SandboxFile.Copy(directory))))
        .isEmpty();
  }

  @Test
  void whatIsTooLarge() throws Exception {
    Path file = Files.writeString(directory.resolve("f"), "12345");
    SandboxSpec small = SandboxSpec.local().withFileLimit(4);
    for (SandboxFile large :
        new SandboxFile[] {new SandboxFile.Copy(file), new SandboxFile.Text("12345")}) {
      assertThat(problem(small, Map.of("a", large)))
          .contains("'a' has 5 bytes, more than the limit of 4; `file_limit` sets it");
      assertThat(problem(SandboxSpec.local(), Map.of("a", large))).isEmpty();
    }
  }
}
