package dev.weir.limits.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AimdSettingsTest {

  private static final AimdSettings DEFAULTS = AimdSettings.defaults();

  @Test
  void defaultsAreThePublishedOnes() {
    assertThat(DEFAULTS)
        .isEqualTo(new AimdSettings(4, 20, 200, Duration.ofSeconds(15), 0.8, 0.05, false));
  }

  @Test
  void trueMeansTheDefaultsAndFalseAStaticWindow() {
    assertThat(AimdSettings.parse("true")).contains(DEFAULTS);
    assertThat(AimdSettings.parse("false")).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "80, 4, 20, 80",
    "200, 4, 20, 200",
    "20, 4, 20, 20",
    "12, 4, 12, 12",
    "3, 3, 3, 3",
    "1, 1, 1, 1",
    "4-80, 4, 20, 80",
    "30-80, 30, 30, 80",
    "1-8, 1, 8, 8",
    "20-20, 20, 20, 20",
    "4-40-80, 4, 40, 80",
    "1-1-1, 1, 1, 1",
    "1-2-999999999, 1, 2, 999999999",
  })
  void boundsAreReadAndWhatIsLeftOutIsClamped(String text, int min, int start, int max) {
    assertThat(AimdSettings.parse(text)).contains(DEFAULTS.withBounds(min, start, max));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "True",
        "no",
        "-1",
        "4-",
        "-4",
        "4--80",
        "4-40-80-90",
        "4 - 80",
        "4.5",
        "a-b",
        "4-80-",
        "1000000000"
      })
  void anythingElseIsRefusedWithTheFormsThereAre(String text) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> AimdSettings.parse(text))
        .withMessage(
            "adaptive connections must be `true`, `false`, a maximum such as `80`, `min-max` such"
                + " as `4-80` or `min-start-max` such as `4-40-80`, was `%s`",
            text);
  }

  @ParameterizedTest
  @CsvSource({
    "0, '`max` must be >= 1, was 0'",
    "0-5, '`min` must be >= 1, was 0'",
    "10-3, '`max` must be >= `min` (10), was 3'",
    "4-3-80, '`start` must be >= `min` (4) and <= `max` (80), was 3'",
    "4-90-80, '`start` must be >= `min` (4) and <= `max` (80), was 90'",
  })
  void impossibleBoundsAreRefused(String text, String message) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> AimdSettings.parse(text))
        .withMessage(message);
  }

  @Test
  void anImpossibleCurveIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> DEFAULTS.withCooldown(Duration.ofNanos(-1)))
        .withMessage("`cooldown` must be >= 0, was PT-0.000000001S");
    for (double factor : new double[] {0, 1, -0.5, Double.NaN}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> DEFAULTS.withDecreaseFactor(factor))
          .withMessage("`decreaseFactor` must be > 0 and < 1, was " + factor);
    }
    for (double share : new double[] {0, 1.01, -0.5, Double.NaN}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> DEFAULTS.withScaleUpPercent(share))
          .withMessage("`scaleUpPercent` must be > 0 and <= 1, was " + share);
    }
    assertThat(DEFAULTS.withScaleUpPercent(1).withCooldown(Duration.ZERO)).isNotEqualTo(DEFAULTS);
  }
}
