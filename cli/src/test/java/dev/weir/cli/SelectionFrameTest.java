package dev.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.eval.run.ModelProgress;
import dev.weir.eval.select.SelectionPicture;
import dev.weir.eval.select.SelectionProgress;
import dev.weir.limits.Lane;
import dev.weir.limits.event.Constraint;
import dev.weir.selection.Arms;
import dev.weir.selection.Evaluation;
import dev.weir.selection.Node;
import dev.weir.selection.Outcome;
import dev.weir.selection.Selection;
import dev.weir.selection.SelectionPlan;
import dev.weir.selection.Selectors;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SelectionFrameTest {

  private static final int DATAPOINTS = 100;

  /** The later the candidate, the better it is. */
  private static SelectionFrame frame(int candidates, int evaluations, boolean colours) {
    return frame(candidates, evaluations, colours, Moments.waitingForTokens());
  }

  private static SelectionFrame frame(
      int candidates, int evaluations, boolean colours, ModelProgress model) {
    Arms arms =
        Arms.of(
            List.of(
                new Node(
                    "model",
                    IntStream.range(0, candidates)
                        .mapToObj(i -> "sim/m%d:accuracy=0.%d".formatted(i, i))
                        .toList())));
    Selection selection = Selection.begin(SelectionPlan.of(arms, DATAPOINTS, Selectors.AUTO, 1));
    var random = new SplittableRandom(1);
    Optional<Evaluation> next = selection.next();
    for (int i = 0; i < evaluations && next.isPresent(); i++) {
      double chance = (next.get().arm() + 0.5) / candidates;
      selection.tell(next.get(), Outcome.scored(random.nextDouble() < chance ? 1 : 0, 0.01, 2));
      next = selection.next();
    }
    var picture =
        new SelectionPicture(
            new SelectionProgress(
                selection.round(),
                selection.told(),
                selection.plan().allEvaluations(),
                selection.survivors().size(),
                candidates,
                Optional.empty(),
                0.01 * selection.told()),
            IntStream.range(0, candidates).mapToObj(selection::standing).toList(),
            Set.copyOf(selection.survivors()),
            next.map(one -> Map.of(one.arm(), 1)).orElse(Map.of()),
            0,
            20,
            List.of(model),
            0,
            Duration.ofSeconds(72));
    return new SelectionFrame(
        picture,
        DATAPOINTS,
        new SelectionNames(arms),
        false,
        Optional.of(Duration.ofSeconds(130)),
        colours);
  }

  @Test
  void showsHowEachCombinationStandsAndHowFarAllIs() {
    List<String> lines = frame(4, 45, false).lines(140, 30);
    assertThat(lines.getFirst()).contains("combination", "done", "score so far", "state");
    assertThat(lines.get(1)).startsWith("sim/m3 ").contains("/100", "$0.01", "2.00 s");
    assertThat(lines).anySatisfy(line -> assertThat(line).endsWith("  running"));
    assertThat(lines).anySatisfy(line -> assertThat(line).contains("sim/m0", "given up, round 2"));
    assertThat(lines.get(lines.size() - 2))
        .contains("45 of at most 400 evaluations", "combinations left", "/20 calls in flight")
        .contains("$0.450", "01:12", "at most 02:10 left");
    assertThat(lines.getLast()).contains("waiting on");
  }

  /** How long a model stays away nobody knows. */
  @Test
  void saysWhatIsWaitedForWhileNothingMoves() {
    ModelProgress away =
        Moments.model(
            "openai/dead", new Lane.Status(0, 10, 4, 0, 3), Constraint.CIRCUIT, Optional.empty());
    SelectionFrame heldUp = frame(4, 45, false, away);
    assertThat(heldUp.line())
        .contains("45 of at most 400 evaluations", "0/20 calls in flight")
        .endsWith("01:12 · openai/dead is unavailable: probing periodically");
    assertThat(String.join(" ", heldUp.lines(140, 30))).doesNotContain("02:10");
    assertThat(frame(4, 45, false).line()).endsWith("at most 02:10 left");
  }

  @Test
  void thoseThatMatterLeastGoFirst() {
    List<String> lines = frame(100, 1_400, false).lines(120, 24);
    assertThat(lines).hasSizeLessThanOrEqualTo(23);
    assertThat(lines).anySatisfy(line -> assertThat(line).matches("and \\d+ more, \\d+ of them.*"));
    assertThat(lines.get(1)).doesNotContain("given up");
  }

  @Test
  void fitsOnAnyScreen() {
    var random = new SplittableRandom(7);
    for (int i = 0; i < 100; i++) {
      int columns = random.nextInt(2, 160);
      int rows = random.nextInt(2, 60);
      SelectionFrame frame = frame(random.nextInt(1, 40), random.nextInt(300), false);
      List<String> lines = frame.lines(columns, rows);
      assertThat(lines).isNotEmpty().hasSizeLessThan(rows);
      assertThat(lines).allSatisfy(line -> assertThat(Cells.width(line)).isLessThan(columns));
    }
  }

  @Test
  void coloursChangeNothingButColours() {
    assertThat(
            frame(5, 80, true).lines(120, 24).stream().map(l -> l.replaceAll("\u001b\\[\\d+m", "")))
        .map(String::stripTrailing)
        .containsExactlyElementsOf(
            frame(5, 80, false).lines(120, 24).stream().map(String::stripTrailing).toList());
  }
}
