package dev.weir.cli;

import dev.weir.eval.run.ModelProgress;
import dev.weir.eval.run.RunProgress;
import dev.weir.limits.Lane;
import dev.weir.model.Printable;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * One picture of a moving display: a table of the runs, a table of the models, and what it is all
 * limited by in words.
 *
 * <p>It is never wider or higher than the screen. Where there is little room, first blank lines go,
 * then rows that change least ("and 7 more"), then the table of models; on the smallest screens one
 * line is left.
 *
 * @param waitingForSandboxes how many samples wait for a sandbox
 * @param colours whether there may be any
 */
record Frame(
    List<RunView> runs, List<ModelProgress> models, int waitingForSandboxes, boolean colours) {

  private static final int LONGEST_BAR = 20;
  private static final int SHORTEST_BAR = 5;

  /** On a tall screen, what was there before the run should stay to be seen. */
  static final int MOST_ROWS_PER_TABLE = 20;

  static final int NARROWEST_TABLE = 30;

  /** So many lines there must be before the last takes two of them. */
  private static final int ROOM_FOR_WORDS = 10;

  /** Names may hold all the settings of a model; numbers matter more. */
  private static final int LONGEST_NAME = 28;

  /** Models of one provider differ at their ends. */
  static final int SHORTEST_MODEL = 10;

  /** The heading of the bars, which need none. */
  private static final String BAR = "";

  private static final List<Grid.Column> RUN_COLUMNS =
      List.of(
          Grid.Column.name("task", 9, 9),
          Grid.Column.name("model", 7, SHORTEST_MODEL),
          Grid.Column.right("done", 10),
          Grid.Column.right("running", 4),
          Grid.Column.right("waiting", 1),
          Grid.Column.right("failed", 5),
          Grid.Column.left("score so far [95 %]", 6),
          Grid.Column.right("ETA", 8));

  Frame {
    runs = List.copyOf(runs);
    models = List.copyOf(models);
  }

  /**
   * @param columns of the screen; its last one stays empty, since some wrap there
   * @param rows of the screen; one stays free
   */
  List<String> lines(int columns, int rows) {
    int width = Math.max(1, columns - 1);
    int height = Math.max(1, rows - 1);
    if (width < NARROWEST_TABLE || height < 3) {
      return List.of(Cells.cut(ProgressLine.plain(mostActive()), width));
    }
    boolean hasModels = height >= 5 && !models.isEmpty();
    int headings = hasModels ? 2 : 1;
    List<String> words = words(width, height >= ROOM_FOR_WORDS);
    int room = height - headings - words.size();
    int modelRows = hasModels ? Math.min(models.size(), Math.max(1, room / 2)) : 0;
    int runRows = Math.min(runs.size(), room - modelRows);
    modelRows = hasModels ? Math.min(models.size(), room - runRows) : 0;
    boolean hasBlanks = runRows + modelRows + headings + words.size() + headings <= height;
    List<String> lines = new ArrayList<>(runTable(width, Math.min(runRows, MOST_ROWS_PER_TABLE)));
    if (hasModels) {
      addBlank(lines, hasBlanks);
      int most = Math.min(modelRows, MOST_ROWS_PER_TABLE);
      lines.addAll(new ModelTable(models, colours).lines(width, most));
    }
    addBlank(lines, hasBlanks);
    lines.addAll(words);
    return lines;
  }

  private static void addBlank(List<String> lines, boolean hasBlanks) {
    if (hasBlanks) {
      lines.add("");
    }
  }

  /** What limits it is worth a line of its own, where it would be cut off. */
  private List<String> words(int width, boolean mayBeTwo) {
    List<RunProgress> all = runs.stream().map(RunView::run).toList();
    long done = all.stream().mapToLong(RunProgress::done).sum();
    long total = all.stream().mapToLong(RunProgress::total).sum();
    String counts = all.size() == 1 ? "" : "%s/%s in all · ".formatted(done, total);
    String elapsed =
        Numbers.clock(
            all.stream().map(RunProgress::elapsed).max(Comparator.naturalOrder()).orElseThrow());
    String limit = Bottleneck.sentence(all, models, waitingForSandboxes);
    String head = counts + elapsed + abandoned();
    String line = head + " · " + limit;
    List<String> lines =
        mayBeTwo && Cells.width(line) > width ? List.of(head, limit) : List.of(line);
    return lines.stream().map(words -> Cells.cut(words, width)).toList();
  }

  /** Of the model with most of them. */
  private String abandoned() {
    return models.stream()
        .map(ModelProgress::lane)
        .max(Comparator.comparingLong(Lane.Status::abandoned))
        .flatMap(ProgressLine::abandoned)
        .map(words -> " · " + words)
        .orElse("");
  }

  private RunView mostActive() {
    return runs.stream().max(Comparator.comparingLong(Frame::activity)).orElseThrow();
  }

  /** Those with open samples first, then those that are to come, then those that have ended. */
  private static long activity(RunView view) {
    return view.run().ended() ? -1 : view.run().running();
  }

  private List<String> runTable(int width, int most) {
    List<RunView> shown = most(runs, most, Comparator.comparingLong(Frame::activity).reversed());
    Grid grid = new Grid(RUN_COLUMNS, shown.stream().map(Frame::cells).toList()).fitting(width);
    int bar = Math.min(LONGEST_BAR, width - grid.width() - Grid.GAP);
    if (bar >= SHORTEST_BAR) {
      grid = grid.with(2, Grid.Column.left(BAR, 2), row -> bar(shown.get(row).run(), bar));
    }
    List<String> lines = new ArrayList<>(grid.lines(width, this::style));
    addRest(lines, runs.size() - shown.size(), most - shown.size(), width);
    return lines;
  }

  private static String bar(RunProgress run, int cells) {
    int filled = run.total() == 0 ? 0 : (int) ((long) cells * run.done() / run.total());
    return "█".repeat(filled) + "░".repeat(cells - filled);
  }

  private static List<String> cells(RunView view) {
    RunProgress run = view.run();
    return List.of(
        Cells.cutInside(Printable.line(run.task()), LONGEST_NAME),
        shortName(run.model()),
        Cells.fit(String.valueOf(run.done()), String.valueOf(run.total()).length(), true)
            + "/"
            + run.total(),
        String.valueOf(run.running()),
        String.valueOf(Math.max(0, run.total() - run.done() - run.running())),
        String.valueOf(run.failed()),
        ProgressLine.score(run),
        view.eta());
  }

  /** A name of others, as far as there is room for it. */
  static String shortName(String name) {
    return Cells.cut(Printable.line(name), LONGEST_NAME);
  }

  /** The first of them by the order given, one less if they are not all; in their own order. */
  static <T> List<T> most(List<T> all, int most, Comparator<T> order) {
    if (all.size() <= most) {
      return all;
    }
    List<Integer> chosen =
        IntStream.range(0, all.size())
            .boxed()
            .sorted(Comparator.comparing(all::get, order))
            .limit(Math.max(1, most - 1))
            .sorted()
            .toList();
    return chosen.stream().map(all::get).toList();
  }

  static void addRest(List<String> lines, int left, int room, int width) {
    if (left > 0 && room > 0) {
      lines.add(Cells.cut("and %s more".formatted(left), width));
    }
  }

  private String style(int row, String heading, String text) {
    return style(colours, row, heading, text);
  }

  /** Headings are paler, bars are coloured, and so are failures if there are any. */
  static String style(boolean colours, int row, String heading, String text) {
    if (!colours) {
      return text;
    }
    if (row < 0) {
      return "\u001b[2m" + text + "\u001b[0m";
    }
    return switch (heading) {
      case BAR -> "\u001b[36m" + text + "\u001b[0m";
      case "failed" -> text.isBlank() || text.strip().equals("0") ? text : red(text);
      default -> text;
    };
  }

  private static String red(String text) {
    return "\u001b[31m" + text + "\u001b[0m";
  }
}
