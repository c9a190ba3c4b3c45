package dev.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.time.virtual.VirtualTime;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** {@code weir score} as a user meets it, on virtual time. */
class ScoreCommandTest {

  @TempDir Path directory;

  private final VirtualTime time = VirtualTime.seeded(1);
  private final Map<String, String> environment = new HashMap<>();
  private Path log = Path.of("");

  private record Said(int code, String out, String err) {}

  private Said weir(Object... words) throws Exception {
    var out = new StringWriter();
    var err = new StringWriter();
    List<String> arguments = new ArrayList<>();
    for (Object word : words) {
      arguments.add(word.toString());
    }
    int code =
        time.run(
            () ->
                Weir.run(
                    new Surroundings(
                        time, new PrintWriter(out), new PrintWriter(err), environment, false),
                    arguments.toArray(String[]::new)));
    return new Said(code, out.toString(), err.toString());
  }

  @BeforeEach
  void evaluate() throws Exception {
    environment.put("HOME", directory.toString());
    var rows = new StringBuilder("input,target\n");
    for (int i = 1; i <= 20; i++) {
      rows.append("Question %d?,answer%d\n".formatted(i, i));
    }
    Files.writeString(directory.resolve("questions.csv"), rows);
    Path task =
        Files.writeString(
            directory.resolve("task.yaml"),
            """
            task: questions
            dataset: questions.csv
            solver: generate
            scorer: includes
            model: sim/demo:accuracy=0.5,rpm=0
            """);
    Said said = weir("eval", task, "--seed", 3, "--json", "--log-dir", directory.resolve("logs"));
    assertThat(said.err()).isEmpty();
    log = Path.of(new JsonMapper().readTree(said.out()).get("log").asString());
  }

  @Test
  void showsWhatTheNewScoresAmountTo() throws Exception {
    Path file = directory.resolve("scored.eval");
    Said said =
        weir(
            "score",
            log,
            "--scorer",
            "exact",
            "--scorer",
            "pattern:answer(\\d+)",
            "--output-file",
            file);
    assertThat(said.err()).isEmpty();
    assertThat(said.code()).isZero();
    assertThat(said.out().replace(directory.toString(), "DIR"))
        .isEqualToNormalizingNewlines(
            """

            scorer   reducer  metric    value [95 %]
            ───────  ───────  ────────  ────────────────────
            exact    mean     accuracy  0.650 [0.433, 0.819]
            exact    mean     stderr    0.109
            pattern  mean     accuracy  0.000 [0.000, 0.161]
            pattern  mean     stderr    0.000

            Scored: 20 of 20 samples
            Intervals: 95 %, Wilson
            Log: DIR/scored.eval
            """);
    assertThat(file).exists();
  }

  @Test
  void aGraderScoresWithArgumentsAndMetrics() throws Exception {
    environment.put("WEIR_MODEL_ROLE", "grader=sim/g:accuracy=1");
    Said said =
        weir(
            "score",
            log,
            "--scorer",
            "model_graded_qa:partial_credit=true,roles=grader",
            "--metric",
            "mean",
            "--metric",
            "ci:level=0.9",
            "--action",
            "overwrite");
    assertThat(said.err()).isEmpty();
    assertThat(said.code()).isZero();
    assertThat(said.out()).contains("ci_low", "ci_high", "Graders: ", "tokens in", "$0.0000");
    String mean =
        said.out().lines().filter(line -> line.contains(" mean  ")).findFirst().orElseThrow();
    // The heading says 95 %, and the bounds of the level that was asked for stand by themselves.
    assertThat(said.out()).contains("value [95 %]");
    assertThat(mean).endsWith("0.650 [0.433, 0.819]");
    assertThat(said.out()).containsPattern("ci_low +0\\.46").containsPattern("ci_high +0\\.79");
  }

  @Test
  void printsOneJsonDocument() throws Exception {
    Said said = weir("score", log, "--scorer", "match:location=any,numeric=true", "--json");
    JsonNode document = new JsonMapper().readTree(said.out());
    assertThat(document.get("scorers").toString()).isEqualTo("[\"includes\",\"match\"]");
    assertThat(document.get("scores").get(1).get("metrics").get("accuracy").asDouble())
        .isEqualTo(document.get("metrics").get("accuracy").asDouble());
    assertThat(document.get("scores").get(1).get("interval").get("low").isNumber()).isTrue();
    assertThat(Path.of(document.get("log").asString())).exists().isNotEqualTo(log);
    assertThat(said.code()).isZero();
  }

  @Test
  void samplesWithoutAScoreFailTheCommand() throws Exception {
    Said said = weir("score", log, "--scorer", "numeric");
    assertThat(said.code()).isEqualTo(1);
    assertThat(said.out())
        .contains(
            "Scored: 0 of 20 samples",
            "Not scored: 20; the notes of each sample say why: weir log dump ");
    assertThat(said.err())
        .startsWith("weir: 20 of 20 samples could not be scored")
        .contains("--fail-on-error=false", "--scorer-retries");
    // As for a run in which every sample failed.
    Said allowed = weir("score", log, "--scorer", "numeric", "--fail-on-error=false");
    assertThat(allowed.code()).isEqualTo(ExitCode.FAILED);
    assertThat(allowed.out()).contains("Failed: none of 20 samples was scored");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--scorer=exakt; there is no scorer 'exakt'; did you mean 'exact'?",
        "--scorer=exact:case=true; --scorer has 'exact', whose `case` is not an argument of",
        "--scorer=choice:x=1; --scorer has 'choice', whose `x` is not known: 'choice' takes no",
        "--scorer=model_graded_qa; name one with --model-role grader=provider/model",
        "--scorer=json:schema={; --scorer has 'json', whose `schema` is not JSON",
        "--scorer=exact --metric=men; unknown metric 'men'; did you mean 'mean'?",
        "--scorer=exact --metric=mean --metric=mean; --metric 'mean' is there twice",
        "--scorer=exact --action=add; --action must be append or overwrite, was 'add'",
        "--scorer=exact --temperature=1; there is no option '--temperature'",
        "--scorer=exact --max-cost=much; --max-cost",
        "--metric=mean; --scorer must be given",
      })
  void saysWhatCannotBeUsed(String line) throws Exception {
    String[] parts = line.split("; ", 2);
    List<Object> words = new ArrayList<>(List.of("score", log));
    words.addAll(List.of(parts[0].split(" ")));
    Said said = weir(words.toArray());
    assertThat(said.code()).isEqualTo(2);
    assertThat(said.err()).contains(parts[1].strip());
    assertThat(said.out()).isEmpty();
  }

  @Test
  void argumentsMayHoldListsAndJson() throws Exception {
    Said said =
        weir(
            "score",
            log,
            "--scorer",
            "multi:scorers=[\"exact\", {\"match\": {\"location\": \"begin\"}}],reducer=max",
            "--scorer",
            "multi:exact,includes",
            "--scorer",
            "json:schema={\"type\": \"object\"},strict=true");
    assertThat(said.err()).isEmpty();
    assertThat(said.out())
        .contains("multi    mean     accuracy  0.650", "multi_2", "json     mean");
  }

  @Test
  void helpNamesOnlyWhatMeansSomethingHere() throws Exception {
    assertThat(weir("help", "score").out())
        .contains("--scorer", "--model-role", "--max-connections", "--fail-on-error")
        .contains("--rpm", "--tpm", "--max-cost", "--max-tokens-total", "--model-base-url")
        .contains("--dry-run")
        .doesNotContain("--epochs ", "--limit", "--temperature", "--threshold", "--batch");
  }

  @Test
  void aBudgetStopsItAndTheSameCommandGoesOn() throws Exception {
    environment.put("WEIR_MAX_TOKENS_TOTAL", "300");
    List<Object> command =
        List.of(
            "score",
            log,
            "--scorer",
            "model_graded_qa",
            "--model-role",
            "grader=sim/g:accuracy=1",
            "--max-connections",
            1);
    Said said = weir(command.toArray());
    assertThat(said.code()).isEqualTo(ExitCode.FAILED);
    assertThat(said.out())
        .contains(
            "Stopped, the budget of 300 tokens is used up: the log has all samples, and what was"
                + " scored by then.",
            "Resume: weir score %s --scorer model_graded_qa --model-role grader=sim/g:accuracy=1 --max-connections 1"
                .formatted(log));
    environment.remove("WEIR_MAX_TOKENS_TOTAL");
    said = weir(command.toArray());
    assertThat(said.code()).isZero();
    assertThat(said.out()).contains("Scored: 20 of 20 samples", "Taken over: ");
  }

  @Test
  void aDryRunTellsWhatToExpect() throws Exception {
    List<Object> command =
        List.of(
            "score",
            log,
            "--scorer",
            "model_graded_qa",
            "--model-role",
            "grader=openai/gpt-4o-mini",
            "--dry-run");
    Said said = weir(command.toArray());
    assertThat(said.err()).isEmpty();
    assertThat(said.code()).isZero();
    assertThat(said.out())
        .startsWith("Dry run. Nothing was sent.")
        .contains("samples     20 to score", "calls       20 to openai/gpt-4o-mini (grader)")
        .contains("price       $0.0", "without limits");
    environment.put("WEIR_JSON", "true");
    JsonNode document = new JsonMapper().readTree(weir(command.toArray()).out());
    assertThat(document.get("calls").asInt()).isEqualTo(20);
    assertThat(document.get("usd").asDouble()).isPositive();
    try (var files = Files.list(directory.resolve("logs"))) {
      assertThat(files).containsExactly(log);
    }
  }
}
