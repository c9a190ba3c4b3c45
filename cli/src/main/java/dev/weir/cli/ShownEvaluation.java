package dev.weir.cli;

import dev.weir.eval.Evaluation;
import dev.weir.eval.run.ModelProgress;
import dev.weir.eval.run.RunProgress;
import dev.weir.model.Printable;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** The runs of an evaluation, as they are shown. */
final class ShownEvaluation implements Subject {

  private static final int MOST_PLAIN_LINES = 10;

  private final Evaluation evaluation;
  private final boolean colours;
  private final List<Outlook> outlooks = new ArrayList<>();

  ShownEvaluation(Evaluation evaluation, boolean colours) {
    this.evaluation = evaluation;
    this.colours = colours;
    // Before it begins, nothing is finished but what is kept.
    evaluation.progress().forEach(run -> outlooks.add(new Outlook(run.done())));
  }

  @Override
  public List<String> opening() {
    return evaluation.progress().stream().map(ShownEvaluation::heading).toList();
  }

  private static String heading(RunProgress run) {
    return "%s: %s".formatted(name(run), Numbers.count(run.total(), "sample"));
  }

  private static String name(RunProgress run) {
    return Printable.line("%s on %s".formatted(run.task(), run.model()));
  }

  @Override
  public List<String> picture(int columns, int rows) {
    return new Frame(
            views(evaluation.progress()),
            evaluation.models(),
            evaluation.waitingForSandboxes(),
            colours)
        .lines(columns, rows);
  }

  @Override
  public List<String> lines() {
    return plainLines(views(evaluation.progress()));
  }

  /** Runs are always in the same order, so each finds what was seen of it before. */
  private List<RunView> views(List<RunProgress> runs) {
    List<ModelProgress> models = evaluation.models();
    int sandboxes = evaluation.waitingForSandboxes();
    List<RunView> views = new ArrayList<>();
    for (RunProgress run : runs) {
      if (outlooks.size() <= views.size()) {
        outlooks.add(new Outlook(run.done()));
      }
      // Nobody knows which of several runs waits for a grader, or a sandbox.
      Optional<String> limit =
          runs.size() == 1
              ? Bottleneck.limit(run, models, sandboxes)
              : Bottleneck.limit(run, named(run.model(), models), 0);
      views.add(
          new RunView(
              run, outlooks.get(views.size()).left(run), limit, retries(run, runs, models)));
    }
    return views;
  }

  /** Those of a model that several runs share are unknown for each of them. */
  private static OptionalLong retries(
      RunProgress run, List<RunProgress> runs, List<ModelProgress> models) {
    if (runs.size() == 1) {
      return OptionalLong.of(models.stream().mapToLong(model -> model.lane().retries()).sum());
    }
    boolean isShared = runs.stream().filter(it -> it.model().equals(run.model())).count() > 1;
    return isShared ? OptionalLong.empty() : OptionalLong.of(run.lane().retries());
  }

  private static List<ModelProgress> named(String name, List<ModelProgress> models) {
    return models.stream().filter(model -> model.model().equals(name)).toList();
  }

  /** Of each run that goes on. */
  static List<String> plainLines(List<RunView> runs) {
    if (runs.size() == 1) {
      return List.of(ProgressLine.plain(runs.getFirst()));
    }
    List<RunView> going =
        runs.stream()
            .filter(view -> !view.run().ended())
            .filter(view -> view.run().running() > 0 || view.run().paused().isPresent())
            .toList();
    List<String> lines =
        new ArrayList<>(
            going.stream()
                .sorted(Comparator.comparingInt((RunView view) -> -view.run().running()))
                .limit(MOST_PLAIN_LINES)
                .map(view -> name(view.run()) + ": " + ProgressLine.plain(view))
                .toList());
    if (going.size() > MOST_PLAIN_LINES) {
      lines.add("and %s more".formatted(going.size() - MOST_PLAIN_LINES));
    }
    return lines;
  }
}
