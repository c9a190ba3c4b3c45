package dev.weir.eval.select;

import dev.weir.selection.Look;
import dev.weir.selection.SelectionPlan;
import dev.weir.selection.SelectionResult;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What came of a selection.
 *
 * @param task its name
 * @param plan what was to be selected
 * @param result what is known
 * @param kept evaluations that were taken from the journal of an earlier time
 * @param ahead what was evaluated before it was decided
 * @param knownCost dollars of all evaluations, of what has a price; those that were ended before
 *     they had an outcome included
 * @param stopped why it ended before it was done, if it did
 * @param interrupted whether somebody ended it
 * @param errors the first error of each combination that had one
 * @param history what was known of combinations as rounds went by; of the first hundred of the
 *     ranking
 * @param elapsed this time
 * @param journal where each outcome is kept
 */
public record SelectionFindings(
    String task,
    SelectionPlan plan,
    SelectionResult result,
    long kept,
    Ahead ahead,
    double knownCost,
    Optional<String> stopped,
    boolean interrupted,
    Map<Integer, String> errors,
    Map<Integer, List<Look>> history,
    Duration elapsed,
    Path journal) {

  public SelectionFindings {
    errors = Map.copyOf(errors);
    history = Map.copyOf(history);
  }

  /**
   * Evaluations that were made ahead: with {@code speculate}, or in slots that were idle before
   * anything of their combination was known. They are in no result before they are decided; those
   * that never were are paid for all the same.
   *
   * @param started this time, with {@code speculate}
   * @param inVain that were never decided, those of earlier times included
   * @param costInVain their known dollars
   */
  public record Ahead(long started, long inVain, double costInVain) {}

  /** The models of a combination, by node. */
  public Map<String, String> models(int arm) {
    return ModelSelection.models(plan.arms(), arm);
  }
}
