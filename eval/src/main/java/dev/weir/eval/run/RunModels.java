package dev.weir.eval.run;

import dev.weir.log.RunResult;
import dev.weir.model.Model;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * The evaluated model and those that play roles, each of them twice: scorers grade what was
 * answered even when the budget is used up. Thread-safe.
 */
final class RunModels {

  private final PricedModel evaluated;
  private final PricedModel grading;
  private final Map<String, PricedModel> roles;
  private final Map<String, PricedModel> gradingRoles = new HashMap<>();
  private final Set<String> askedRoles = ConcurrentHashMap.newKeySet();
  private final Set<String> selfGradedRoles = ConcurrentHashMap.newKeySet();

  /**
   * @param watch of the evaluated model; told whether its calls are bounded by the budget
   * @param roleWatch the same, of the others
   */
  RunModels(
      RunPlan plan, Function<Boolean, CallWatch> watch, Function<Boolean, CallWatch> roleWatch) {
    this.evaluated = plan.evaluated().apply(watch.apply(true));
    this.grading = evaluated.with(plan.evaluated().apply(watch.apply(false)).model());
    this.roles = plan.roles().apply(roleWatch.apply(true));
    plan.roles()
        .apply(roleWatch.apply(false))
        .forEach(
            (role, other) ->
                gradingRoles.put(role, roles.getOrDefault(role, other).with(other.model())));
  }

  Model evaluated() {
    return evaluated.model();
  }

  PricedModel evaluated(boolean isScoring) {
    return isScoring ? grading : evaluated;
  }

  /** Whether the evaluated model plays a role, because no other does. */
  boolean playsItself(String role) {
    return !roles.containsKey(role);
  }

  /**
   * @param isScoring whether a scorer asks, who may even when the budget is used up
   */
  PricedModel role(String role, boolean isScoring) {
    askedRoles.add(role);
    if (isScoring && !gradingRoles.containsKey(role)) {
      selfGradedRoles.add(role);
    }
    return isScoring
        ? gradingRoles.getOrDefault(role, grading)
        : roles.getOrDefault(role, evaluated);
  }

  /** The roles that solvers and scorers have asked for. */
  Set<String> askedRoles() {
    return Set.copyOf(askedRoles);
  }

  /** The roles in which the evaluated model has graded its own answers. */
  Set<String> selfGradedRoles() {
    return new TreeSet<>(selfGradedRoles);
  }

  /** The run begins. */
  void begin() {
    evaluated.count().begin(evaluated.model());
    roles.values().forEach(other -> other.count().begin(other.model()));
  }

  /**
   * What each was used for.
   *
   * @param ofRun how long the run took
   * @param full for how long as many samples were open as may be
   */
  List<RunResult.ModelUse> uses(Duration ofRun, Duration full) {
    List<RunResult.ModelUse> uses = new ArrayList<>();
    uses.add(evaluated.count().use(evaluated.model(), "evaluated", ofRun, full));
    roles.forEach(
        (role, other) -> uses.add(other.count().use(other.model(), role, ofRun, Duration.ZERO)));
    return uses;
  }
}
