package dev.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.eval.option.Options;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** {@code --show-config}: every option, its value and where that is from; never a credential. */
class ConfigTableTest {

  private static final String KEY = "sk-proj-0123456789abcdef";

  @TempDir Path directory;

  private final Map<String, String> environment = new HashMap<>();

  private Path task(String more) throws Exception {
    return Files.writeString(
        directory.resolve("task.yaml"),
        """
        task: small
        dataset: [{id: a, input: Hello, target: x}]
        solver: generate
        scorer: includes
        """
            + more);
  }

  private JsonNode shown(Object... words) throws Exception {
    Object[] all = new Object[words.length + 3];
    all[0] = "eval";
    all[1] = "--show-config";
    all[2] = "--json";
    System.arraycopy(words, 0, all, 3, words.length);
    Spoken said = Spoken.of(environment, all);
    assertThat(said.code()).as(said.err()).isZero();
    return said.json().get("options");
  }

  @Test
  void eachValueIsToldWithItsOrigin() throws Exception {
    environment.put("WEIR_TIME_LIMIT", "90");
    Path task = task("model: sim/demo\nepochs: 3\n");
    JsonNode options = shown(task, "--limit", "5");
    assertOrigin(options, "limit", "5", "--limit");
    assertOrigin(options, "time_limit", "90", "WEIR_TIME_LIMIT");
    assertThat(options.get("epochs").get("value").asString()).isEqualTo("3");
    assertThat(options.get("epochs").get("origin").asString())
        .contains("task.yaml", "line 6")
        .contains("`epochs`");
    assertOrigin(options, "log_dir", "./logs", "default");
    assertOrigin(options, "retry_on_error", "0", "default");
    assertThat(directory.resolve("logs")).doesNotExist();
  }

  private static void assertOrigin(JsonNode options, String key, String value, String origin) {
    assertThat(options.get(key).get("value").asString()).isEqualTo(value);
    assertThat(options.get(key).get("origin").asString()).isEqualTo(origin);
  }

  /** What runs is told, not what was asked for and does not hold. */
  @Test
  void aFixedWindowWinsOverTheModeThatWasGiven() throws Exception {
    Path task = task("model: sim/demo\n");
    Object[] aimd = {task, "--concurrency-mode", "aimd"};
    assertOrigin(shown(aimd), "concurrency_mode", "aimd", "--concurrency-mode");
    assertOrigin(
        shown(task, "--concurrency-mode", "aimd", "--max-connections", "12"),
        "concurrency_mode",
        "static",
        "--max-connections, which fixes the window; --concurrency-mode says aimd");
    environment.put("WEIR_ADAPTIVE_CONNECTIONS", "false");
    assertOrigin(
        shown(aimd),
        "concurrency_mode",
        "static",
        "WEIR_ADAPTIVE_CONNECTIONS, which fixes the window; --concurrency-mode says aimd");
  }

  /** A word in the environment is looked at as the same word on the command line is. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
"""
epochs-reducer | midle        | unknown reducer 'midle'; did you mean 'mode'?
          prices         | /none.json   | there is no price file /none.json
          rehearse       | openai-tier1 | there is no profile 'openai-tier1'; did you mean 'openai-tier-1'?
          threshold      | acuracy=1    | there is no metric 'acuracy'; did you mean 'accuracy'?
          dry-run        | maybe        | true or false
""")
  void whatARunWouldRefuseIsRefused(String option, String word, String problem) throws Exception {
    Path task = task("model: sim/demo\n");
    Spoken given =
        Spoken.of(environment, "eval", task, "--show-config", "--" + option + "=" + word);
    assertThat(given.code()).isEqualTo(ExitCode.USAGE);
    assertThat(given.err()).contains(problem);
    String variable = "WEIR_" + option.toUpperCase(Locale.ROOT).replace('-', '_');
    environment.put(variable, word);
    Spoken said = Spoken.of(environment, "eval", task, "--show-config");
    assertThat(said.code()).isEqualTo(ExitCode.USAGE);
    assertThat(said.err()).contains(variable, problem);
  }

  /** What is left out of a range is shown as it holds. */
  @ParameterizedTest
  @CsvSource({
    "true, 4-20-200",
    "30, 4-20-30",
    "3, 3-3-3",
    "4-80, 4-20-80",
    "30-80, 30-30-80",
    "4-40-80, 4-40-80"
  })
  void anAdaptiveWindowHasItsNumbers(String given, String shown) throws Exception {
    Path task = task("model: sim/demo\n");
    assertOrigin(
        shown(task, "--adaptive-connections", given),
        "adaptive_connections",
        shown,
        "--adaptive-connections");
  }

  @Test
  void pairsTellAllTheirOrigins() throws Exception {
    environment.put("WEIR_METADATA", "team=blue");
    Path task = task("model: sim/demo\nmetadata: {team: red, area: north}\n");
    JsonNode metadata = shown(task, "--metadata", "run=7").get("metadata");
    assertThat(metadata.get("value").asString())
        .contains("run", "7", "team", "blue", "area", "north")
        .doesNotContain("red");
    assertThat(metadata.get("origin").asString())
        .contains("--metadata", "WEIR_METADATA", "task.yaml");
  }

  @Test
  void whatIsGivenTwiceIsRefusedAndNotDroppedSilently() throws Exception {
    Object[] words = {"eval", task("model: sim/demo\n"), "--show-config", "--model", "mock/a"};
    Spoken said = Spoken.of(environment, with(words, "--model", "mock/b"));
    assertThat(said.code()).isEqualTo(ExitCode.USAGE);
    assertThat(said.err())
        .contains("--model is given twice, as 'mock/a' and as 'mock/b'; give it once, with commas");
    assertThat(Spoken.of(environment, with(words, "--model", "mock/a")).code()).isZero();
    assertThat(Spoken.of(environment, with(words, "-M", "a=1", "-M", "b=2")).code()).isZero();
  }

  private static Object[] with(Object[] words, Object... more) {
    return Stream.concat(Stream.of(words), Stream.of(more)).toArray();
  }

  @Test
  void theTableForPeopleHasEveryOption() throws Exception {
    Spoken said = Spoken.of(environment, "eval", task("model: sim/demo\n"), "--show-config");
    assertThat(said.out()).startsWith("small: 1 sample\n");
    for (var option : Options.all()) {
      assertThat(said.out()).containsPattern("(?m)^  " + option.key() + " ");
    }
    environment.put("WEIR_SHOW_CONFIG", "yes");
    assertThat(Spoken.of(environment, "eval", task("model: sim/demo\n")).out())
        .isEqualTo(said.out());
  }

  @Test
  void defaultsAreThoseOfTheDescriptions() throws Exception {
    JsonNode options = shown(task("model: sim/demo\n"));
    assertOrigin(options, "max_tasks", "10", "default");
    assertOrigin(options, "epochs_reducer", "mean", "default");
    assertOrigin(options, "fail_on_error", "true", "default");
    assertOrigin(options, "log_level", "warning", "default");
  }

  @Test
  void defaultsAreThoseOfTheModeThatHolds() throws Exception {
    Path task = task("model: sim/demo\n");
    JsonNode paced = shown(task);
    assertOrigin(paced, "concurrency_mode", "pace", "default");
    assertOrigin(paced, "request_backoff", "1s", "default");
    assertThat(paced.get("max_retries").get("value").isNull()).isTrue();
    assertThat(paced.get("max_retries").get("note").asString()).isEqualTo("no limit");
    assertThat(paced.get("epochs").get("value").isNumber()).isTrue();
    assertThat(paced.get("retry_5xx").get("value").isBoolean()).isTrue();
    JsonNode fixed = shown(task, "--max-connections", "5");
    assertOrigin(fixed, "concurrency_mode", "static", "default");
    assertOrigin(fixed, "request_backoff", "3s", "default");
    JsonNode halving = shown(task, "--concurrency-mode", "halving");
    assertOrigin(halving, "max_retries", "3", "default");
    assertOrigin(halving, "queue_timeout", "300s", "default");
    assertOrigin(halving, "retry_5xx", "false", "default");
    assertOrigin(halving, "min_concurrency", "1", "default");
    assertOrigin(shown(task, "--concurrency-mode", "aimd"), "min_concurrency", "4", "default");
  }

  @Test
  void aModelThatNobodyLimitsHasNoPace() throws Exception {
    Path task = task("model: mock/echo\n");
    JsonNode free = shown(task);
    assertOrigin(free, "concurrency_mode", "static", "default");
    assertOrigin(free, "max_connections", "2000", "default");
    assertOrigin(shown(task, "--rpm", "60"), "concurrency_mode", "pace", "default");
    JsonNode both = shown(task, "--model", "mock/echo,sim/demo");
    assertThat(both.get("concurrency_mode").get("note").asString())
        .isEqualTo("static for mock/echo, pace for sim/demo");
    assertOrigin(both, "max_connections", "2000", "default");
  }

  @Test
  void howRunsAreShownIsToldToo() throws Exception {
    environment.put("WEIR_DISPLAY", "plain");
    JsonNode options = shown(task("model: sim/demo\n"));
    assertOrigin(options, "json", "true", "--json");
    assertOrigin(options, "display", "plain", "WEIR_DISPLAY");
    assertThat(options.get("junit").get("value").isNull()).isTrue();
  }

  @Test
  void credentialsAreHiddenWhereverTheyAreFrom() throws Exception {
    environment.put("OPENAI_API_KEY", KEY);
    environment.put("OTHER_KEY", "0123-other-key-4567");
    Path task =
        task(
            """
            model: openai/gpt-4o
            extra_body: {user: "${OTHER_KEY}", nested: {api_key: "unknown-to-all"}}
            metadata: {note: "my key is ${OPENAI_API_KEY}"}
            """);
    Object[] words = {
      "eval",
      task,
      "--show-config",
      "--model-base-url",
      "https://me:pass%20word@example.org/v1",
      "-M",
      "api_key=given-by-hand"
    };
    for (Spoken said :
        new Spoken[] {
          Spoken.of(environment, words), Spoken.of(environment, with(words, "--json"))
        }) {
      assertThat(said.code()).as(said.err()).isZero();
      assertThat(said.out())
          .contains("extra_body", "example.org/v1", "my key is …")
          .doesNotContain(KEY)
          .doesNotContain("0123-other-key-4567")
          .doesNotContain("unknown-to-all")
          .doesNotContain("pass%20word")
          .doesNotContain("given-by-hand");
    }
  }

  private static Object[] with(Object[] words, Object more) {
    Object[] all = Arrays.copyOf(words, words.length + 1);
    all[words.length] = more;
    return all;
  }

  @Test
  void severalTasksAreToldOneByOne() throws Exception {
    Path other = Files.writeString(directory.resolve("other.yaml"), other());
    Spoken said =
        Spoken.of(environment, "eval", task("epochs: 2\n"), other, "--show-config", "--json");
    assertThat(said.json().get(0).get("options").get("epochs").get("value").asString())
        .isEqualTo("2");
    assertThat(said.json().get(1).get("options").get("epochs").get("origin").asString())
        .isEqualTo("default");
  }

  private static String other() {
    return """
    task: other
    dataset: [{id: a, input: Hello, target: x}]
    solver: generate
    scorer: includes
    """;
  }

  @Test
  void aCredentialThatATaskKeepsIsNeitherShownNorInTheLog() throws Exception {
    environment.put("SOME_API_KEY", KEY);
    Path task =
        task("model: sim/demo\nmetadata: {by: \"${SOME_API_KEY}\"}\ntags: \"${SOME_API_KEY}\"\n");
    assertThat(shown(task).toString()).doesNotContain(KEY);
    Path logs = directory.resolve("logs");
    Spoken said = Spoken.of(environment, "eval", task, "--log-dir", logs, "--json");
    assertThat(said.code()).as(said.err()).isZero();
    assertThat(said.out() + said.err()).doesNotContain(KEY);
    try (var files = Files.list(logs)) {
      for (Path log : files.toList()) {
        assertThat(members(log)).contains("\"by\":\"…\"").doesNotContain(KEY);
      }
    }
  }

  /** All that is in a zip file. */
  private static String members(Path zip) throws IOException {
    var all = new StringBuilder();
    try (var members = new ZipFile(zip.toFile())) {
      for (ZipEntry member : Collections.list(members.entries())) {
        try (var in = members.getInputStream(member)) {
          all.append(new String(in.readAllBytes(), StandardCharsets.UTF_8));
        }
      }
    }
    return all.toString();
  }
}
