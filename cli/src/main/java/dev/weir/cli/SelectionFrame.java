package dev.weir.cli;

import dev.weir.eval.select.SelectionPicture;
import dev.weir.selection.Standing;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * One picture of a selection on a terminal: a table of combinations, the best of those that were
 * not given up first, a table of the models, and how far it is in words. Never wider or higher than
 * the screen.
 *
 * @param now how it goes
 * @param datapoints that a combination can be tried on
 * @param hasOwnValue whether combinations are compared by something else than their score
 * @param left how long it takes at most, if that can be told
 * @param colours whether there may be any
 */
record SelectionFrame(
    SelectionPicture now,
    int datapoints,
    SelectionNames names,
    boolean hasOwnValue,
    Optional<Duration> left,
    boolean colours) {

  private static final String STATE = "state";
  private static final String GONE = "given up, round ";

  /**
   * @param columns of the screen; its last one stays empty, since some wrap there
   * @param rows of the screen; one stays free
   */
  List<String> lines(int columns, int rows) {
    int width = Math.max(1, columns - 1);
    int height = Math.max(1, rows - 1);
    List<String> words = words().stream().map(line -> Cells.cut(line, width)).toList();
    if (width < Frame.NARROWEST_TABLE || height < 5) {
      return List.of(Cells.cut(line(), width));
    }
    // Headings, and the words at the end.
    int room = height - 1 - words.size();
    boolean hasModels = room >= 6 && !now.models().isEmpty();
    int modelRows =
        hasModels
            ? Math.min(Math.min(now.models().size(), room / 3), Frame.MOST_ROWS_PER_TABLE)
            : 0;
    int taken = hasModels ? modelRows + 1 : 0;
    int most = Math.min(room - taken, Frame.MOST_ROWS_PER_TABLE);
    int blanks = hasModels ? 2 : 1;
    boolean hasBlanks = room - taken - Math.min(most, now.standings().size()) >= blanks;
    List<String> lines = new ArrayList<>(combinations(width, most));
    if (hasModels) {
      addBlank(lines, hasBlanks);
      lines.addAll(new ModelTable(now.models(), colours).lines(width, modelRows));
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

  private List<Grid.Column> headings() {
    return List.of(
        Grid.Column.name("combination", 9, 16),
        Grid.Column.right("done", 8),
        Grid.Column.right("running", 6),
        Grid.Column.right("failed", 3),
        Grid.Column.left(hasOwnValue ? "value so far" : "score so far", 10),
        Grid.Column.right("cost", 4),
        Grid.Column.right("latency", 2),
        Grid.Column.left(STATE, 7));
  }

  private List<String> combinations(int width, int most) {
    List<Standing> ordered =
        now.standings().stream()
            .sorted(
                Comparator.comparing((Standing arm) -> !isLeft(arm))
                    .thenComparingDouble(arm -> -arm.value().orElse(-1))
                    .thenComparingInt(Standing::arm))
            .toList();
    int rows = ordered.size() <= most ? ordered.size() : Math.max(1, most - 1);
    List<Standing> shown = ordered.subList(0, rows);
    var grid = new Grid(headings(), shown.stream().map(this::cells).toList());
    List<String> lines = new ArrayList<>(grid.lines(width, this::style));
    if (rows < ordered.size() && most > 1) {
      List<Standing> others = ordered.subList(rows, ordered.size());
      long gone = others.stream().filter(arm -> !isLeft(arm)).count();
      lines.add(
          Cells.cut("and %d more, %d of them given up".formatted(others.size(), gone), width));
    }
    return lines;
  }

  private boolean isLeft(Standing arm) {
    return now.survivors().contains(arm.arm());
  }

  private List<String> cells(Standing arm) {
    int running = now.running().getOrDefault(arm.arm(), 0);
    return List.of(
        names.brief(arm.arm()),
        Cells.fit(Integer.toString(arm.samples()), Integer.toString(datapoints).length(), true)
            + "/"
            + datapoints,
        running == 0 ? "–" : Integer.toString(running),
        Integer.toString(arm.failures()),
        arm.interval()
            .map(in -> Numbers.score(arm.value().orElse(0), in.low(), in.high()))
            .orElse("–"),
        arm.cost().isPresent() ? SelectionSummary.dollars(arm.cost().getAsDouble()) : "–",
        arm.latency().isPresent()
            ? String.format(Locale.ROOT, "%.2f s", arm.latency().getAsDouble())
            : "–",
        state(arm));
  }

  private String state(Standing arm) {
    if (arm.elimination().isPresent()) {
      return GONE + arm.elimination().get().round();
    }
    if (now.running().containsKey(arm.arm())) {
      return "running";
    }
    return arm.samples() == datapoints ? "through" : "waits";
  }

  private String style(int row, String heading, String text) {
    if (colours && row >= 0 && heading.equals(STATE)) {
      String colour = text.startsWith(GONE) ? "2" : text.startsWith("running") ? "36" : "32";
      return "\u001b[" + colour + "m" + text + "\u001b[0m";
    }
    return Frame.style(colours, row, heading, text);
  }

  /** How far it is, and what it is limited by. */
  private List<String> words() {
    return List.of(counts() + " · " + clock(), limited());
  }

  /** All of it in one line, what matters most first. */
  String line() {
    return counts()
        + now.progress().leader().map(_ -> " · leading: " + leader()).orElse("")
        + " · "
        + clock()
        + (isHeldUp() ? " · " + limited() : "");
  }

  /** Whether nothing moves until a model lets a call go; then nobody knows how long it takes. */
  private boolean isHeldUp() {
    return inFlight() == 0
        && now.models().stream()
            .anyMatch(model -> model.lane().waiting() + model.lane().backingOff() > 0);
  }

  private int inFlight() {
    return now.models().stream().mapToInt(model -> model.lane().inFlight()).sum();
  }

  private String calls() {
    return now.models().stream().anyMatch(model -> model.lane().hasEngineLimit())
        ? ""
        : " · %d/%d calls in flight".formatted(inFlight(), now.maxConcurrent());
  }

  private String limited() {
    return Bottleneck.sentence(
        Optional.empty(), underWay(), now.models(), now.waitingForSandboxes());
  }

  private String leader() {
    return now.standings().stream()
        .filter(this::isLeft)
        .filter(arm -> arm.value().isPresent())
        .max(Comparator.comparingDouble(arm -> arm.value().orElse(0)))
        .map(arm -> names.brief(arm.arm()))
        .orElse("none");
  }

  private int underWay() {
    return now.running().values().stream().mapToInt(Integer::intValue).sum();
  }

  private String counts() {
    return "round %d · %d of at most %d evaluations · %d of %d combinations left%s"
        .formatted(
            now.progress().round(),
            now.standings().stream().mapToInt(Standing::samples).sum(),
            now.progress().mostEvaluations(),
            now.progress().survivors(),
            now.progress().combinations(),
            calls());
  }

  private String clock() {
    String cost =
        now.progress().knownCost() > 0
            ? SelectionSummary.dollars(now.progress().knownCost()) + " · "
            : "";
    return cost
        + Numbers.clock(now.elapsed())
        + left.filter(_ -> !isHeldUp())
            .map(time -> " · at most " + Numbers.clock(time) + " left")
            .orElse("");
  }
}
