package dev.weir.cli;

import dev.weir.eval.run.ModelProgress;
import dev.weir.limits.Lane;
import dev.weir.limits.header.Dimension;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * What the calls to models are doing, as a table of a moving display.
 *
 * @param colours whether there may be any
 */
record ModelTable(List<ModelProgress> models, boolean colours) {

  /** As much as {@link Numbers#brief} needs: what grows must not move what stands beside it. */
  private static final int WIDEST_RATE = 5;

  private static final List<Grid.Column> COLUMNS =
      List.of(
          Grid.Column.name("model", 10, Frame.SHORTEST_MODEL),
          Grid.Column.right("in flight", 9),
          Grid.Column.right("retries", 6),
          Grid.Column.right("refused", 3),
          Grid.Column.right("requests/min", 7),
          Grid.Column.right("tokens/min", 5),
          Grid.Column.right("next in", 2),
          Grid.Column.right("cost", 4));

  ModelTable {
    models = List.copyOf(models);
  }

  /** Never wider than that; rows of those that do least are left out if there are more. */
  List<String> lines(int width, int most) {
    List<ModelProgress> shown =
        Frame.most(
            models,
            most,
            Comparator.comparingLong(
                (ModelProgress model) ->
                    -(long) model.lane().inFlight()
                        - model.lane().waiting()
                        - model.lane().backingOff()));
    var grid = new Grid(COLUMNS, shown.stream().map(ModelTable::cells).toList());
    List<String> lines =
        new ArrayList<>(
            grid.lines(width, (row, heading, text) -> Frame.style(colours, row, heading, text)));
    Frame.addRest(lines, models.size() - shown.size(), most - shown.size(), width);
    return lines;
  }

  private static List<String> cells(ModelProgress model) {
    return List.of(
        Frame.shortName(model.model()),
        inFlight(model.lane()),
        String.valueOf(model.lane().retries()),
        String.valueOf(model.refusals()),
        rate(model, true),
        rate(model, false),
        model.waitsFor().map(Numbers::wait).orElse("–"),
        Numbers.cost(
            model.spend().known(), model.spend().pricedCalls(), model.spend().unknownCalls()));
  }

  private static String inFlight(Lane.Status lane) {
    if (lane.hasEngineLimit()) {
      return "–";
    }
    return lane.inFlight() + (ProgressLine.isWorthShowing(lane) ? "/" + lane.window() : "");
  }

  /** Of several kinds of tokens, that of which the least is left. */
  private static String rate(ModelProgress model, boolean ofRequests) {
    if (model.lane().hasEngineLimit()) {
      return "–";
    }
    return model.rates().stream()
        .filter(rate -> (rate.dimension() == Dimension.REQUESTS) == ofRequests)
        .max(Comparator.comparingDouble(ModelProgress.Rate::share))
        .map(ModelTable::rate)
        .orElse("–");
  }

  private static String rate(ModelProgress.Rate rate) {
    String kind =
        switch (rate.dimension()) {
          case REQUESTS, TOKENS -> "";
          case INPUT_TOKENS -> " in";
          case OUTPUT_TOKENS -> " out";
        };
    String used = Cells.fit(Numbers.brief(rate.perMinute()), WIDEST_RATE, true);
    if (rate.quota().isEmpty()) {
      return used + kind;
    }
    // A quota that refills lets its burst through beside what a minute brings.
    String burst = rate.perMinute() > rate.quota().getAsDouble() ? " + burst" : "";
    return used + " of " + Numbers.brief(rate.quota().getAsDouble()) + kind + burst;
  }
}
