package dev.weir.model.tokens;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TokenCounterTest {

  @ParameterizedTest
  @CsvSource({
    "openai, gpt-4o, o200k",
    "openai, gpt-4.1-mini, o200k",
    "openai, gpt-5.4, o200k",
    "openai, o3, o200k",
    "openai, ft:anything, o200k",
    "openai, gpt-4, cl100k",
    "openai, gpt-4-turbo, cl100k",
    "openai, gpt-3.5-turbo, cl100k",
    "azure, my-deployment, o200k",
    "azure, gpt-35-turbo, cl100k",
    "openrouter, openai/gpt-4o, o200k",
    "groq, openai/gpt-oss-120b, o200k",
    "openai-api, vllm/meta-llama/Llama-3.1-8B, characters",
    "anthropic, claude-opus-4-5, characters",
    "mistral, open-mistral-7b, characters",
    "groq, o1ive, characters",
    "sim, demo, characters"
  })
  void openAiModelsAreCountedExactlyWhereverTheyAreServed(
      String provider, String model, String expected) {
    TokenCounter counter = TokenCounter.of(provider, model);
    switch (expected) {
      case "o200k" -> assertThat(counter).isSameAs(OpenAiTokens.O200K);
      case "cl100k" -> assertThat(counter).isSameAs(OpenAiTokens.CL100K);
      default -> assertThat(counter).isNotInstanceOf(OpenAiTokens.class);
    }
  }

  /** Known counts of these vocabularies. */
  @ParameterizedTest
  @CsvSource({
    "'', 0, 0",
    "hello world, 2, 2",
    "tiktoken is great!, 6, 6",
    "antidisestablishmentarianism, 6, 6",
    "2 + 2 = 4, 7, 7",
    "お誕生日おめでとう, 9, 8",
  })
  void exactCountsAreThoseThatAreKnown(String text, int cl100k, int o200k) {
    assertThat(OpenAiTokens.CL100K.count(text)).isEqualTo(cl100k);
    assertThat(OpenAiTokens.O200K.count(text)).isEqualTo(o200k);
  }

  @Test
  void whatLooksLikeAControlTokenIsText() {
    assertThat(OpenAiTokens.O200K.count("<|endoftext|>")).isGreaterThan(1);
  }

  @Test
  void noTextIsTooOdd() {
    var random = new SplittableRandom(11);
    for (int round = 0; round < 300; round++) {
      var text = new StringBuilder();
      for (int i = random.nextInt(200); i > 0; i--) {
        text.append((char) random.nextInt(0x10000));
      }
      assertThat(OpenAiTokens.O200K.count(text.toString())).isBetween(0.0, 4.0 * text.length());
      assertThat(TokenCounter.byCharacters().count(text.toString()))
          .isBetween(0.0, (double) text.length());
    }
  }

  @Test
  void longTextsAreCountedInReasonableTime() {
    assertThat(OpenAiTokens.O200K.count("The quick brown fox jumps. ".repeat(1_500)))
        .isEqualTo(9_001);
    // Without a break, which is what makes simple ways of counting slow.
    assertThat(OpenAiTokens.O200K.count("a".repeat(40_000))).isEqualTo(5_000);
  }

  @Test
  void signsWeighMoreThanLetters() {
    TokenCounter counter = TokenCounter.byCharacters();
    assertThat(counter.count("abcdefgh")).isEqualTo(2);
    assertThat(counter.count("привет!!")).isEqualTo(3.5);
    assertThat(counter.count("日本語")).isEqualTo(3);
    assertThat(counter.count("\uD83D\uDE00")).isEqualTo(1);
  }

  @Test
  void calibrationFollowsWhatIsCounted() {
    var calibration = new Calibration();
    assertThat(calibration.ratio()).isEqualTo(1);
    calibration.observe(100, 150);
    assertThat(calibration.ratio()).isEqualTo(1.5);
    for (int i = 0; i < 200; i++) {
      calibration.observe(100, 80);
    }
    assertThat(calibration.ratio()).isBetween(0.79, 0.81);
    // The size counts: a hundred tiny requests say less than one large one.
    calibration.observe(100_000, 160_000);
    assertThat(calibration.ratio()).isBetween(1.5, 1.6);
  }

  @Test
  void calibrationIsBounded() {
    var random = new SplittableRandom(2);
    var calibration = new Calibration();
    for (int i = 0; i < 1_000; i++) {
      calibration.observe(
          random.nextInt(4) == 0 ? 0 : random.nextDouble() * 1e6,
          random.nextInt(4) == 0 ? Long.MAX_VALUE : random.nextLong(1_000_000));
      assertThat(calibration.ratio()).isBetween(0.25, 4.0);
    }
    var silent = new Calibration();
    silent.observe(100, 0);
    silent.observe(Double.NaN, 5);
    assertThat(silent.ratio()).isEqualTo(1);
  }
}
