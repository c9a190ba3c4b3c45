package dev.weir.eval.promptfoo;

import dev.weir.eval.promptfoo.ScriptEngine.Script;
import dev.weir.eval.scorer.NoScoreException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A script that changes an answer, or the variables of a test. Thread-safe.
 *
 * @param fingerprint of what it does
 * @param place where it stands, for people
 */
record Transform(Script script, String fingerprint, Place place) {

  /**
   * @throws NoScoreException if the script fails
   */
  @Nullable Object apply(@Nullable Object value, Map<String, ? extends @Nullable Object> context) {
    try {
      String result =
          script
              .call(List.of(Json.write(value), Json.write(context)))
              .orElseThrow(
                  () ->
                      new NoScoreException("%s: the transform gave nothing back".formatted(place)));
      return Json.parse(result).map(Json.Parsed::data).orElse(null);
    } catch (ScriptException failed) {
      throw new NoScoreException("%s: %s".formatted(place, failed.getMessage()));
    }
  }
}
