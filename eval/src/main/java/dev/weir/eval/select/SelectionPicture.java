package dev.weir.eval.select;

import dev.weir.eval.run.ModelProgress;
import dev.weir.selection.Standing;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A selection at one moment, as closely as can be seen.
 *
 * @param progress in numbers
 * @param standings what is known of each combination, by its index; not compared to any other
 * @param survivors combinations that were not given up
 * @param running evaluations that are under way, by combination; none where it is absent
 * @param kept evaluations that were taken from the journal of an earlier time
 * @param maxConcurrent calls in flight at most
 * @param models each model as all evaluations together use it, graders included
 * @param waitingForSandboxes how many samples wait for one
 * @param elapsed since it began
 */
public record SelectionPicture(
    SelectionProgress progress,
    List<Standing> standings,
    Set<Integer> survivors,
    Map<Integer, Integer> running,
    long kept,
    int maxConcurrent,
    List<ModelProgress> models,
    int waitingForSandboxes,
    Duration elapsed) {

  public SelectionPicture {
    standings = List.copyOf(standings);
    survivors = Set.copyOf(survivors);
    running = Map.copyOf(running);
    models = List.copyOf(models);
  }
}
