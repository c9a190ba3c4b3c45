package dev.weir.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PathSpellingTest {

  @TempDir Path directory;

  @BeforeEach
  void fill() throws Exception {
    Path examples = Files.createDirectories(directory.resolve("examples/deep"));
    for (String name : new String[] {"capitals.yaml", "capitals.csv", "rivers.csv", "a.csv"}) {
      Files.writeString(examples.resolve(name), "");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "examples/deep/capitls.yaml, examples/deep/capitals.yaml",
    "exmples/deep/capitals.yaml, examples/deep/capitals.yaml",
    "exmples/dep/captials.csv, examples/deep/capitals.csv",
    "examples/deep/capitals.yml, examples/deep/capitals.yaml",
    "examples/deep/Rivers, examples/deep/rivers.csv",
    "examples/deep/capitals, examples/deep/capitals.csv",
  })
  void findsTheNearestPath(String missing, String meant) {
    assertThat(PathSpelling.hint(directory.resolve(missing)))
        .isEqualTo("; did you mean '%s'?", directory.resolve(meant));
  }

  @ParameterizedTest
  @CsvSource({
    "examples/deep/mountains.csv",
    "examples/deep/b.csv",
    "examples/deep/capitals.java",
    "elsewhere/deep/capitals.yaml",
    "examples/deep/capitals.yaml/more",
  })
  void saysNothingWhereNoneIsNear(String missing) {
    assertThat(PathSpelling.hint(directory.resolve(missing))).isEmpty();
  }

  @Test
  void pathsStayRelative() {
    // The test runs in the directory of the module.
    assertThat(PathSpelling.hint(Path.of("pmo.xml"))).isEqualTo("; did you mean 'pom.xml'?");
    assertThat(PathSpelling.hint(Path.of("scr", "main"))).contains(Path.of("src", "main") + "'");
  }
}
