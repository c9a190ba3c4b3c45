package dev.weir.eval.select;

import dev.weir.selection.Elimination;
import dev.weir.selection.Look;
import dev.weir.selection.Selection;
import dev.weir.selection.SelectionResult;
import dev.weir.selection.Standing;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What is known of each combination, for who looks on while a selection goes on: only what has
 * changed since the last look is worked out again. Not thread-safe.
 */
final class Standings {

  private static final int MOST_HISTORIES = 100;
  private static final int MOST_LOOKS = 12;

  private final Selection selection;
  private final Standing[] last;
  // Combinations of which more is known than when they were last looked at.
  private final Set<Integer> changed = new HashSet<>();

  Standings(Selection selection) {
    this.selection = selection;
    this.last = new Standing[selection.plan().arms().size()];
    for (int arm = 0; arm < last.length; arm++) {
      changed.add(arm);
    }
  }

  void changed(int arm) {
    changed.add(arm);
  }

  /** By combination. */
  List<Standing> now() {
    selection.eliminations().stream()
        .map(Elimination::arm)
        .filter(arm -> changed.contains(arm) || last[arm].elimination().isEmpty())
        .forEach(changed::add);
    changed.forEach(arm -> last[arm] = selection.standing(arm));
    changed.clear();
    return List.of(last);
  }

  /** What was known as rounds went by, of the first of a ranking. */
  Map<Integer, List<Look>> history(SelectionResult result) {
    Map<Integer, List<Look>> history = new LinkedHashMap<>();
    result.standings().stream()
        .limit(MOST_HISTORIES)
        .forEach(arm -> history.put(arm.arm(), selection.looks(arm.arm(), MOST_LOOKS)));
    return history;
  }
}
