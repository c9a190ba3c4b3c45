package dev.weir.eval.scorer;

import static dev.weir.eval.component.Parameter.optional;

import dev.weir.eval.component.Component;
import dev.weir.eval.component.Parameter.Kind;
import dev.weir.eval.sample.SampleContext;
import dev.weir.eval.sample.SampleState;
import dev.weir.eval.solver.Foresight;
import dev.weir.model.Printable;
import java.math.BigDecimal;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Right if a number of the output is near enough to a target.
 *
 * @param tolerance how far it may be away
 * @param relative how far, as a share of the target; the wider of the two holds
 */
record Numeric(BigDecimal tolerance, BigDecimal relative, Location location) implements Scorer {

  static final Component<Scorer> COMPONENT =
      new Component<>(
          "numeric",
          "Right if a number of the output is within a tolerance of a target.",
          List.of(
              optional("tolerance", Kind.NUMBER, "How far it may be from the target. Default: 0."),
              optional(
                  "relative",
                  Kind.NUMBER,
                  "How far it may be, as a share of the target such as 0.01; the wider holds."
                      + " Default: 0."),
              optional(
                  "location",
                  Kind.TEXT,
                  "Which number: the first (begin), the last (end), any, or exact if there must be"
                      + " nothing else. Default: end.")),
          arguments ->
              new Numeric(
                  BigDecimal.valueOf(
                      arguments.number("tolerance", 0, Double.MAX_VALUE).orElse(0.0)),
                  BigDecimal.valueOf(arguments.number("relative", 0, Double.MAX_VALUE).orElse(0.0)),
                  Words.read(arguments, "location", Location.class, Location.END)));

  @Override
  public void foresee(Foresight task) {
    task.requireTargets(
        (_, target) ->
            Numbers.parse(target).isPresent() ? Optional.empty() : Optional.of(noNumber(target)));
  }

  @Override
  public Score score(SampleState state, SampleContext context) {
    List<BigDecimal> targets = Targets.of(state).stream().map(target -> number(target)).toList();
    List<BigDecimal> found = Numbers.at(location, Targets.output(state));
    if (found.isEmpty()) {
      return Score.WRONG.withExplanation("the output has no number to compare");
    }
    for (BigDecimal number : found) {
      if (targets.stream().anyMatch(target -> isNear(number, target))) {
        return Score.RIGHT.withAnswer(number.toString());
      }
    }
    return Score.WRONG.withAnswer(
        found.stream().limit(5).map(BigDecimal::toString).collect(Collectors.joining(", ")));
  }

  private boolean isNear(BigDecimal number, BigDecimal target) {
    BigDecimal allowed = tolerance.max(relative.multiply(target.abs()));
    return number.subtract(target).abs().compareTo(allowed) <= 0;
  }

  private static BigDecimal number(String target) {
    return Numbers.parse(target).orElseThrow(() -> new NoScoreException(noNumber(target)));
  }

  private static String noNumber(String target) {
    return "the target '%s' is no number, but the scorer 'numeric' needs one"
        .formatted(Printable.line(target));
  }
}
