package dev.weir.eval.option;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.limits.Mode;
import dev.weir.limits.RateCeiling;
import dev.weir.limits.control.AimdSettings;
import dev.weir.limits.pace.PaceSettings;
import dev.weir.limits.retry.AttemptTimeout;
import dev.weir.limits.retry.RetryBounds;
import dev.weir.model.ConfigurationException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LimitOptionsTest {

  static LimitOptions options(Map<String, String> words) {
    assertThat(Options.all()).extracting(Option::name).containsAll(words.keySet());
    return LimitOptions.parse(
        new OptionWords() {
          @Override
          public Optional<String> word(String option) {
            return Optional.ofNullable(words.get(option));
          }

          @Override
          public ConfigurationException wrong(String option, String rule) {
            return new ConfigurationException(option + " " + rule);
          }
        });
  }

  @Test
  void theDefaultIsAPace() {
    assertThat(LimitOptions.NONE.mode()).isEqualTo(new Mode.Pace(PaceSettings.defaults()));
    assertThat(options(Map.of("rpm", "500", "tpm", "2e5")).mode())
        .isEqualTo(
            new Mode.Pace(
                new PaceSettings(
                    2_000, OptionalDouble.of(500), OptionalDouble.of(200_000), false)));
  }

  @Test
  void withoutAProviderThereIsNoPaceToBeFoundUnlessLimitsAreGiven() {
    assertThat(LimitOptions.NONE.modeWithoutProvider()).isEqualTo(new Mode.Static(2_000));
    assertThat(options(Map.of("delay", "5", "max-concurrency", "3")).modeWithoutProvider())
        .isEqualTo(new Mode.Static(2_000));
    for (Map<String, String> given :
        List.of(
            Map.of("rpm", "500"),
            Map.of("tpm", "500"),
            Map.of("concurrency-mode", "pace"),
            Map.of("max-connections", "7"),
            Map.of("adaptive-connections", "true"),
            Map.of("self-hosted", "true"))) {
      LimitOptions options = options(given);
      assertThat(options.modeWithoutProvider()).isEqualTo(options.mode());
    }
  }

  @Test
  void connectionsMeanAFixedWindowAndWinOverAdaptiveOnes() {
    assertThat(options(Map.of("max-connections", "7")).mode()).isEqualTo(new Mode.Static(7));
    assertThat(options(Map.of("max-connections", "7", "adaptive-connections", "true")).mode())
        .isEqualTo(new Mode.Static(7));
    assertThat(options(Map.of("max-connections", "7", "concurrency-mode", "aimd")).mode())
        .isEqualTo(new Mode.Static(7));
    assertThat(options(Map.of("adaptive-connections", "false")).mode())
        .isEqualTo(new Mode.Static(10));
    assertThat(options(Map.of("concurrency-mode", "static")).mode()).isEqualTo(new Mode.Static(10));
  }

  @Test
  void adaptiveConnectionsMeanAimd() {
    assertThat(options(Map.of("adaptive-connections", "true")).mode())
        .isEqualTo(new Mode.Aimd(AimdSettings.defaults()));
    assertThat(options(Map.of("adaptive-connections", "4-80")).mode())
        .isEqualTo(new Mode.Aimd(AimdSettings.defaults().withBounds(4, 20, 80)));
    assertThat(options(Map.of("concurrency-mode", "aimd")).mode())
        .isEqualTo(new Mode.Aimd(AimdSettings.defaults()));
  }

  @Test
  void halvingStartsAtMaxConcurrency() {
    assertThat(options(Map.of("concurrency-mode", "halving")).mode())
        .isEqualTo(new Mode.Halving(4, 1));
    assertThat(
            options(
                    Map.of(
                        "concurrency-mode",
                        "halving",
                        "max-concurrency",
                        "9",
                        "min-concurrency",
                        "3"))
                .mode())
        .isEqualTo(new Mode.Halving(9, 3));
  }

  @Test
  void aFloorIsForWindowsThatAreCut() {
    // Above the ceiling it is the ceiling.
    assertThat(options(Map.of("concurrency-mode", "halving", "min-concurrency", "9")).mode())
        .isEqualTo(new Mode.Halving(4, 4));
    assertThat(options(Map.of("adaptive-connections", "4-40-80", "min-concurrency", "10")).mode())
        .isEqualTo(new Mode.Aimd(AimdSettings.defaults().withBounds(10, 40, 80)));
    assertThat(options(Map.of("adaptive-connections", "4-40-80", "min-concurrency", "50")).mode())
        .isEqualTo(new Mode.Aimd(AimdSettings.defaults().withBounds(50, 50, 80)));
    assertThat(options(Map.of("adaptive-connections", "6", "min-concurrency", "1")).mode())
        .isEqualTo(new Mode.Aimd(AimdSettings.defaults().withBounds(1, 6, 6)));
    assertThat(options(Map.of("min-concurrency", "2")).mode()).isEqualTo(LimitOptions.NONE.mode());
    assertThat(options(Map.of("min-concurrency", "2", "max-connections", "1")).mode())
        .isEqualTo(new Mode.Static(1));
  }

  @Test
  void queueBackoffAndInternalErrorsGoWithEveryMode() {
    assertThat(LimitOptions.NONE.retryBounds())
        .isEqualTo(RetryBounds.NONE.withAttemptTimeout(AttemptTimeout.AUTO));
    for (String mode : List.of("static", "aimd", "halving", "pace")) {
      LimitOptions options =
          options(
              Map.of(
                  "concurrency-mode",
                  mode,
                  "queue-timeout",
                  "0",
                  "request-backoff",
                  "250ms",
                  "retry-5xx",
                  "false"));
      assertThat(options.mode().word()).isEqualTo(mode);
      RetryBounds wanted =
          RetryBounds.NONE
              .withAttemptTimeout(AttemptTimeout.AUTO)
              .withQueueTimeout(Duration.ZERO)
              .withRequestBackoff(Duration.ofMillis(250))
              .withRetry5xx(false);
      assertThat(options.retryBounds()).isEqualTo(wanted);
      assertThat(options.withoutTier().retryBounds()).isEqualTo(wanted);
    }
  }

  @Test
  void whatCannotBeAFloorOrAWaitIsRefused() {
    for (Map.Entry<String, String> wrong :
        List.of(
            Map.entry("min-concurrency", "0"),
            Map.entry("request-backoff", "0"),
            Map.entry("request-backoff", "25h"),
            Map.entry("queue-timeout", "-1"),
            Map.entry("retry-5xx", "maybe"))) {
      assertThatExceptionOfType(ConfigurationException.class)
          .isThrownBy(() -> options(Map.of(wrong.getKey(), wrong.getValue())))
          .withMessageStartingWith(wrong.getKey());
    }
  }

  @Test
  void aPaceMayBeBounded() {
    assertThat(options(Map.of("concurrency-mode", "pace", "max-connections", "50")).mode())
        .isEqualTo(
            new Mode.Pace(
                new PaceSettings(50, OptionalDouble.empty(), OptionalDouble.empty(), false)));
  }

  @Test
  void numbersWithoutAUnitHaveThePublishedOne() {
    LimitOptions options =
        options(
            Map.of("delay", "250", "timeout", "90", "attempt-timeout", "1.5m", "max-retries", "0"));
    assertThat(options.delay()).contains(Duration.ofMillis(250));
    assertThat(options.retryBounds())
        .isEqualTo(
            new RetryBounds(
                OptionalInt.of(0),
                Optional.of(Duration.ofSeconds(90)),
                Optional.of(Duration.ofSeconds(90))));
  }

  @Test
  void hungAttemptsAreAbandonedUnlessToldOtherwise() {
    assertThat(options(Map.of()).retryBounds().attemptTimeout()).isEqualTo(AttemptTimeout.AUTO);
    assertThat(options(Map.of("attempt-timeout", "off")).retryBounds().attemptTimeout())
        .isEqualTo(AttemptTimeout.OFF);
    assertThat(options(Map.of("self-hosted", "true")).retryBounds().attemptTimeout())
        .isEqualTo(AttemptTimeout.OFF);
    assertThat(
            options(Map.of("self-hosted", "true", "attempt-timeout", "auto"))
                .retryBounds()
                .attemptTimeout())
        .isEqualTo(AttemptTimeout.AUTO);
    assertThat(options(Map.of()).retryBoundsWithoutProvider().attemptTimeout())
        .isEqualTo(AttemptTimeout.OFF);
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> options(Map.of("attempt-timeout", "0")))
        .withMessageContaining("must be auto, off, or a duration");
  }

  @Test
  void poisonedAttemptsAreANumberOrOff() {
    assertThat(options(Map.of()).retryBounds().maxPoisonedAttempts()).isEmpty();
    assertThat(options(Map.of("max-poisoned-attempts", "12")).retryBounds().maxPoisonedAttempts())
        .hasValue(12);
    assertThat(options(Map.of("max-poisoned-attempts", "off")).retryBounds().maxPoisonedAttempts())
        .hasValue(0);
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> options(Map.of("max-poisoned-attempts", "1")))
        .withMessageContaining("must be off, or a whole number from 2");
  }

  @Test
  void optionsThatWouldMeanNothingAreRefused() {
    for (Map<String, String> words :
        List.of(
            Map.of("concurrency-mode", "halving", "max-connections", "1"),
            Map.of("concurrency-mode", "pace", "adaptive-connections", "4-80"),
            Map.of("concurrency-mode", "static", "adaptive-connections", "2-5-9"),
            Map.of("max-connections", "5", "self-hosted", "true"))) {
      assertThatExceptionOfType(ConfigurationException.class)
          .isThrownBy(() -> options(words).mode())
          .withMessageContaining("mode");
    }
    assertThat(options(Map.of("self-hosted", "true")).mode())
        .isEqualTo(
            new Mode.Pace(
                new PaceSettings(2_000, OptionalDouble.empty(), OptionalDouble.empty(), true)));
  }

  @Test
  void aTierIsACeilingBesideAWindowAndPartOfAPace() {
    LimitOptions fixed = options(Map.of("rpm", "60", "max-connections", "3"));
    assertThat(fixed.mode()).isEqualTo(new Mode.Static(3));
    assertThat(fixed.ceiling(fixed.mode()))
        .isEqualTo(new RateCeiling(OptionalDouble.of(60), OptionalDouble.empty()));
    LimitOptions pace = options(Map.of("rpm", "60"));
    assertThat(pace.mode())
        .isEqualTo(
            new Mode.Pace(
                new PaceSettings(2_000, OptionalDouble.of(60), OptionalDouble.empty(), false)));
    assertThat(pace.ceiling(pace.mode())).isEqualTo(RateCeiling.NONE);
  }

  @Test
  void theResponseCurveOfAimdCanBeSet() {
    Map<String, String> words =
        Map.of(
            "adaptive-connections", "4-80",
            "cooldown-seconds", "30",
            "decrease-factor", "0.5",
            "scale-up-percent", "0.1");
    AimdSettings expected =
        AimdSettings.defaults()
            .withBounds(4, 20, 80)
            .withCooldown(Duration.ofSeconds(30))
            .withDecreaseFactor(0.5)
            .withScaleUpPercent(0.1);
    assertThat(options(words).mode()).isEqualTo(new Mode.Aimd(expected));
    Settings inJava =
        Settings.NONE
            .adaptiveConnections("4-80")
            .cooldownSeconds(30)
            .decreaseFactor(0.5)
            .scaleUpPercent(0.1);
    assertThat(RunOptions.parse(inJava).limits().mode()).isEqualTo(new Mode.Aimd(expected));
    // A model that is retuned keeps its curve.
    assertThat(
            options(Map.of("max-connections", "40"))
                .retuned(new Mode.Aimd(expected), RateCeiling.NONE))
        .isEqualTo(new Mode.Aimd(expected.withBounds(4, 20, 40)));
  }

  @ParameterizedTest
  @CsvSource({
    "decrease-factor, 0",
    "decrease-factor, 1",
    "decrease-factor, much",
    "scale-up-percent, 0",
    "scale-up-percent, 5",
    "cooldown-seconds, -1",
  })
  void aCurveThatIsNoneIsRejected(String option, String word) {
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> options(Map.of("adaptive-connections", "true", option, word)))
        .withMessageContaining(option);
  }

  @Test
  void aCurveWithoutAimdIsRejected() {
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> options(Map.of("decrease-factor", "0.5")).mode())
        .withMessage(
            "`decrease-factor` is for mode aimd, but the mode is pace; leave it out, or choose the"
                + " mode with --adaptive-connections");
  }

  /** Whoever has given a tier means it in any mode. */
  @Test
  void aTierStaysWhenTheModeChanges() {
    var tier = new RateCeiling(OptionalDouble.of(60), OptionalDouble.empty());
    var paced =
        new Mode.Pace(
            new PaceSettings(2_000, OptionalDouble.of(60), OptionalDouble.empty(), false));
    LimitOptions toFixed = options(Map.of("concurrency-mode", "static"));
    assertThat(toFixed.retuned(tier, toFixed.retuned(paced, tier))).isEqualTo(tier);
    assertThat(options(Map.of("concurrency-mode", "pace")).retuned(new Mode.Static(3), tier))
        .isEqualTo(paced);
  }
}
