package dev.weir.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.eval.Host;
import dev.weir.eval.option.RunOptions;
import dev.weir.model.ConfigurationException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class InstructionsTest {

  @Evaluation(
      task = "classpath:sums.yaml",
      model = "sim/annotated",
      options = {"epochs=2", "model_args=a=1", "model_args=b=2"})
  private static final class Annotated {}

  private static Instructions instructions() {
    Evaluation annotation = Annotated.class.getAnnotation(Evaluation.class);
    return Instructions.of(Annotated.class, annotation, Optional.empty());
  }

  @Test
  void variablesWinOverAnnotations() {
    RunOptions options =
        RunOptions.parse(
            instructions()
                .below(Map.of("WEIR_MODEL", "sim/variable", "WEIR_EPOCHS", "", "WEIR_SEED", "5")));
    assertThat(options.model()).containsExactly("sim/variable");
    assertThat(options.samples().epochs()).hasValue(2);
    assertThat(options.seed()).hasValue(5L);
  }

  @Test
  void optionsThatMayBeRepeatedAddUp() {
    assertThat(RunOptions.parse(instructions().settings()).modelArguments())
        .isEqualTo(Map.of("a", "1", "b", "2"));
  }

  @Test
  void logsGoWhereTheVariableSays() {
    assertThat(logDir(Map.of("WEIR_LOG_DIR", "elsewhere"))).isEqualTo("elsewhere");
    assertThat(logDir(Map.of())).isEqualTo("target/weir-logs");
  }

  private static String logDir(Map<String, String> environment) {
    List<PlannedEvaluation> plan =
        PlannedEvaluation.plan(
            instructions(), new Host(environment, Optional.empty(), (_, _) -> {}), "Test#test");
    assertThat(plan).hasSize(1);
    return RunOptions.parse(plan.getFirst().settings())
        .logDir()
        .orElseThrow()
        .toString()
        .replace('\\', '/');
  }

  @Test
  void thresholdsKeepTheirDigits() {
    assertThat(Threshold.parse(" accuracy>=0.80 ")).isEqualTo(new Threshold("accuracy", ">=", 0.8));
    assertThat(new Threshold("a", ">=", 0.8).problem(0.79999))
        .hasValue("a is 0.79999, and must be >= 0.8");
    assertThat(new Threshold("a", "<=", 0.8).problem(0.8)).isEmpty();
    assertThat(new Threshold("a", ">", 0.8).problem(0.8)).isPresent();
    assertThat(new Threshold("a", "<", 0.8).problem(Double.NaN))
        .hasValue("a is NaN, and must be < 0.8");
  }

  @Test
  void namesOfMetricsMayHaveSigns() {
    assertThat(Threshold.parse("mean[t=x] >= 0.5"))
        .isEqualTo(new Threshold("mean[t=x]", ">=", 0.5));
    assertThat(Threshold.parse("exact/mean[size=> 3 m]=0.5"))
        .isEqualTo(new Threshold("exact/mean[size=> 3 m]", ">=", 0.5));
    assertThat(Threshold.parse("mean[t=x]<1")).isEqualTo(new Threshold("mean[t=x]", "<", 1));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "accuracy",
        "accuracy at least 1",
        "accuracy >= much",
        "accuracy >= NaN",
        "accuracy >= Infinity",
        "accuracy < -Infinity",
        "accuracy >= 1e999",
        "accuracy == 1",
        "accuracy => 1",
        ">= 1",
        "mean[t=x]",
        ""
      })
  void whatIsNoThresholdIsRefused(String text) {
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> Threshold.parse(text))
        .withMessage(
            "`threshold` of @Evaluation must be of the form 'accuracy >= 0.8', was '%s'", text);
  }
}
