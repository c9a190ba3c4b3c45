package dev.weir.cli;

import dev.weir.eval.select.ModelSelection;
import dev.weir.eval.select.SelectionPicture;
import dev.weir.model.Printable;
import dev.weir.selection.SelectionPlan;
import dev.weir.selection.Standing;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** A selection, as it is shown while it runs. */
final class ShownSelection implements Subject {

  private final ModelSelection selection;
  private final boolean colours;
  private final SelectionNames names;
  private final Outlook outlook = new Outlook(0);

  ShownSelection(ModelSelection selection, boolean colours) {
    this.selection = selection;
    this.colours = colours;
    this.names = new SelectionNames(selection.plan().arms());
  }

  @Override
  public List<String> opening() {
    SelectionPlan plan = selection.plan();
    return List.of(
        "%s: %s on %s, at most %d evaluations"
            .formatted(
                Printable.line(selection.task()),
                Numbers.count(plan.arms().size(), "combination"),
                Numbers.count(plan.datapoints(), "datapoint"),
                Math.min(plan.budget(), plan.allEvaluations())));
  }

  @Override
  public List<String> picture(int columns, int rows) {
    return frame().map(frame -> frame.lines(columns, rows)).orElse(List.of());
  }

  @Override
  public List<String> lines() {
    return frame().map(frame -> List.of(frame.line())).orElse(List.of());
  }

  private Optional<SelectionFrame> frame() {
    return selection
        .picture()
        .map(
            now ->
                new SelectionFrame(
                    now,
                    selection.plan().datapoints(),
                    names,
                    SelectionSummary.hasOwnValue(selection.plan()),
                    left(now),
                    colours));
  }

  /** What came from the journal took no time. */
  private Optional<Duration> left(SelectionPicture now) {
    long known = now.standings().stream().mapToLong(Standing::samples).sum();
    return outlook.left(
        now.elapsed(),
        Math.max(0, known - now.kept()),
        now.progress().mostEvaluations() - now.kept(),
        Optional.empty());
  }
}
