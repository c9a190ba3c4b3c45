package dev.weir.eval.promptfoo;

import dev.weir.eval.sample.Used;
import dev.weir.eval.scorer.NoScoreException;
import java.math.BigDecimal;

/** Assertions about what the call of the model took. */
final class ResourceChecks {

  private ResourceChecks() {}

  /** {@code cost}, in US dollars. */
  static Check cost(double threshold) {
    return (answer, _) -> {
      BigDecimal cost =
          used(answer, "cost")
              .spend()
              .total()
              .orElseThrow(
                  () ->
                      new NoScoreException(
                          "the price of %s is not known; state it in a file for --prices"
                              .formatted(answer.target().model())));
      return Verdict.of(
          cost.doubleValue() <= threshold,
          "cost at most $%s, costs $%s"
              .formatted(BigDecimal.valueOf(threshold).toPlainString(), cost.toPlainString()));
    };
  }

  /** {@code latency}, in milliseconds, without any waiting. */
  static Check latency(double threshold) {
    return (answer, _) -> {
      double millis = used(answer, "latency").called().toNanos() / 1e6;
      return Verdict.of(
          millis <= threshold,
          "take at most %s ms, took %s ms"
              .formatted(Json.scalarText(threshold), Math.round(millis)));
    };
  }

  private static Used used(Answer answer, String what) {
    return answer
        .used()
        .orElseThrow(() -> new NoScoreException("no model was called, so there is no " + what));
  }
}
