package dev.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.BufferedReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** {@code --dry-run} and {@code --rehearse}: what they foretell, and that they do nothing else. */
@Timeout(120)
class RehearsalTest {

  private static final Path EXAMPLES = Path.of(System.getProperty("weir.root"), "examples");
  private static final Path CAPITALS = EXAMPLES.resolve("capitals.yaml");

  @TempDir Path directory;

  // No credential for anybody, and nobody listens there.
  private final Map<String, String> environment =
      new HashMap<>(
          Map.of("OPENAI_BASE_URL", "http://127.0.0.1:9/v1", "SIMULATOR", "http://127.0.0.1:9"));

  private Spoken weir(Object... words) {
    environment.put("WEIR_LOG_DIR", directory.resolve("logs").toString());
    environment.put("XDG_CACHE_HOME", directory.resolve("cache").toString());
    environment.put("XDG_STATE_HOME", directory.resolve("state").toString());
    environment.put("HOME", directory.resolve("home").toString());
    return Spoken.of(environment, words);
  }

  private Path task(String text) throws Exception {
    return Files.writeString(directory.resolve("task.yaml"), text);
  }

  private Path many(int samples) throws Exception {
    Files.writeString(
        directory.resolve("many.csv"),
        IntStream.range(0, samples)
            .mapToObj(i -> "s%d,What is %d?,%d\n".formatted(i, i, i))
            .collect(Collectors.joining("", "id,input,target\n", "")));
    return task("task: many\ndataset: many.csv\nsolver: generate\nscorer: includes\n");
  }

  /** What the run would refuse is not foretold to go well. */
  @Test
  void argumentsThatTheModelDoesNotHaveAreRefused() throws Exception {
    Spoken said =
        weir("eval", CAPITALS, "--model", "openai/gpt-4o", "--dry-run", "-M", "replies=r.yaml");
    assertThat(said.code()).isEqualTo(2);
    assertThat(said.err()).contains("model 'openai/gpt-4o' has no argument 'replies'");
  }

  /** Arguments of a task are for its own models, and those of the same provider. */
  @Test
  void argumentsOfATaskAreForItsOwnProvider() throws Exception {
    Path task =
        task(
            """
            task: own
            dataset: [{input: a, target: a}]
            solver: generate
            scorer: includes
            model: mock/any
            model_args: {text: a}
            """);
    assertThat(weir("eval", task, "--model", "openai/gpt-4o", "--dry-run").err()).isEmpty();
    assertThat(config(task, "openai/gpt-4o").isNull()).isTrue();
    assertThat(config(task, "mock/other").asString()).contains("text");
    assertThat(config(task, "openai/gpt-4o,mock/other").asString()).contains("text");
  }

  private JsonNode config(Path task, String model) {
    JsonNode shown = weir("eval", task, "--model", model, "--show-config", "--json").json();
    return shown.get("options").get("model_args").get("value");
  }

  @Test
  void tellsSamplesCallsTokensPriceAndTimeWithoutAnyCredential() {
    Spoken said = weir("eval", CAPITALS, "--model", "openai/gpt-4o-mini", "--dry-run");
    assertThat(said.code()).as(said.err()).isZero();
    assertThat(said.out())
        .contains("Dry run. Nothing was sent.", "capitals on openai/gpt-4o-mini")
        .contains("samples     50", "calls       50", "tokens      889 in, 12,500 out")
        // 889 × $0.15 and 12,500 × $0.60 per million
        .contains("price       $0.0076")
        .containsPattern("time        \\d+\\.\\d s, without limits")
        .doesNotContain("refusals");
    assertThat(said.err()).isEmpty();
  }

  @Test
  void limitsOfAnEngineThatIsNoProviderAreAWarning() {
    environment.put("WEIR_MODEL_ENGINE_LIMITS", "{\"antropic\": {\"claude-2.0\": 5}}");
    Spoken said = weir("eval", CAPITALS, "--model", "anthropic/claude-2.0", "--dry-run");
    assertThat(said.code()).isZero();
    assertThat(said.err())
        .contains("weir: engine limits name 'antropic'", "did you mean 'anthropic'?");
  }

  @Test
  void declaresWhatWasReplaced() {
    assertThat(weir("eval", CAPITALS, "--dry-run").out())
        .contains("Replaced: models: simulated")
        .contains("Replaced: tools and sandboxes: not run")
        .contains("Replaced: log, trace and cache: not there")
        .contains("Replaced: clock and display: virtual time and this report")
        .contains("Not replaced: solvers and scorers; your own code was executed.");
  }

  @Test
  void aPriceThatNobodyKnowsIsTold() {
    assertThat(weir("eval", CAPITALS, "--model", "openai/no-such-model", "--dry-run").out())
        .contains("price       unknown; give prices with --prices");
    assertThat(weir("eval", CAPITALS, "--model", "openai/gpt-4o,openai/no-such", "--dry-run").out())
        .contains("all of it\n  calls       100\n  price       at least $0.1");
  }

  @Test
  void batchesCostTheirOwnPrice() {
    String live = price(weir("eval", CAPITALS, "--model", "openai/gpt-4o", "--dry-run"));
    Spoken batched = weir("eval", CAPITALS, "--model", "openai/gpt-4o", "--dry-run", "--batch");
    assertThat(Double.parseDouble(price(batched)))
        .isCloseTo(Double.parseDouble(live) / 2, within(0.0001));
    assertThat(batched.out()).contains("but batches take up to a day");
  }

  private static String price(Spoken said) {
    return said.out()
        .lines()
        .filter(line -> line.startsWith("  price"))
        .findFirst()
        .orElseThrow()
        .replaceAll(".*\\$", "");
  }

  @Test
  void aNameThatLeadsNowhereIsToldAsInEarnest() {
    Spoken said = weir("eval", CAPITALS, "--model", "opnai/gpt-4o", "--dry-run");
    assertThat(said.code()).isEqualTo(ExitCode.USAGE);
    assertThat(said.err()).contains("did you mean 'openai'?");
    assertThat(weir("eval", CAPITALS, "--rehearse", "openai-tier-9").err())
        .contains("there is no profile 'openai-tier-9'; did you mean 'openai-tier-");
  }

  @Test
  void nothingIsWrittenAndNoToolIsRun() throws Exception {
    Path touched = directory.resolve("touched");
    Path java = directory.resolve("Careless.java");
    Files.writeString(
        java,
        """
        import dev.weir.eval.dataset.Sample;
        import dev.weir.eval.sample.ToolSource;
        import dev.weir.eval.scorer.Scorers;
        import dev.weir.eval.solver.Solvers;
        import dev.weir.eval.task.EvalTask;
        import dev.weir.eval.task.TaskDefinition;
        import dev.weir.eval.tool.*;
        import java.nio.file.*;

        final class Careless {
          @EvalTask
          static TaskDefinition.Builder careless() {
            return TaskDefinition.named("careless")
                .dataset(new Sample("a", "Touch it.", "done"))
                .solver(Solvers.react(Tools.of(new Careless()).toArray(ToolSource[]::new)))
                .scorer(Scorers.includes());
          }

          @ToolMethod("Leaves something behind.")
          String touch(@Param("what") String text) throws Exception {
            Files.writeString(Path.of("%s"), text);
            return "done";
          }
        }
        """
            .formatted(touched));
    Spoken said =
        weir("eval", java, "--model", "openai/gpt-4o", "--cache", "--trace-bodies", "--dry-run");
    assertThat(said.code()).as(said.err() + said.out()).isZero();
    assertThat(said.out()).contains("careless on openai/gpt-4o", "calls       6");
    try (var files = Files.list(directory)) {
      assertThat(files).containsExactly(java);
    }
  }

  @Test
  void neitherCommandsNorServersOfToolsAreStarted() throws Exception {
    Path touched = directory.resolve("touched");
    Path task =
        task(
            """
            task: agent
            dataset: [{id: a, input: Do it., target: done, setup: "touch %1$s"}]
            solver:
              - react:
                  tools:
                    - bash
                    - mcp: {command: [touch, %1$s]}
            scorer: includes
            sandbox: docker:python:3.13
            """
                .formatted(touched));
    Spoken said = weir("eval", task, "--model", "openai/gpt-4o", "--dry-run");
    assertThat(said.code()).as(said.err() + said.out()).isZero();
    assertThat(said.out()).contains("calls       6");
    assertThat(touched).doesNotExist();
  }

  @Test
  void capsOnSandboxesHoldInARehearsalToo() throws Exception {
    Path task =
        task(
            """
            task: agent
            dataset:
            %s
            solver: [{react: {tools: [bash]}}]
            scorer: includes
            sandbox: local
            """
                .formatted(
                    IntStream.range(0, 20)
                        .mapToObj("  - {id: s%d, input: Do it., target: done}"::formatted)
                        .collect(Collectors.joining("\n"))));
    Object[] words = {"eval", task, "--model", "openai/gpt-4o", "--json"};
    double free = weir(with(words, "--dry-run")).json().get("seconds").asDouble();
    JsonNode capped = weir(with(words, "--rehearse", "self-hosted", "--max-sandboxes", "1")).json();
    assertThat(capped.get("seconds").asDouble()).isGreaterThan(3 * free);
  }

  private static Object[] with(Object[] words, Object... more) {
    return Stream.concat(Arrays.stream(words), Arrays.stream(more)).toArray();
  }

  @Test
  void anAgentCallsItsToolsAndThenSubmits() {
    JsonNode told =
        weir(
                "eval",
                EXAMPLES.resolve("agent-files.yaml"),
                "--model",
                "openai/gpt-4o",
                "--dry-run",
                "--json")
            .json();
    assertThat(told.get("runs").get(0).get("samples").asInt()).isEqualTo(2);
    assertThat(told.get("calls").asInt()).isEqualTo(2 * (RehearsedRun.TOOL_TURNS + 1));
    // What was answered before is asked again with each call.
    assertThat(told.get("runs").get(0).get("input_tokens").asInt())
        .isGreaterThan(2 * 15 * RehearsedRun.OUTPUT_TOKENS);
  }

  @Test
  void callsToGradersAreCountedAndPricedByRole() throws Exception {
    Path task =
        task(
            """
            task: graded
            dataset:
              - {id: a, input: What is the capital of France?, target: Paris}
              - {id: b, input: What is the capital of Peru?, target: Lima}
            solver: generate
            scorer:
              - model_graded_qa
              - model_graded_fact: {roles: [grader, second]}
            model_role: {grader: openai/gpt-4o, second: openai/gpt-4o-mini}
            """);
    Spoken said = weir("eval", task, "--model", "openai/gpt-4o-mini", "--epochs", 3, "--dry-run");
    assertThat(said.code()).as(said.out()).isZero();
    assertThat(said.out())
        .contains("samples     2 × 3 epochs")
        .contains("6 to openai/gpt-4o-mini (evaluated)")
        .contains("12 to openai/gpt-4o (grader)")
        .contains("6 to openai/gpt-4o-mini (second)");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "getting-started",
        "compare-claude-vs-gpt",
        "config-multiple-translations",
        "eval-custom-grading-prompt",
        "eval-python-assert",
        "eval-select-best",
        "eval-self-grading",
        "http-provider",
        "openai-structured-output",
        "tool-use"
      })
  void configurationsOfPromptfooCanBeRehearsed(String name) {
    Path config = EXAMPLES.resolve("promptfoo").resolve(name).resolve("promptfooconfig.yaml");
    Spoken said = weir("eval", config, "--dry-run", "--json");
    assertThat(said.code()).as(said.err() + said.out()).isZero();
    assertThat(said.json().get("calls").asInt()).isPositive();
    assertThat(said.json().get("runs").get(0).get("failed").asInt()).isZero();
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void severalTasksOnSeveralModelsAreToldOneByOne() throws Exception {
    JsonNode told =
        weir(
                "eval",
                CAPITALS,
                many(100),
                "--model",
                "openai/gpt-4o,openai/gpt-4o-mini",
                "--rehearse",
                "groq-free",
                "--json")
            .json();
    assertThat(told.get("profile").asString()).isEqualTo("groq-free");
    assertThat(told.get("runs").valueStream().map(run -> run.get("calls").asInt()))
        .containsExactly(50, 50, 100, 100);
    assertThat(told.get("calls").asInt()).isEqualTo(300);
    assertThat(told.get("models").valueStream().map(model -> model.get("model").asString()))
        .containsExactly("openai/gpt-4o", "openai/gpt-4o-mini");
    // 150 calls to each at 30 a minute, of which the first 30 are free.
    assertThat(told.get("seconds").asDouble()).isBetween(240.0, 260.0);
    for (JsonNode model : told.get("models").values()) {
      assertThat(model.get("limited_by").asString()).isEqualTo("requests per minute");
      assertThat(model.get("limited_share").asDouble()).isGreaterThan(0.8);
    }
  }

  @Test
  void anHourOfEvaluationPassesInSeconds() throws Exception {
    JsonNode told =
        weir("eval", many(1_900), "--model", "openai/gpt-4o", "--rehearse", "groq-free", "--json")
            .json();
    // 30 a minute, of which the first 30 are free.
    assertThat(told.get("seconds").asDouble()).isBetween(3_700.0, 3_900.0);
    assertThat(told.get("calls").asInt()).isEqualTo(1_900);
    assertThat(told.get("runs").get(0).get("failed").asInt()).isZero();
  }

  @Test
  void refusalsAreCounted() {
    JsonNode told =
        weir("eval", CAPITALS, "--model", "mistral/x", "--rehearse", "mistral-free", "--json")
            .json();
    assertThat(told.get("refusals").asInt())
        .isPositive()
        .isEqualTo(told.get("runs").get(0).get("retries").asInt())
        .isEqualTo(told.get("models").get(0).get("refusals").asInt());
  }

  @ParameterizedTest
  @CsvSource({
    "openai-tier-1, --max-retries=9,      tokens per minute",
    "groq-free,     --max-tokens=10,      requests per minute",
    "openai-tier-5, --max-connections=2,  calls in flight (--max-connections)",
    "openai-tier-5, --delay=3s,           the time between calls (--delay)",
    "openai-tier-5, --max-concurrency=1,  calls in flight over all models (--max-concurrency)",
  })
  void whatItWasLimitedByIsToldInWords(String profile, String option, String words)
      throws Exception {
    Spoken said =
        weir("eval", many(1_000), "--model", "openai/gpt-4o", "--rehearse", profile, option);
    assertThat(said.out()).contains("limited by  " + words + ", ");
  }

  /** Anthropic is always told how long an answer may be, and reserves as much. */
  @Test
  void whatAProviderReservesForAnswersIsReservedWithoutMaxTokensToo() {
    JsonNode open = rehearsed("anthropic/claude-sonnet-4-5", "anthropic-tier-1");
    JsonNode bounded =
        rehearsed("anthropic/claude-sonnet-4-5", "anthropic-tier-1", "--max-tokens=250");
    // 12,500 tokens of answers, 8,000 at once and 8,000 a minute.
    assertThat(bounded.get("seconds").asDouble()).isBetween(33.0, 60.0);
    assertThat(open.get("seconds").asDouble())
        .as("4,096 are reserved for each, so that hardly two go at a time")
        .isBetween(1.5 * bounded.get("seconds").asDouble(), 165.0);
    for (JsonNode told : new JsonNode[] {open, bounded}) {
      assertThat(told.get("models").get(0).get("limited_by").asString())
          .contains("output tokens per minute");
    }
  }

  private JsonNode rehearsed(String model, String profile, String... more) {
    Stream<Object> words =
        Stream.of("eval", CAPITALS, "--model", model, "--rehearse", profile, "--json");
    Spoken said = weir(Stream.concat(words, Arrays.stream(more)).toArray());
    assertThat(said.code()).as(said.err()).isZero();
    return new JsonMapper().readTree(said.out());
  }

  @Test
  void oneThatIsLimitedByNothingSaysSo() {
    assertThat(
            weir(
                    "eval",
                    CAPITALS,
                    "--model",
                    "openai/gpt-4o",
                    "--rehearse",
                    "openai-tier-5",
                    "--limit",
                    5)
                .out())
        .contains("Rehearsal with the tier openai-tier-5", "refusals    0")
        .contains("limited by  nothing: answers, tools and samples themselves");
  }

  @Test
  void callsThatFitNoQuotaAreAnError() {
    Spoken said =
        weir(
            "eval",
            CAPITALS,
            "--model",
            "openai/gpt-4o",
            "--rehearse",
            "groq-free",
            "--max-tokens",
            20_000);
    assertThat(said.code()).isEqualTo(ExitCode.FAILED);
    assertThat(said.out())
        .contains("20,000 reserved for the answer are more than the 12,000 tokens")
        .contains("a smaller `max_tokens` helps")
        .contains("limited by  tokens per minute\n")
        .containsPattern("too large   \\d+ calls?, for the tokens per minute of this tier");
  }

  @ParameterizedTest
  @CsvSource({
    "openai/gpt-4o,               openai-tier-1,    50000, tokens per minute",
    "anthropic/claude-sonnet-4-5, anthropic-tier-1, 40000, input tokens per minute",
  })
  void promptsThatFitNoQuotaAreToldWithWhatHelps(
      String model, String profile, int words, String quota) throws Exception {
    Path task =
        task(
            """
            task: long
            dataset: [{id: a, input: "%s", target: x}]
            solver: generate
            scorer: includes
            """
                .formatted("word ".repeat(words)));
    Object[] asked = {"eval", task, "--model", model, "--rehearse", profile};
    Spoken said = weir(asked);
    assertThat(said.code()).isEqualTo(ExitCode.FAILED);
    assertThat(said.out())
        .containsPattern("a prompt of [\\d,]+ tokens is more than the 30,000 ")
        .contains("a shorter prompt or a larger tier helps, waiting does not")
        .contains("too large   1 call, for the " + quota)
        .contains("limited by  " + quota + "\n")
        .doesNotContain("max_tokens", "limited by  nothing");
    JsonNode told = weir(with(asked, "--json")).json().get("models").get(0);
    assertThat(told.get("too_large").asInt()).isEqualTo(1);
    assertThat(told.get("limited_by").asString()).isEqualTo(quota);
  }

  @Test
  void aTierOfAnotherProviderIsWarnedOf() throws Exception {
    Path task =
        task(
            """
            task: graded
            dataset: [{id: a, input: Hello, target: x}]
            solver: generate
            scorer: model_graded_qa
            model_role: {grader: anthropic/claude-sonnet-4-5}
            """);
    Object[] asked = {"eval", task, "--model", "openai/gpt-4o", "--rehearse", "openai-tier-1"};
    Spoken said = weir(asked);
    assertThat(said.err())
        .contains("openai-tier-1 has the limits of openai, but anthropic/claude-sonnet-4-5 is")
        .doesNotContain("openai/gpt-4o is");
    assertThat(weir(with(asked, "--json")).json().get("warnings").size()).isEqualTo(1);
    assertThat(weir("eval", CAPITALS, "--model", "openai/x", "--rehearse", "openai-tier-1").err())
        .isEmpty();
    assertThat(weir("eval", CAPITALS, "--model", "openai/x", "--rehearse", "self-hosted").err())
        .as("a server of one's own is nobody's")
        .isEmpty();
    assertThat(weir("eval", CAPITALS, "--model", "sim/x", "--rehearse", "groq-free").err())
        .isEmpty();
  }

  @Test
  void whatGoesWrongIsToldAndEndsInOne() throws Exception {
    Path task =
        task(
            """
            task: broken
            dataset: [{id: a, input: Hello, target: x}, {id: b, input: Hello, target: x}]
            solver: [{prompt_template: "{{ prompt }} {{ nothing_of_that_name }}"}, generate]
            scorer: includes
            no_validate: true
            """);
    Spoken said = weir("eval", task, "--model", "openai/gpt-4o", "--dry-run");
    assertThat(said.code()).isEqualTo(ExitCode.FAILED);
    assertThat(said.out()).contains("error       sample ").contains("nothing_of_that_name");
    Spoken tolerant =
        weir("eval", task, "--model", "openai/gpt-4o", "--dry-run", "--fail-on-error=false");
    assertThat(tolerant.code()).isEqualTo(ExitCode.FAILED);
    assertThat(tolerant.out()).contains("errors      2").contains("nothing_of_that_name");
    JsonNode told = weir("eval", task, "--model", "openai/gpt-4o", "--dry-run", "--json").json();
    assertThat(told.get("runs").get(0).get("error").asString()).contains("nothing_of_that_name");
  }

  @Test
  void aBudgetThatWillNotDoIsTold() throws Exception {
    Spoken said =
        weir("eval", many(100), "--model", "openai/gpt-4o", "--dry-run", "--max-cost", "0.05");
    assertThat(said.out()).contains("stopped     ");
  }

  @Test
  void theEnvironmentCanAskForIt() {
    environment.put("WEIR_REHEARSE", "groq-free");
    assertThat(weir("eval", CAPITALS).out()).contains("Rehearsal with the tier groq-free");
    environment.remove("WEIR_REHEARSE");
    environment.put("WEIR_DRY_RUN", "true");
    assertThat(weir("eval", CAPITALS).out()).contains("Dry run. Nothing was sent.");
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void theSameSeedGivesTheSameReport() {
    Object[] words = {
      "eval", CAPITALS, "--model", "openai/gpt-4o", "--rehearse", "mistral-free", "--json"
    };
    assertThat(weir(words).out()).isEqualTo(weir(words).out());
    assertThat(weir(with(words, "--seed", "8")).json().get("seconds"))
        .isNotEqualTo(weir(words).json().get("seconds"));
  }

  /**
   * The tier in a process of its own, over HTTP and in real time: about 19 s. A machine that is
   * busy with something else is slower, so it has a second chance.
   */
  @Test
  void aRehearsalAgreesWithARunAgainstTheSameTier() throws Exception {
    Path task = many(38);
    double expected =
        weir("eval", task, "--model", "openai/gpt-4o", "--rehearse", "groq-free", "--json")
            .json()
            .get("seconds")
            .asDouble();
    double took = inEarnest(task);
    if (took > 1.15 * expected) {
      took = inEarnest(task);
    }
    assertThat(took).isCloseTo(expected, within(0.15 * expected));
  }

  private double inEarnest(Path task) throws Exception {
    Process server =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                "dev.weir.cli.Weir",
                "simulate",
                "--profile",
                "groq-free",
                "--port",
                "0",
                "--json")
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    try (BufferedReader said = server.inputReader()) {
      String address = new JsonMapper().readTree(said.readLine()).get("address").asString();
      environment.put("OPENAI_API_KEY", "any");
      Object[] words = {"eval", task, "--model", "openai/gpt-4o", "--json", "--model-base-url"};
      Spoken real = weir(with(words, address + "/v1"));
      assertThat(real.code()).as(real.err() + real.out()).isZero();
      return real.json().get("seconds").asDouble();
    } finally {
      server.destroyForcibly();
    }
  }
}
