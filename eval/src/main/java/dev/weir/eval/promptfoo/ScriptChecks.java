package dev.weir.eval.promptfoo;

import dev.weir.eval.promptfoo.ScriptEngine.Script;
import dev.weir.eval.scorer.NoScoreException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Assertions that a script judges. */
final class ScriptChecks {

  private ScriptChecks() {}

  /**
   * {@code javascript}. What the script throws is a reason to fail, as in promptfoo, also for
   * {@code not-}; what is no script says nothing.
   *
   * @param scripts what judges an answer
   */
  static Check javascript(
      Function<Answer, Script> scripts,
      OptionalDouble threshold,
      @Nullable Object config,
      Place place) {
    return (answer, _) -> {
      Script script;
      try {
        script = scripts.apply(answer);
      } catch (ScriptException unreadable) {
        throw new NoScoreException(
            "%s: filled with the variables of the test, %s"
                .formatted(place, unreadable.getMessage()));
      }
      try {
        Optional<String> result =
            script.call(
                List.of(Json.write(answer.output()), Json.write(answer.scriptContext(config))));
        return verdict(result, threshold, place);
      } catch (ScriptException failed) {
        if (failed.isOverBounds()) {
          throw new NoScoreException("%s: %s".formatted(place, failed.getMessage()));
        }
        return Verdict.failed("the script failed: " + failed.getMessage());
      }
    };
  }

  /**
   * What a script returned: a flag, a number, or {@code pass}, {@code score} and {@code reason}.
   *
   * @param json empty for nothing
   */
  static Verdict verdict(Optional<String> json, OptionalDouble threshold, Place place) {
    Object result = json.flatMap(Json::parse).map(Json.Parsed::data).orElse(null);
    return switch (result) {
      case Boolean pass -> Verdict.of(pass, pass ? 1 : 0, pass ? "" : "the script returned false");
      case Number number -> {
        double score = number.doubleValue();
        boolean pass = threshold.isPresent() ? score >= threshold.getAsDouble() : score > 0;
        yield Verdict.of(pass, score, pass ? "" : "the script returned " + number);
      }
      case Map<?, ?> map -> ofMap(map, threshold, place);
      case null, default ->
          throw new NoScoreException(
              "%s: the script must return true or false, a number, or {pass, score, reason}, but returned %s"
                  .formatted(place, json.orElse("nothing")));
    };
  }

  private static Verdict ofMap(Map<?, ?> map, OptionalDouble threshold, Place place) {
    Object passed = map.containsKey("pass") ? map.get("pass") : map.get("pass_");
    Optional<Double> given = Rubrics.number(map.get("score"));
    if (!(passed instanceof Boolean) && given.isEmpty()) {
      throw new NoScoreException(
          "%s: what the script returned has neither `pass` nor `score`".formatted(place));
    }
    boolean claimed = passed instanceof Boolean pass ? pass : given.orElse(0.0) > 0;
    double score = given.orElse(claimed ? 1.0 : 0.0);
    boolean isEnough = threshold.isEmpty() || score >= threshold.getAsDouble();
    String reason = map.get("reason") instanceof String text ? text : "";
    return Verdict.of(claimed && isEnough, score, reason);
  }
}
