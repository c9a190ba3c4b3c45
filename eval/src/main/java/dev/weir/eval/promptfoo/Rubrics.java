package dev.weir.eval.promptfoo;

import dev.weir.eval.sample.SampleContext;
import dev.weir.eval.scorer.NoScoreException;
import dev.weir.model.Printable;
import dev.weir.model.Request;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Asks judges, and understands what they say. */
final class Rubrics {

  private static final int LONGEST_QUOTE = 200;

  private Rubrics() {}

  /**
   * Asks the judge of an assertion.
   *
   * @param own who judges, and how he is asked, if the assertion says so itself
   * @param usual how he is asked if nobody says
   * @param about what the prompt may speak of beside the variables of the test
   * @param right what a simulated judge says when it is right
   * @param wrong what it says otherwise
   */
  static String ask(
      Optional<Grader> own,
      Optional<Value> ownPrompt,
      String usual,
      Map<String, ? extends @Nullable Object> about,
      String right,
      String wrong,
      Answer answer,
      SampleContext context)
      throws InterruptedException {
    Grader grader = own.or(() -> answer.test().options().grader()).orElse(Grader.DEFAULT);
    Value template =
        ownPrompt
            .or(() -> answer.test().options().rubricPrompt())
            .orElse(Value.of(usual, answer.test().place()));
    Map<String, @Nullable Object> variables = new LinkedHashMap<>(answer.test().vars());
    variables.putAll(about);
    Prompt prompt = Prompt.of("", Json.text(template.plain()), List.of(), template.place());
    Prompt.Filled filled = prompt.fill(answer.templates(), variables, "", "");
    return context
        .role(grader.role())
        .generate(Request.of(filled.messages()).with(grader.settings()).withTarget(right, wrong))
        .message()
        .text();
  }

  /** The verdict of a judge who was asked for {@code pass}, {@code score} and {@code reason}. */
  static Verdict verdict(String said, java.util.OptionalDouble threshold) {
    Map<?, ?> verdict =
        Json.find(said, parsed -> parsed.data() instanceof Map<?, ?> map && isVerdict(map))
            .map(parsed -> (Map<?, ?>) parsed.data())
            .orElseThrow(() -> noVerdict(said));
    Object passed = verdict.get("pass");
    Object scored = verdict.get("score");
    if ((passed != null && !passed.toString().matches("true|false"))
        || (scored != null && number(scored).isEmpty())) {
      throw noVerdict(said);
    }
    boolean pass = passed == null || passed.equals(true) || "true".equals(passed);
    double score = number(scored).orElse(pass ? 1.0 : 0.0);
    String reason = verdict.get("reason") instanceof String text ? text : "";
    boolean isEnough = threshold.isEmpty() || score >= threshold.getAsDouble();
    return Verdict.of(
        pass && isEnough,
        score,
        pass && !isEnough
            ? "the score %s is below the threshold; %s".formatted(score, reason)
            : reason);
  }

  private static boolean isVerdict(Map<?, ?> map) {
    return map.containsKey("pass") || map.containsKey("score") || map.containsKey("reason");
  }

  static Optional<Double> number(@Nullable Object value) {
    try {
      return value == null
          ? Optional.empty()
          : Optional.of(Double.parseDouble(value.toString())).filter(Double::isFinite);
    } catch (NumberFormatException notANumber) {
      return Optional.empty();
    }
  }

  static NoScoreException noVerdict(String said) {
    String line = Printable.line(said);
    return new NoScoreException(
        "the grader gave no verdict, but said: "
            + (line.length() <= LONGEST_QUOTE ? line : line.substring(0, LONGEST_QUOTE) + "…"));
  }
}
