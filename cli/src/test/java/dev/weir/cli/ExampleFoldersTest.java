package dev.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** The examples with files of their own do what they say, and the list of examples is right. */
@Timeout(120)
class ExampleFoldersTest {

  private static final Path ROOT = Path.of(System.getProperty("weir.root"));
  private static final Path EXAMPLES = ROOT.resolve("examples");

  @TempDir Path directory;

  private JsonNode eval(String example, String path) {
    Map<String, String> environment = new HashMap<>();
    environment.put("PATH", path);
    environment.put("WEIR_LOG_DIR", directory.resolve("logs").toString());
    environment.put("WEIR_TRACE_DIR", directory.resolve("traces").toString());
    environment.put("XDG_STATE_HOME", directory.resolve("state").toString());
    Spoken said = Spoken.of(environment, "eval", EXAMPLES.resolve(example), "--json");
    assertThat(said.code()).as(said.out() + said.err()).isZero();
    return said.json();
  }

  private static void assertAllRight(JsonNode result, int samples) {
    assertThat(result.at("/metrics/accuracy").asDouble()).as(result.toString()).isEqualTo(1.0);
    assertThat(result.at("/samples/scored").asInt()).isEqualTo(samples);
  }

  /** Its server is a program in Python. */
  @Test
  @Tag("installed")
  void anAgentAsksAServerOverStdio() {
    assertAllRight(eval("mcp/rivers.yaml", System.getenv("PATH")), 2);
  }

  @Test
  @Tag("installed")
  void anAgentIsShutInByBubblewrap() {
    assertAllRight(eval("sandboxes/bubblewrap.yaml", System.getenv("PATH")), 1);
  }

  /** Not with Docker: with the stand-in beside the example. */
  @Test
  void anAgentWorksInAContainer() throws Exception {
    Path stand = EXAMPLES.resolve("sandboxes/stand-in");
    assertAllRight(eval("sandboxes/docker.yaml", stand + ":" + System.getenv("PATH")), 1);
  }

  @Test
  void samplesComeFromStandardInput() throws Exception {
    String feed = "exec \"$@\" < '%s'".formatted(EXAMPLES.resolve("stdin/quiz.jsonl"));
    try (WeirProcess weir =
        WeirProcess.start(
            directory,
            List.of("sh", "-c", feed, "sh"),
            List.of(),
            Map.of("WEIR_LOG_DIR", directory.resolve("logs").toString()),
            List.of(
                "eval",
                EXAMPLES.resolve("stdin/quiz.yaml").toString(),
                "--model",
                "sim/right:accuracy=1"))) {
      assertThat(weir.process().waitFor()).as(Files.readString(weir.said())).isZero();
      assertThat(Files.readString(weir.said())).contains("quiz  sim/right", "1.000", "3        0");
    }
  }

  private static Set<String> found(String pattern, String text) {
    Set<String> found = new TreeSet<>();
    for (Matcher matcher = Pattern.compile(pattern).matcher(text); matcher.find(); ) {
      found.add(matcher.group(1));
    }
    return found;
  }

  @Test
  void theListNamesEveryExampleAndEachIsThereAndRunByATest() throws Exception {
    String list = Files.readString(EXAMPLES.resolve("README.md"));
    Set<String> named = found("\\]\\(([^)]+)\\)", list);
    assertThat(named).isNotEmpty().allMatch(name -> Files.exists(EXAMPLES.resolve(name)));
    Set<String> tests;
    try (Stream<Path> files = Files.walk(ROOT)) {
      tests =
          files
              .map(file -> String.valueOf(file.getFileName()))
              .filter(name -> name.endsWith("Test.java"))
              .map(name -> name.replace(".java", ""))
              .collect(Collectors.toSet());
    }
    assertThat(tests).containsAll(found("`(\\w+Test)`", list));
    try (Stream<Path> files = Files.walk(EXAMPLES, 2)) {
      List<String> tasks =
          files
              .filter(file -> file.toString().endsWith(".yaml"))
              .filter(file -> !file.startsWith(EXAMPLES.resolve("promptfoo")))
              .filter(ExampleFoldersTest::isTask)
              .map(file -> EXAMPLES.relativize(file).toString())
              .toList();
      assertThat(named).containsAll(tasks);
    }
  }

  private static boolean isTask(Path file) {
    try (Stream<String> lines = Files.lines(file)) {
      return lines.anyMatch(line -> line.startsWith("task:"));
    } catch (java.io.IOException unreadable) {
      throw new java.io.UncheckedIOException(unreadable);
    }
  }
}
