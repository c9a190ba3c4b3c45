package dev.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.eval.option.Option;
import dev.weir.eval.option.Options;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UnknownVariablesTest {

  @Test
  void aMisspeltVariableIsToldWithTheNearestButNotItsValue() throws Exception {
    Spoken said =
        Spoken.of(
            Map.of("WEIR_MAX_CONECTIONS", "secret-7"),
            "eval",
            Path.of(System.getProperty("weir.root", "..")).resolve("examples/capitals.yaml"),
            "--show-config");
    assertThat(said.code()).isZero();
    assertThat(said.err())
        .contains(
            "weir: the variable WEIR_MAX_CONECTIONS sets nothing; did you mean"
                + " WEIR_MAX_CONNECTIONS?")
        .doesNotContain("secret-7");
  }

  @Test
  void variablesOfPromptfooHaveNoEffectOnOtherTasks(@TempDir Path directory) {
    Map<String, String> environment =
        Map.of(
            "PROMPTFOO_DELAY_MS",
            "1000",
            "PROMPTFOO_RETRY_5XX",
            "true",
            "HOME",
            directory.toString(),
            "WEIR_LOG_DIR",
            directory.toString());
    Spoken said =
        Spoken.of(
            environment,
            "eval",
            Path.of(System.getProperty("weir.root", "..")).resolve("examples/capitals.yaml"),
            "--limit=1");
    assertThat(said.code()).as(said.err()).isZero();
    assertThat(said.err())
        .contains(
            "PROMPTFOO_DELAY_MS has no effect on capitals: it applies to configurations of"
                + " promptfoo; use WEIR_DELAY",
            "use WEIR_RETRY_5XX");
  }

  @Test
  void oneThatIsLikeNoOtherIsToldAsWell() {
    assertThat(UnknownVariables.in(Map.of("WEIR_XYZZY_PLUGH", "1")))
        .containsExactly(
            "the variable WEIR_XYZZY_PLUGH sets nothing; weir eval --help lists what can be set");
  }

  @Test
  void optionsAndVariablesOfOthersAreSilent() {
    Map<String, String> environment = new HashMap<>(Map.of("PATH", "/bin", "WEIRD", "x"));
    environment.put("WEIR_SIMULATE_RPM", "5");
    Options.all().stream().map(Option::variable).forEach(name -> environment.put(name, "x"));
    assertThat(UnknownVariables.in(environment)).isEmpty();
  }

  /** What the sources of this program speak of must not be told as unknown. */
  @Test
  void variablesThatTheProgramReadsAreKnown() throws IOException {
    Path root = Path.of(System.getProperty("weir.root", "..")).toAbsolutePath().normalize();
    Set<String> named = new TreeSet<>();
    for (String module : new String[] {"cli", "eval", "model", "providers", "log"}) {
      try (Stream<Path> files = Files.walk(root.resolve(module).resolve("src/main"))) {
        for (Path file : files.filter(path -> path.toString().endsWith(".java")).toList()) {
          collect(Files.readString(file), named);
        }
      }
    }
    collect(Files.readString(root.resolve("weir")), named);
    assertThat(named).contains("WEIR_CLASSPATH", "WEIR_TRACE_DIR", "WEIR_JSON");
    Map<String, String> environment = new HashMap<>();
    named.forEach(name -> environment.put(name, "x"));
    assertThat(UnknownVariables.in(environment)).isEmpty();
  }

  private static void collect(String text, Set<String> named) {
    Pattern.compile("\\bWEIR_[A-Z_]*[A-Z]\\b")
        .matcher(text)
        .results()
        .forEach(m -> named.add(m.group()));
  }
}
