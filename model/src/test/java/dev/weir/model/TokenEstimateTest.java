package dev.weir.model;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limits.pace.Cost;
import dev.weir.model.tokens.TokenCounter;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class TokenEstimateTest {

  private static TokenEstimate estimate(OutputCharge charge) {
    return new TokenEstimate(TokenCounter.byCharacters(), charge);
  }

  private static Cost cost(Request request) {
    return estimate(OutputCharge.EXPECTED).of(request, request.settings().maxTokens()).cost();
  }

  private static double input(Message... messages) {
    return cost(Request.of(List.of(messages))).inputTokens();
  }

  @Test
  void everythingThatIsSentCounts() {
    assertThat(input(Message.user("12345678"))).isEqualTo(4 + 2);
    assertThat(input(Message.instructions("12345678"), Message.user(""))).isEqualTo(4 + 2 + 4);
    assertThat(input(new Message.ToolResult("id", "tool", "12345678", false))).isEqualTo(4 + 2);
    assertThat(
            input(
                new Message.Assistant(
                    "1234",
                    "what was thought is not sent again",
                    List.of(new ToolCall("1", "tool", "12345678")),
                    Optional.empty())))
        .isEqualTo(4 + 1 + 8 + 1 + 2);
    assertThat(
            input(
                new Message.Assistant(
                    "1234", "", List.of(), Optional.of(new Message.NativeForm("w", "12345678")))))
        .isEqualTo(4 + 2);
    Request plain = Request.of("12345678");
    assertThat(
            cost(plain.withTools(
                    List.of(new Tool("tool", "1234", "12345678")), new ToolChoice.Auto()))
                .inputTokens())
        .isEqualTo(4 + 2 + 8 + 1 + 1 + 2);
    assertThat(
            cost(plain.with(
                    GenerationSettings.NONE.withResponseSchema(
                        new ResponseSchema("s", "12345678", true))))
                .inputTokens())
        .isEqualTo(4 + 2 + 2);
  }

  @Test
  void aPictureIsNotCountedByItsBytes() {
    var large = Content.Image.data("image/png", "A".repeat(1_000_000));
    assertThat(input(new Message.User(List.of(new Content.Text("1234"), large))))
        .isEqualTo(4 + 1 + 800);
  }

  @Test
  void aLongRequestIsNotCountedExactlyAsAWhole() {
    var counted =
        new TokenEstimate(
            _ -> {
              throw new AssertionError("too long to be counted");
            },
            OutputCharge.EXPECTED);
    String half = "word ".repeat(5_000);
    assertThat(
            counted
                .of(
                    Request.of(List.of(Message.user(half), Message.user(half))),
                    OptionalInt.empty())
                .cost()
                .inputTokens())
        .isEqualTo(4 + 4 + 50_000 / 4.0);
  }

  @Test
  void followsWhatProvidersCount() {
    TokenEstimate estimate = estimate(OutputCharge.EXPECTED);
    var random = new SplittableRandom(4);
    double off = 0;
    for (int i = 0; i < 300; i++) {
      Request request = Request.of("x".repeat(400 + random.nextInt(4_000)));
      TokenEstimate.Estimate guess = estimate.of(request, request.settings().maxTokens());
      long real = Math.round(guess.counted() * 1.3);
      if (i >= 20) {
        off = Math.max(off, Math.abs(guess.cost().inputTokens() / real - 1));
      }
      estimate.learn(guess, new Usage(real, 50));
    }
    assertThat(off).isLessThan(0.02);
  }

  @Test
  void outputIsTheMeanOfEarlierAnswersWithinTheBound() {
    TokenEstimate estimate = estimate(OutputCharge.EXPECTED);
    Request open = Request.of("x");
    Request bounded = open.with(GenerationSettings.NONE.withMaxTokens(30));
    assertThat(estimate.of(open, open.settings().maxTokens()).cost().outputTokens()).isEqualTo(200);
    assertThat(estimate.of(bounded, bounded.settings().maxTokens()).cost().outputTokens())
        .isEqualTo(30);
    estimate.learn(estimate.of(open, open.settings().maxTokens()), new Usage(10, 100));
    estimate.learn(estimate.of(open, open.settings().maxTokens()), new Usage(10, 50));
    assertThat(estimate.of(open, open.settings().maxTokens()).cost().outputTokens()).isEqualTo(75);
    assertThat(estimate.of(bounded, bounded.settings().maxTokens()).cost().outputTokens())
        .isEqualTo(30);
  }

  @Test
  void whatAProviderTakesUpFrontIsReserved() {
    Request open = Request.of("x".repeat(400));
    Request bounded = open.with(GenerationSettings.NONE.withMaxTokens(4_000));
    TokenEstimate anthropic = estimate(OutputCharge.of("anthropic"));
    assertThat(anthropic.of(bounded, bounded.settings().maxTokens()).cost().outputTokens())
        .isEqualTo(4_000);
    assertThat(anthropic.of(open, open.settings().maxTokens()).cost().outputTokens())
        .isEqualTo(200);
    // OpenAI takes the larger of prompt and bound, not both.
    Cost openai =
        estimate(OutputCharge.of("openai")).of(bounded, bounded.settings().maxTokens()).cost();
    assertThat(openai.inputTokens() + openai.outputTokens()).isEqualTo(4_000);
    Request tight = open.with(GenerationSettings.NONE.withMaxTokens(10));
    assertThat(
            estimate(OutputCharge.of("openai"))
                .of(tight, tight.settings().maxTokens())
                .cost()
                .outputTokens())
        .isEqualTo(10);
    assertThat(
            estimate(OutputCharge.of("sim"))
                .of(bounded, bounded.settings().maxTokens())
                .cost()
                .outputTokens())
        .isEqualTo(200);
  }

  @Test
  void aCounterThatIsSlowToLoadIsUsedOnceItIsWanted() {
    var loads = new AtomicInteger();
    TokenCounter slow =
        new TokenCounter() {
          @Override
          public double count(String text) {
            return 100;
          }

          @Override
          public boolean isSlowToLoad() {
            return true;
          }

          @Override
          public void load() {
            loads.incrementAndGet();
          }
        };
    var estimate = new TokenEstimate(slow, OutputCharge.EXPECTED);
    Request request = Request.of("12345678");
    TokenEstimate.Estimate rough = estimate.of(request, OptionalInt.empty());
    assertThat(rough.counted()).isEqualTo(4 + 2);
    assertThat(estimate.isRough()).isTrue();
    assertThat(loads).hasValue(0);

    estimate.refine();
    assertThat(loads).hasValue(1);
    assertThat(estimate.isRough()).isFalse();
    // What was counted roughly does not correct what is now counted well.
    estimate.learn(rough, new Usage(12, 5));
    assertThat(estimate.of(request, OptionalInt.empty()).cost().inputTokens()).isEqualTo(4 + 100);
  }
}
