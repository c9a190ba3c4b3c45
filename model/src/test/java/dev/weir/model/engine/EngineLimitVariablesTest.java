package dev.weir.model.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.limits.EngineLimits;
import dev.weir.limits.RateCeiling;
import dev.weir.model.ConfigurationException;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class EngineLimitVariablesTest {

  static List<String> names() {
    return EngineLimitVariables.NAMES;
  }

  @ParameterizedTest
  @MethodSource("names")
  void bothFormsAreReadFromEachVariable(String variable) {
    EngineLimits limits =
        EngineLimitVariables.read(
            Map.of(
                variable,
                """
                {"anthropic": {"claude-2.0": 5, "claude-2.1": {"concurrency": 15, "input_tokens": 400,
                  "output_tokens": 80, "total_tokens": 450, "requests": 50}, "claude-3": {"concurrency": null}},
                 "vertex": {}}
                """));
    assertThat(limits.concurrency("anthropic")).hasValue(15);
    assertThat(limits.ceiling("anthropic", "claude-2.0").concurrency()).hasValue(5);
    assertThat(limits.ceiling("anthropic", "claude-2.1").rates())
        .isEqualTo(
            new RateCeiling(
                OptionalDouble.of(50),
                OptionalDouble.of(450),
                OptionalDouble.of(400),
                OptionalDouble.of(80)));
    assertThat(limits.ceiling("anthropic", "claude-3").concurrency()).isEmpty();
    assertThat(limits.concurrency("vertex")).isEmpty();
  }

  @Test
  void allVariablesHold() {
    EngineLimits limits =
        EngineLimitVariables.read(
            Map.of(
                "WEIR_MODEL_ENGINE_LIMITS", "{\"anthropic\": {\"a\": 9}}",
                "AIGW_MODEL_ENGINE_LIMITS", " ",
                "AIGW_MODEL_ENGINE_CONCURRENCY_LIMITS", "{\"anthropic\": {\"a\": 4, \"b\": 6}}"));
    assertThat(limits.ceiling("anthropic", "a").concurrency()).hasValue(4);
    assertThat(limits.concurrency("anthropic")).hasValue(6);
    assertThat(EngineLimitVariables.read(Map.of())).isEqualTo(EngineLimits.NONE);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "sk-7531",
        "7531",
        "[7531]",
        "{\"engine7531\": 7531}",
        "{\"engine7531\": [7531]}",
        "{\"engine7531\": {\"model7531\": \"7531\"}}",
        "{\"engine7531\": {\"model7531\": 7531.5}}",
        "{\"engine7531\": {\"model7531\": -7531}}",
        "{\"engine7531\": {\"model7531\": 75317531753175317531}}",
        "{\"engine7531\": {\"model7531\": 0}}",
        "{\"engine7531\": {\"model7531\": null}}",
        "{\"engine7531\": {\"model7531\": {\"key7531\": 7531}}}",
        "{\"engine7531\": {\"model7531\": {\"requests\": true}}}",
        "{\"engine7531\": {\"model7531\": 7531}} 7531",
        "{\"engine7531\": {\"model7531\": 7531, \"model7531\": 7531}}",
        "{\"engine7531\": {\"model7531\": 7531",
      })
  void aMalformedValueIsAnErrorThatDoesNotRepeatIt(String value) {
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> EngineLimitVariables.read(Map.of("AIGW_MODEL_ENGINE_LIMITS", value)))
        .withNoCause()
        .satisfies(
            error ->
                assertThat(error.getMessage())
                    .startsWith("AIGW_MODEL_ENGINE_LIMITS: ")
                    .contains("expected {\"engine\": {\"model\": 5}}")
                    .doesNotContain("7531"));
  }
}
