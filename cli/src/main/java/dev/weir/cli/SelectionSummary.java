package dev.weir.cli;

import dev.weir.eval.select.SelectionFindings;
import dev.weir.selection.Objective;
import dev.weir.selection.SelectionPlan;
import dev.weir.selection.SelectionResult;
import dev.weir.selection.Selectors;
import dev.weir.selection.Standing;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.IntFunction;
import java.util.stream.Collectors;

/** What a selection found, in sentences. */
record SelectionSummary(SelectionFindings found) {

  private static final int MOST_NAMED = 8;
  private static final double LEAST_SHOWN = 1e-9;

  private SelectionResult result() {
    return found.result();
  }

  /** The combination to take, if there is one. */
  Optional<Standing> winner() {
    return result().winner().isPresent()
        ? Optional.of(result().standings().getFirst())
        : Optional.empty();
  }

  /** On how much the winner failed, if it did. */
  Optional<String> failures() {
    return winner()
        .filter(arm -> arm.failures() > 0)
        .map(
            arm ->
                String.format(
                    Locale.ROOT,
                    "It failed on %d of %d datapoints (%.1f %%).",
                    arm.failures(),
                    arm.samples(),
                    100.0 * arm.failures() / arm.samples()));
  }

  /** What is known of the first combination of the ranking: one word for all reports. */
  String headline() {
    if (winner().isEmpty()) {
      return "No winner";
    }
    if (isAlone()) {
      return "Only combination";
    }
    if (found.plan().objective() instanceof Objective.Pareto) {
      return "Highest score of the front";
    }
    if (!result().notDecided().isEmpty()) {
      return "Leader";
    }
    return result().confidence().isPresent() ? "Winner" : "Best found";
  }

  /** Whether another combination may still turn out to be the one to take. */
  boolean isDecided() {
    return isAlone() || result().notDecided().isEmpty();
  }

  /**
   * The verdict in one sentence: the combination, and how sure it is. No other sentence says
   * anything of it.
   *
   * @param whole names of the first combination
   * @param brief names of the others
   */
  String verdict(IntFunction<String> whole, IntFunction<String> brief) {
    String who = winner().map(arm -> ": " + whole.apply(arm.arm())).orElse("");
    return headline() + who + "; " + sureness(brief) + ".";
  }

  /** How sure the winner is, and what was given up without being shown to be worse. */
  String sureness(IntFunction<String> name) {
    List<String> parts = new ArrayList<>();
    parts.add(decision(name));
    List<Integer> gone = result().notShownWorse();
    if (winner().isPresent() && !gone.isEmpty()) {
      parts.add(
          "given up by rule, but not shown to be worse: "
              + names(gone, arm -> name.apply(arm) + whyWithoutAnother(arm)));
    }
    List<Integer> missed = result().notLookedAt();
    if (!missed.isEmpty()) {
      parts.add("not looked at: " + names(missed, name));
    }
    return String.join("; ", parts);
  }

  /** One that was given up for its failures may well be the best, if they can be mended. */
  private String whyWithoutAnother(int arm) {
    return result().standings().stream()
        .filter(one -> one.arm() == arm)
        .flatMap(one -> one.elimination().stream())
        .filter(gone -> gone.by().isEmpty())
        .map(gone -> " (%s)".formatted(gone.reason()))
        .collect(Collectors.joining());
  }

  private String decision(IntFunction<String> name) {
    boolean isOpen = !result().notDecided().isEmpty();
    if (winner().isEmpty()) {
      return isOpen
          ? "not decided between " + names(result().notDecided(), name)
          : "no combination has enough samples with a score";
    }
    if (isAlone()) {
      return "there was nothing to decide";
    }
    if (found.plan().objective() instanceof Objective.Pareto) {
      return isOpen
          ? "not decided whether on the front: " + names(result().notDecided(), name)
          : "it is decided which combinations are on the front";
    }
    if (isOpen) {
      return "not decided against " + names(result().notDecided(), name);
    }
    if (result().confidence().isPresent()) {
      return String.format(
          Locale.ROOT, "confidence %.1f %%", 100 * result().confidence().getAsDouble());
    }
    return Selectors.name(found.plan().selector()) + " claims no confidence";
  }

  /** Why intervals are wider than those that an evaluation has of the same scores. */
  String intervals() {
    return percent(1 - found.plan().delta())
        + ", betting: valid at every look, and therefore wider than the Wilson intervals of weir"
        + " eval";
  }

  /** {@code 95 %}, {@code 99.9 %}. */
  static String percent(double share) {
    return BigDecimal.valueOf(100 * share)
            .round(new MathContext(6))
            .stripTrailingZeros()
            .toPlainString()
        + " %";
  }

  static String names(List<Integer> arms, IntFunction<String> name) {
    String named =
        arms.stream().limit(MOST_NAMED).map(name::apply).collect(Collectors.joining(", "));
    int more = arms.size() - MOST_NAMED;
    return more > 0 ? "%s and %d more".formatted(named, more) : named;
  }

  /** Datapoints of combinations with an outcome, however many attempts that took. */
  long evaluations() {
    return result().standings().stream().mapToLong(Standing::samples).sum();
  }

  /** {@code 272 with repeated attempts}; only if there were any. */
  Optional<String> attempts() {
    return result().evaluations() > evaluations()
        ? Optional.of("%d with repeated attempts".formatted(result().evaluations()))
        : Optional.empty();
  }

  /** Evaluations that brute force would need beside; none if it was ended early. */
  Optional<Long> saved() {
    // One that was ended early has saved nothing: it has not finished.
    return found.stopped().isPresent() || isAlone()
        ? Optional.empty()
        : Optional.of(result().allEvaluations() - evaluations());
  }

  /** Where there is nothing to choose from, nothing is decided and nothing saved. */
  private boolean isAlone() {
    return result().standings().size() == 1;
  }

  /** {@code 1150 saved against brute force (64 %)}. */
  Optional<String> savedEvaluations() {
    return saved()
        .map(
            saved ->
                String.format(
                    Locale.ROOT,
                    "%d saved against brute force (%.0f %%)",
                    saved,
                    100.0 * saved / result().allEvaluations()));
  }

  /** What brute force would cost, by what combinations have cost; empty if nobody knows. */
  OptionalDouble bruteForceCost() {
    double sum = 0;
    for (Standing arm : result().standings()) {
      if (arm.cost().isEmpty()) {
        return OptionalDouble.empty();
      }
      sum += arm.cost().getAsDouble() * found.plan().datapoints();
    }
    return OptionalDouble.of(sum);
  }

  String cost() {
    return result().cost().isPresent()
        ? dollars(found.knownCost())
        : "at least %s; a price is unknown".formatted(dollars(found.knownCost()));
  }

  /** {@code about $1.20 saved}; only if there is something. */
  Optional<String> savedCost() {
    double saved = bruteForceCost().orElse(0) - found.knownCost();
    // What is left of sums that are equal but for rounding is no saving.
    return saved().orElse(0L) == 0 || saved < LEAST_SHOWN
        ? Optional.empty()
        : Optional.of("about %s saved".formatted(dollars(saved)));
  }

  /** Whether combinations are compared by something else than their score. */
  static boolean hasOwnValue(SelectionPlan plan) {
    return plan.objective() instanceof Objective.Weighted;
  }

  /** In the words of the option. */
  static String objective(Objective objective) {
    return switch (objective) {
      case Objective.Score() -> "the highest score";
      case Objective.Within(double points, Objective.Measure least) ->
          "the %s within %s points of the best score"
              .formatted(least == Objective.Measure.COST ? "cheapest" : "fastest", points);
      case Objective.Weighted(double cost, double costScale, double time, double timeScale) ->
          "score, less %s points for %s and %s points for %s s"
              .formatted(cost, dollars(costScale), time, timeScale);
      case Objective.Pareto() -> "the Pareto set of score, cost and latency";
    };
  }

  /** With at least three digits that say something. */
  static String dollars(double amount) {
    if (amount == 0 || amount >= 100) {
      return String.format(Locale.ROOT, "$%.2f", amount);
    }
    int digits = Math.clamp(2 - (int) Math.floor(Math.log10(amount)), 2, 9);
    return String.format(Locale.ROOT, "$%." + digits + "f", amount);
  }
}
