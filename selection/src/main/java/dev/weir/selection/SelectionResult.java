package dev.weir.selection;

import java.util.List;
import java.util.OptionalDouble;
import java.util.OptionalInt;

/**
 * What a selection found.
 *
 * @param ending why it ended
 * @param winner the arm to take; empty when none has enough samples, or when the selector was ended
 *     before it had looked at all that it was to look at
 * @param notDecided arms that may as well be the best, after the winner, or the best so far where
 *     there is none; empty when it is decided. With the objective {@link Objective.Pareto}, those
 *     of which it is open whether they are on the front, the winner perhaps among them
 * @param front with the objective {@link Objective.Pareto}, the arms that by their means none beats
 *     in everything; surely those that are not among {@code notDecided}; with {@link
 *     Objective.Within}, those that are surely within the points; with {@link
 *     Selector.ThresholdElimination}, those surely above the threshold; otherwise empty
 * @param confidence that the winner is what the objective asks for, where the selector guarantees
 *     one and it is decided
 * @param standings all arms, the winner first, then other survivors, then those given up
 * @param evaluations attempts that were told
 * @param allEvaluations what brute force needs
 * @param cost dollars of all of them; empty when any is unknown
 */
public record SelectionResult(
    Ending ending,
    OptionalInt winner,
    List<Integer> notDecided,
    List<Integer> front,
    OptionalDouble confidence,
    List<Standing> standings,
    long evaluations,
    long allEvaluations,
    OptionalDouble cost) {

  public SelectionResult {
    notDecided = List.copyOf(notDecided);
    front = List.copyOf(front);
    standings = List.copyOf(standings);
  }

  /**
   * Arms that were given up by a rule of thumb and of which their own interval does not show that
   * they are behind the winner, and those given up for their failures of which no bet shows it; the
   * highest first. With one of the latter no confidence is claimed.
   */
  public List<Integer> notShownWorse() {
    return standings.stream()
        .filter(arm -> arm.elimination().filter(gone -> !gone.isShown()).isPresent())
        .filter(
            arm ->
                arm.isGivenUpForFailures()
                    || arm.behindWinner().filter(behind -> behind.interval().low() > 0).isEmpty())
        .map(Standing::arm)
        .toList();
  }

  /** Arms that were not given up, and of which nothing is known. */
  public List<Integer> notLookedAt() {
    return standings.stream()
        .filter(arm -> arm.samples() == 0 && arm.elimination().isEmpty())
        .map(Standing::arm)
        .sorted()
        .toList();
  }

  /** Why a selection ended. */
  public enum Ending {
    /** The selector has what it wants. */
    FINISHED,
    /** The next decision would take more evaluations than are allowed. */
    BUDGET_USED,
    /** {@link Selection#stop} was called. */
    STOPPED
  }
}
