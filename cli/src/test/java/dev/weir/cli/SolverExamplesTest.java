package dev.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.log.RunLogReader;
import dev.weir.log.SampleResult;
import dev.weir.time.Time;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The examples of solvers do what they say. */
@Timeout(60)
class SolverExamplesTest {

  private static final Path EXAMPLES = Path.of(System.getProperty("weir.root"), "examples");

  @TempDir Path directory;

  private JsonNode eval(String example, String... more) {
    var out = new StringWriter();
    var err = new StringWriter();
    int code =
        Weir.run(
            new Surroundings(
                Time.system(),
                new PrintWriter(out),
                new PrintWriter(err),
                Map.of(
                    "WEIR_TRACE_DIR", directory.resolve("traces").toString(),
                    "WEIR_LOG_DIR", directory.resolve("logs").toString()),
                false),
            Stream.concat(
                    Stream.of("eval", EXAMPLES.resolve(example).toString(), "--json"),
                    Stream.of(more))
                .toArray(String[]::new));
    assertThat(code).as(out + "\n" + err).isZero();
    return new JsonMapper().readTree(out.toString());
  }

  private static Map<String, SampleResult> samples(JsonNode result) throws IOException {
    Map<String, SampleResult> samples = new HashMap<>();
    try (var log = RunLogReader.open(Path.of(result.get("log").asString()))) {
      for (var sample = log.sample(); sample.isPresent(); sample = log.sample()) {
        samples.put(sample.get().id(), sample.get());
      }
    }
    return samples;
  }

  private static SampleResult sample(Map<String, SampleResult> samples, String id) {
    return Objects.requireNonNull(samples.get(id));
  }

  private static List<String> said(SampleResult sample) {
    List<String> said = new ArrayList<>();
    sample.messages().forEach(message -> said.add(message.role() + ": " + message.content()));
    return said;
  }

  @Test
  void anAgentMaySubmitAgainAndIsToldToGoOn() throws IOException {
    JsonNode result = eval("agent-attempts.yaml");
    Map<String, SampleResult> samples = samples(result);
    assertThat(sample(samples, "france").score()).contains(1.0);
    assertThat(sample(samples, "peru").score()).contains(1.0);
    assertThat(said(sample(samples, "peru"))).contains("user: Do not talk; call submit.");
    assertThat(sample(samples, "chile").score()).contains(0.0);
    assertThat(sample(samples, "chile").output()).contains("Concepción");
    assertThat(said(sample(samples, "chile")).getFirst()).contains("question is about chile");
  }

  @Test
  void aModelGradesWhatNoRuleCompares() throws IOException {
    Map<String, SampleResult> samples = samples(eval("graded.yaml"));
    assertThat(sample(samples, "sky").score()).contains(1.0);
    assertThat(sample(samples, "moon").score()).contains(0.0);
    assertThat(sample(samples, "moon").scores().values())
        .anyMatch(score -> score.explanation().orElse("").contains("names no turning"));
  }

  @Test
  void anAgentRunsRealCommands() throws IOException {
    Map<String, SampleResult> samples = samples(eval("agent-files.yaml"));
    assertThat(samples.values()).hasSize(2).allMatch(sample -> sample.score().orElse(0.0) == 1);
    assertThat(said(sample(samples, "secret")))
        .anyMatch(line -> line.startsWith("tool: There is no tool 'bahs'; did you mean 'bash'?"))
        .anyMatch(line -> line.contains("the secret word is heron"));
  }

  @Test
  void choicesAreMadeByLetter() throws IOException {
    for (String example :
        List.of("multiple-choice-capitals.yaml", "multiple-choice-several.yaml")) {
      JsonNode right = eval(example, "--model", "sim/x:accuracy=1,latency=1ms,rpm=0");
      assertThat(samples(right).values())
          .as(example)
          .isNotEmpty()
          .allMatch(sample -> sample.score().orElse(0.0) == 1);
      JsonNode wrong = eval(example, "--model", "sim/x:accuracy=0,latency=1ms,rpm=0");
      assertThat(samples(wrong).values())
          .as(example)
          .isNotEmpty()
          .allMatch(sample -> sample.score().orElse(1.0) == 0);
    }
  }

  @Test
  void aCriticIsAskedBetweenTwoAnswers() throws IOException {
    Map<String, SampleResult> samples =
        samples(eval("critique.yaml", "--model", "sim/x:accuracy=1,latency=1ms,rpm=0"));
    assertThat(samples).hasSize(3);
    assertThat(samples.values())
        .allSatisfy(
            sample -> {
              assertThat(sample.score()).contains(1.0);
              assertThat(sample.messages())
                  .extracting(SampleResult.LogMessage::role)
                  .containsExactly("system", "user", "assistant", "user", "assistant");
            });
  }
}
