package dev.weir.cli;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.eval.option.Option;
import dev.weir.eval.option.Options;
import dev.weir.eval.option.Settings;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;

/**
 * Every option has the same name on the command line, in the environment, in a task file and in the
 * API; the command line wins over the environment, and that over the file.
 */
class PrecedenceTest {

  /** A word that each takes. */
  private static final Map<String, String> WORDS =
      Map.ofEntries(
          entry("model", "sim/demo"),
          entry("model-args", "accuracy=1"),
          entry("model-role", "grader=sim/grader"),
          entry("model-base-url", "http://127.0.0.1:9/v1"),
          entry("cache", "12h"),
          entry("batch", "50"),
          entry("batch-delay", "20s"),
          entry("batch-poll", "30s"),
          entry("prices", prices()),
          entry("limit", "1"),
          entry("sample-id", "a"),
          entry("sample-shuffle", "42"),
          entry("epochs", "2"),
          entry("epochs-reducer", "max"),
          entry("seed", "7"),
          entry("task-args", "word=x"),
          entry("max-samples", "3"),
          entry("max-tasks", "2"),
          entry("max-sandboxes", "4"),
          entry("max-subprocesses", "5"),
          entry("no-validate", "true"),
          entry("time-limit", "90s"),
          entry("working-limit", "80s"),
          entry("message-limit", "10"),
          entry("token-limit", "500k"),
          entry("turn-limit", "6"),
          entry("cost-limit", "0.5"),
          entry("fail-on-error", "0.1"),
          entry("continue-on-fail", "true"),
          entry("retry-on-error", "3"),
          entry("scorer-retries", "4"),
          entry("score-on-error", "true"),
          entry("concurrency-mode", "pace"),
          entry("max-connections", "8"),
          entry("adaptive-connections", "4-20-80"),
          entry("cooldown-seconds", "30"),
          entry("decrease-factor", "0.5"),
          entry("scale-up-percent", "0.1"),
          entry("max-concurrency", "9"),
          entry("rpm", "500"),
          entry("tpm", "20000"),
          entry("delay", "250ms"),
          entry("max-retries", "5"),
          entry("min-concurrency", "2"),
          entry("request-backoff", "2s"),
          entry("retry-5xx", "false"),
          entry("timeout", "60s"),
          entry("attempt-timeout", "30s"),
          entry("queue-timeout", "20s"),
          entry("self-hosted", "true"),
          entry("max-poisoned-attempts", "12"),
          entry("max-outage", "30m"),
          entry("memory", "false"),
          entry("temperature", "0.5"),
          entry("top-p", "0.9"),
          entry("max-tokens", "100"),
          entry("stop-seqs", "END,STOP"),
          entry("reasoning-effort", "low"),
          entry("response-schema", "{\"type\":\"object\"}"),
          entry("extra-body", "{\"user\":\"me\"}"),
          entry("max-cost", "2.5"),
          entry("max-tokens-total", "5m"),
          entry("threshold", "accuracy=0.5"),
          entry("log-dir", "/elsewhere"),
          entry("log-buffer", "8MB"),
          entry("log-level", "info"),
          entry("trace-bodies", "true"),
          entry("metrics-port", "9464"),
          entry("metrics-host", "0.0.0.0"),
          entry("engine-limits", "/limits.yaml"),
          entry("tags", "one,two"),
          entry("metadata", "team=red"));

  private static String prices() {
    try {
      var file = Objects.requireNonNull(PrecedenceTest.class.getResource("/no-prices.json"));
      return Path.of(file.toURI()).toString();
    } catch (URISyntaxException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  /** What some mean only together with others. */
  private static final Map<String, List<String>> COMPANIONS =
      Map.of(
          "queue-timeout", List.of("--concurrency-mode", "halving"),
          "cooldown-seconds", List.of("--adaptive-connections", "true"),
          "decrease-factor", List.of("--adaptive-connections", "true"),
          "scale-up-percent", List.of("--adaptive-connections", "true"));

  @TempDir Path directory;

  static Stream<Option> options() {
    return Options.all().stream();
  }

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

  private JsonNode shown(
      Map<String, String> environment, Path task, String option, String... more) {
    List<Object> words = new ArrayList<>(List.of("eval", task, "--show-config", "--json"));
    words.addAll(Arrays.asList(more));
    Spoken said = Spoken.of(environment, words.toArray());
    assertThat(said.code()).as(said.err()).isZero();
    return said.json().get("options").get(option.replace('-', '_'));
  }

  @ParameterizedTest
  @MethodSource("options")
  void everyOptionIsTakenFromEverySourceUnderItsName(Option option) throws Exception {
    String word = Objects.requireNonNull(WORDS.get(option.name()), option.name());
    assertThat(word).as("a word for the new option " + option.name()).isNotNull();
    String[] companions = COMPANIONS.getOrDefault(option.name(), List.of()).toArray(String[]::new);

    Path plain = task(option.name().equals("task-args") ? "vars: {word: y}\n" : "");
    String[] line = Arrays.copyOf(companions, companions.length + 1);
    line[companions.length] = "--" + option.name() + "=" + word;
    JsonNode fromLine = shown(Map.of(), plain, option.name(), line);
    assertThat(fromLine.get("origin").asString()).isIn("--" + option.name(), "-M", "-T");
    assertValue(option, fromLine, word);

    JsonNode fromVariable =
        shown(Map.of(option.variable(), word), plain, option.name(), companions);
    assertThat(fromVariable.get("origin").asString()).isEqualTo(option.variable());
    assertValue(option, fromVariable, word);

    String inFile = inYaml(option, word);
    if (!option.name().equals("task-args")) {
      Path file = task(option.key() + ": " + inFile + "\n");
      JsonNode fromFile = shown(Map.of(), file, option.name(), companions);
      assertThat(fromFile.get("origin").asString()).contains("task.yaml", "line 5");
      assertValue(option, fromFile, word);
    }

    Settings fromProgram = Settings.NONE;
    for (int i = 0; i < companions.length; i += 2) {
      fromProgram = fromProgram.with(companions[i].substring(2), companions[i + 1]);
    }
    assertThat(fromProgram.with(option.key(), word).word(option.name())).contains(word);
  }

  /** A mapping for pairs, as people write it. */
  private static String inYaml(Option option, String word) {
    return option.merged() ? "{" + word.replace("=", ": ") + "}" : "'" + word + "'";
  }

  private static void assertValue(Option option, JsonNode shown, String word) {
    String value = shown.get("value").asString();
    if (option.merged()) {
      // From a file it is the mapping as JSON.
      assertThat(value.replaceAll("[{}\"]", "").replace(':', '='))
          .isEqualTo(word.replace(':', '='));
    } else {
      assertThat(value).isEqualTo(word);
    }
  }

  @Test
  void wordsAreForOptionsThatExist() {
    assertThat(WORDS.keySet())
        .containsExactlyInAnyOrderElementsOf(options().map(Option::name).toList());
  }

  @ParameterizedTest
  @CsvSource({
    "retry-on-error, 1, 2, 3",
    "fail-on-error, false, 0.5, true",
    "time-limit, 10s, 2m, 1h",
    "delay, 10, 20ms, 1s",
    "epochs, 2, 3, 4",
    "log-dir, /a, /b, /c",
    "cache, 1h, 2h, false",
  })
  void theCommandLineWinsOverTheEnvironmentAndThatOverTheFile(
      String option, String file, String variable, String line) throws Exception {
    Path task = task("%s: %s%n".formatted(option.replace('-', '_'), file));
    Map<String, String> environment = Map.of(Options.named(option).variable(), variable);
    assertThat(shown(Map.of(), task, option).get("value").asString()).isEqualTo(file);
    assertThat(shown(environment, task, option).get("value").asString()).isEqualTo(variable);
    assertThat(
            shown(environment, task, option, "--%s=%s".formatted(option, line))
                .get("value")
                .asString())
        .isEqualTo(line);
  }

  /** What chooses another mode replaces the choice of the sources below it, and says so. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "max_connections: 20 | adaptive-connections | 4-80 | aimd | max-connections",
        "max_connections: 20 | concurrency-mode | halving | halving | max-connections",
        "concurrency_mode: halving | max-connections | 3 | static | concurrency-mode",
        "adaptive_connections: 4-80 | max-connections | 3 | static | adaptive-connections",
        "adaptive_connections: 4-80 | concurrency-mode | halving | halving | adaptive-connections",
        "self_hosted: true | max-connections | 3 | static | self-hosted",
      })
  void aModeChosenAboveReplacesTheChoiceBelow(
      String file, String option, String word, String mode, String replaced) throws Exception {
    Path task = task(file + "\n");
    String given = "--%s=%s".formatted(option, word);
    JsonNode chosen = shown(Map.of(), task, "concurrency-mode", given);
    assertThat(chosen.get("value").asString()).isEqualTo(mode);
    assertThat(shown(Map.of(), task, replaced, given).get("origin").asString())
        .isIn(
            "--" + option,
            "default; %s (%s, line 5, column %d: `%s`) does not apply, because --%s chooses mode %s"
                .formatted(
                    file.substring(file.indexOf(' ') + 1),
                    task,
                    file.indexOf(' ') + 2,
                    Options.named(replaced).key(),
                    option,
                    mode));

    // The environment, too.
    Option below = Options.named(replaced);
    Map<String, String> environment =
        Map.of(below.variable(), file.substring(file.indexOf(' ') + 1));
    assertThat(shown(environment, task(""), "concurrency-mode", given).get("value").asString())
        .isEqualTo(mode);
    Map<String, String> above = Map.of(Options.named(option).variable(), word);
    assertThat(shown(above, task(file + "\n"), "concurrency-mode").get("value").asString())
        .isEqualTo(mode);
  }

  @Test
  void theCurveOfOneModeGivesWayToAnotherModeAndTheRunSaysSo() throws Exception {
    Path task =
        task(
            "model: mock/echo\n"
                + "adaptive_connections: 4-80\n"
                + "cooldown_seconds: 30\n"
                + "decrease_factor: 0.5\n");
    Spoken said =
        Spoken.of(
            Map.of(),
            "eval",
            task,
            "--max-connections",
            "3",
            "--log-dir",
            directory.resolve("logs"),
            "--json");
    assertThat(said.code()).as(said.err()).isZero();
    assertThat(said.json().path("concurrency_mode").asString()).isEqualTo("static");
    assertThat(said.err())
        .contains(
            "30 (%s, line 7, column 19: `cooldown_seconds`) does not apply, because --max-connections chooses mode static"
                .formatted(task))
        .contains("4-80 (", "0.5 (");
  }

  @Test
  void anOptionWithoutItsValueWinsToo() throws Exception {
    Path task = task("retry_on_error: 5\n");
    assertThat(shown(Map.of(), task, "retry-on-error", "--retry-on-error").get("value").asString())
        .isEqualTo("1");
  }

  @Test
  void pairsAddUpKeyByKeyInTheSameOrder() throws Exception {
    Path task = task("metadata: {a: file, b: file, c: file}\n");
    String value =
        shown(
                Map.of("WEIR_METADATA", "a=variable,b=variable"),
                task,
                "metadata",
                "--metadata",
                "a=line")
            .get("value")
            .asString();
    assertThat(value.replaceAll("[{}\"]", "").replace(':', '=').split(","))
        .containsExactlyInAnyOrder("a=line", "b=variable", "c=file");
  }
}
