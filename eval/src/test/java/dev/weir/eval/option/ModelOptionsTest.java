package dev.weir.eval.option;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.eval.task.TaskFile;
import dev.weir.model.ConfigurationException;
import dev.weir.model.GenerationSettings;
import dev.weir.model.ReasoningEffort;
import dev.weir.model.ResponseSchema;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ModelOptionsTest {

  @TempDir private Path directory;

  private static ModelOptions options(Map<String, String> words) {
    return ModelOptions.parse(
        new OptionWords() {
          @Override
          public Optional<String> word(String option) {
            return Optional.ofNullable(words.get(option));
          }

          @Override
          public ConfigurationException wrong(String option, String rule) {
            return new ConfigurationException("--" + option + " " + rule);
          }
        });
  }

  @Test
  void whatIsGivenIsTaken() {
    ModelOptions options =
        options(
            Map.of(
                "model-base-url", "http://127.0.0.1:8080/v1",
                "temperature", "0.5",
                "top-p", "0.9",
                "max-tokens", "100",
                "stop-seqs", "END,STOP",
                "reasoning-effort", "low",
                "response-schema", "{\"title\":\"person\",\"type\":\"object\"}",
                "extra-body", "{\"top_k\":5,\"a\":{\"b\":[1]}}"));
    assertThat(options.modelBaseUrl()).contains(URI.create("http://127.0.0.1:8080/v1"));
    assertThat(options.generation())
        .isEqualTo(
            GenerationSettings.NONE
                .withTemperature(0.5)
                .withTopP(0.9)
                .withMaxTokens(100)
                .withStop(List.of("END", "STOP"))
                .withReasoningEffort(ReasoningEffort.LOW)
                .withResponseSchema(
                    new ResponseSchema(
                        "person", "{\"title\":\"person\",\"type\":\"object\"}", true))
                .withExtraBody(Map.of("top_k", "5", "a", "{\"b\":[1]}")));
  }

  @Test
  void textsToStopAtAreTakenAsTheyAre() {
    assertThat(options(Map.of("stop-seqs", "[END],###")).generation().stop())
        .containsExactly("[END]", "###");
    assertThat(options(Map.of("stop-seqs", "[\"a,b\"]")).generation().stop())
        .containsExactly("a,b");
  }

  @Test
  void aPasswordInAnAddressIsNotShown() {
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> options(Map.of("model-base-url", "ftp://user:geheim@host/v1")))
        .withMessageContaining("was 'host/v1'")
        .withMessageNotContaining("geheim");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "model-base-url   | localhost:8080   | an address such as http://127.0.0.1:8080/v1",
        "model-base-url   | ftp://host/v1    | an address",
        "model-base-url   | http://          | an address",
        "temperature      | 2.5              | a number from 0 to 2",
        "temperature      | NaN              | a number from 0 to 2",
        "top-p            | hot              | a number from 0 to 1",
        "max-tokens       | 0                | a whole number, at least 1",
        "reasoning-effort | much             | one of none, minimal, low, medium, high, xhigh",
        "response-schema  | [1]              | a JSON schema, an object",
        "extra-body       | {                | a JSON object",
      })
  void whatCannotBeUsedIsExplained(String option, String word, String rule) {
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> options(Map.of(option, word)))
        .withMessageStartingWith("--%s must be ", option)
        .withMessageContaining(rule)
        .withMessageContaining("was '%s'", word);
  }

  @Test
  void aTaskFileHasThemAsYaml() throws Exception {
    Path file = directory.resolve("task.yaml");
    Files.writeString(
        file,
        """
        task: t
        dataset: [{input: a, target: b}]
        solver: generate
        scorer: model_graded_qa
        model_role: {grader: sim/judge}
        model_base_url: https://host/v1
        stop_seqs: ["a,b", "c"]
        extra_body: {n: 1, deep: {yes: true, no: null, text: "1", f: 0.5}}
        response_schema: {type: object, required: [x]}
        seed: 5
        log_level: http
        trace_bodies: true
        """);
    RunOptions options = RunOptions.parse(TaskFile.read(file).settings());
    assertThat(options.modelRoles()).isEqualTo(Map.of("grader", "sim/judge"));
    assertThat(options.generation())
        .isEqualTo(
            GenerationSettings.NONE
                .withSeed(5)
                .withStop(List.of("a,b", "c"))
                .withExtraBody(
                    Map.of("n", "1", "deep", "{\"yes\":true,\"no\":null,\"text\":\"1\",\"f\":0.5}"))
                .withResponseSchema(
                    new ResponseSchema(
                        "answer", "{\"type\":\"object\",\"required\":[\"x\"]}", true)));
    assertThat(options.trace().logLevel()).contains(TraceOptions.LogLevel.HTTP);
    assertThat(options.trace().traceBodies()).contains(true);
  }
}
