package dev.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.eval.run.ModelProgress;
import dev.weir.limits.Lane;
import dev.weir.limits.event.Constraint;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class FrameTest {

  private static String picture(Frame frame, int columns, int rows) {
    return String.join("\n", frame.lines(columns, rows)) + "\n";
  }

  private static final Frame TWO_TASKS =
      new Frame(
          List.of(
              Moments.view("capitals", 500, 312, 2, 25), Moments.view("arithmetic", 200, 0, 0, 0)),
          List.of(Moments.waitingForTokens()),
          0,
          false);

  @Test
  void showsRunsModelsAndWhatLimitsThem() {
    assertThat(picture(TWO_TASKS, 120, 40))
        .isEqualTo(
            """
            task        model                                        done  running  waiting  failed  score so far [95 %]     ETA
            capitals    openai/gpt-4o-mini  ████████████░░░░░░░░  314/500       25      161       2  0.750 [0.699, 0.795]  00:20
            arithmetic  openai/gpt-4o-mini  ░░░░░░░░░░░░░░░░░░░░    0/200        0      200       0  –                     --:--

            model               in flight  retries  refused  requests/min     tokens/min  next in     cost
            openai/gpt-4o-mini      25/40       12        3    412 of 500   187k of 200k    1.2 s  $0.0123

            314/700 in all · 00:35 · waiting on tokens per minute of openai/gpt-4o-mini, next in 1.2 s
            """);
  }

  @Test
  void narrowScreensKeepWhatMattersMost() {
    assertThat(picture(TWO_TASKS, 60, 40))
        .isEqualTo(
            """
            task       model          done  score so far [95 %]     ETA
            capitals   openai/gp…  314/500  0.750 [0.699, 0.795]  00:20
            arithmet…  openai/gp…    0/200  –                     --:--

            model       in flight  retries  requests/min     tokens/min
            openai/gp…      25/40       12    412 of 500   187k of 200k

            314/700 in all · 00:35
            waiting on tokens per minute of openai/gpt-4o-mini, next i…
            """);
  }

  @Test
  void lowScreensKeepTheMostActiveRuns() {
    List<RunView> runs = new ArrayList<>();
    for (int i = 1; i <= 12; i++) {
      runs.add(Moments.view("task-" + i, 100, i > 9 ? 100 : 10, 0, i == 4 || i == 7 ? 20 : 0));
    }
    var frame = new Frame(runs, List.of(Moments.waitingForTokens()), 0, false);
    List<String> lines = frame.lines(100, 12);
    assertThat(lines).hasSizeLessThan(12);
    assertThat(lines)
        .anyMatch(line -> line.startsWith("task-4 "))
        .anyMatch(line -> line.startsWith("task-7 "))
        .noneMatch(line -> line.startsWith("task-12 "))
        .anyMatch(line -> line.matches("and \\d+ more"));
    assertThat(lines.getLast()).contains("390/1200 in all", "waiting on tokens per minute");
  }

  @Test
  void theSmallestScreensHaveOneLine() {
    assertThat(TWO_TASKS.lines(25, 24)).containsExactly("314/500 · 2 failed · 25…");
    assertThat(TWO_TASKS.lines(80, 3)).hasSize(1);
  }

  /** Whatever happens, and whatever names people give. */
  @Test
  void neverReachesBeyondTheScreen() {
    var random = new SplittableRandom(7);
    String[] names = {
      "t", "a-rather-long-name-of-a-task", "東京の首都は何ですか", "🚀🚀🚀🚀🚀🚀", "x\u001b[2Jy\nz"
    };
    Constraint[] constraints = Constraint.values();
    for (int i = 0; i < 3_000; i++) {
      List<RunView> runs =
          IntStream.range(0, random.nextInt(1, 30))
              .mapToObj(
                  _ -> {
                    int total = random.nextInt(1, 1 << random.nextInt(1, 31));
                    int scored = random.nextInt(total + 1);
                    return Moments.view(
                        names[random.nextInt(names.length)],
                        total,
                        scored,
                        random.nextInt(total - scored + 1),
                        random.nextInt(10_000));
                  })
              .toList();
      List<ModelProgress> models =
          IntStream.range(0, random.nextInt(0, 12))
              .mapToObj(
                  _ ->
                      Moments.model(
                          "p/" + names[random.nextInt(names.length)],
                          new Lane.Status(
                              random.nextInt(5_000),
                              random.nextInt(1, 5_000),
                              random.nextInt(3),
                              random.nextInt(3),
                              random.nextInt(1_000_000)),
                          constraints[random.nextInt(constraints.length)],
                          random.nextBoolean()
                              ? Optional.empty()
                              : Optional.of(Duration.ofMillis(random.nextInt(10_000_000)))))
              .toList();
      int columns = i < 1_000 ? random.nextInt(1, 40) : random.nextInt(40, 201);
      int rows = random.nextInt(1, 70);
      List<String> lines =
          new Frame(runs, models, random.nextInt(3), random.nextBoolean()).lines(columns, rows);
      assertThat(lines).isNotEmpty().hasSizeLessThanOrEqualTo(Math.max(1, rows - 1));
      for (String line : lines) {
        String seen = line.replaceAll("\u001b\\[[0-9;]*m", "");
        assertThat(Cells.width(seen)).as(seen).isLessThan(Math.max(2, columns));
        assertThat(seen).doesNotContain("\u001b").doesNotContain("\n");
      }
    }
  }

  @Test
  void coloursChangeNothingButColours() {
    var coloured = new Frame(TWO_TASKS.runs(), TWO_TASKS.models(), 0, true);
    String picture = picture(coloured, 120, 40);
    assertThat(picture).contains("\u001b[36m████", "\u001b[31m     2\u001b[0m");
    assertThat(picture.replaceAll("\u001b\\[[0-9;]*m", "").lines().map(String::stripTrailing))
        .containsExactlyElementsOf(TWO_TASKS.lines(120, 40));
  }
}
