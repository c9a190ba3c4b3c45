package dev.weir.eval.scorer;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * What a scorer made of an answer.
 *
 * @param value usually from 0, wrong, to 1, right; any finite number
 * @param answer what of the output was judged, if not all of it
 * @param explanation why, for people
 * @param metadata what else the scorer has to tell: text, numbers, lists and maps of them
 */
public record Score(
    double value,
    Optional<String> answer,
    Optional<String> explanation,
    Map<String, Object> metadata) {

  public static final Score RIGHT = of(1);
  public static final Score WRONG = of(0);

  public Score {
    Objects.requireNonNull(answer, "`answer` of a score is null; say Optional.empty()");
    Objects.requireNonNull(explanation, "`explanation` of a score is null; say Optional.empty()");
    if (!Double.isFinite(value)) {
      throw new IllegalArgumentException("a score must be a finite number, was " + value);
    }
    metadata =
        metadata.isEmpty() ? Map.of() : Collections.unmodifiableMap(new LinkedHashMap<>(metadata));
  }

  public static Score of(double value) {
    return new Score(value, Optional.empty(), Optional.empty(), Map.of());
  }

  public static Score of(boolean right) {
    return right ? RIGHT : WRONG;
  }

  public Score withAnswer(String text) {
    return new Score(value, Optional.of(text), explanation, metadata);
  }

  public Score withExplanation(String text) {
    return new Score(value, answer, Optional.of(text), metadata);
  }

  public Score withMetadata(Map<String, Object> details) {
    return new Score(value, answer, explanation, details);
  }
}
