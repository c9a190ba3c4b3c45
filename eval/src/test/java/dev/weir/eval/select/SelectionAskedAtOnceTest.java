package dev.weir.eval.select;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.weir.eval.dataset.Sample;
import dev.weir.eval.sample.SampleContext;
import dev.weir.eval.sample.SampleState;
import dev.weir.eval.scorer.Score;
import dev.weir.eval.solver.Solver;
import dev.weir.eval.task.TaskDefinition;
import dev.weir.model.Request;
import dev.weir.selection.Standing;
import dev.weir.time.Task;
import dev.weir.time.virtual.VirtualTime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Evaluations that ask the same several times at once, get another answer each time, and go on from
 * each answer in another way; killed at any instant.
 */
class SelectionAskedAtOnceTest {

  /** Asked at once; whoever asks first is answered last, after three seconds. */
  private static final String VOTER = "counted/%s:seconds=1,rpm=0,drawn=3";

  private static final List<Integer> VOTES = List.of(0, 1, 2);

  @TempDir private Path directory;

  @BeforeEach
  void forgetCalls() {
    CountedProvider.reset();
  }

  private static Solver voting(List<Integer> order, Function<Integer, String> taskName) {
    return (state, context) -> {
      Map<Integer, Task<String>> votes = new TreeMap<>();
      for (int vote : order) {
        votes.put(
            vote, context.time().start(taskName.apply(vote), () -> checked(vote, context, state)));
      }
      List<String> all = new ArrayList<>();
      for (Task<String> vote : votes.values()) {
        all.add(vote.join());
      }
      // Alone, as most calls are.
      context.role("planner").generate(Request.of("Count " + all));
      state.setOutput(String.join("", all));
    };
  }

  private static String checked(int vote, SampleContext context, SampleState state)
      throws InterruptedException {
    String answer =
        context.model().generate(Request.of("Vote on " + state.userPrompt())).message().text();
    context.role("planner").generate(Request.of("Check %d: %s".formatted(vote, answer)));
    return answer;
  }

  /** The score tells who got which answer: 0.321 if the first to ask was answered last. */
  private ModelSelection.Builder selection(Path logs, Solver solver) throws IOException {
    TaskDefinition task =
        TaskDefinition.named("votes")
            .dataset(new Sample("a", "one", "x"), new Sample("b", "two", "x"))
            .solver(solver)
            .scorer(
                "order",
                (state, _) -> Score.of(Integer.parseInt(state.output().orElseThrow()) / 1000.0))
            .build();
    return ModelSelection.of(task)
        .node("model", VOTER.formatted("a"), VOTER.formatted("b"))
        .option("model_role", "{\"planner\": \"%s\"}".formatted(Planted.model("plan", 1, 2)))
        .option("prices", Planted.prices(directory))
        .option("selector", "brute_force")
        .option("max_connections", 100)
        .option("no_validate", true)
        .option("log_dir", logs);
  }

  /** As a kill would leave it. */
  private record Killed(Path logs, int answered, Map<String, Integer> drawn) {}

  private SelectionFindings whole(Solver solver, List<Killed> kills) throws Exception {
    Path logs = directory.resolve("whole");
    var time = VirtualTime.seeded(1);
    return time.run(
        () -> {
          ModelSelection selection = selection(logs, solver).prepare(time, Planted.host());
          var running = time.start("selection", () -> selection.run(_ -> {}));
          // Never at an instant at which an answer comes, which might not be on the disk yet.
          time.sleep(Duration.ofMillis(123));
          while (!running.isDone()) {
            Path copy = Files.createDirectory(directory.resolve("killed-" + kills.size()));
            copy(logs, copy);
            kills.add(new Killed(copy, CountedProvider.ended().size(), CountedProvider.drawn()));
            running.join(time.after(Duration.ofMillis(250)));
          }
          return running.join();
        });
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.list(from)) {
      for (Path file : files.filter(file -> file.toString().endsWith(".selection")).toList()) {
        Files.copy(file, to.resolve(file.getFileName()));
      }
    }
  }

  /** The same scores, and the same latencies but for what writing to the disk took. */
  private static void assertSame(SelectionFindings found, SelectionFindings whole, Killed killed) {
    assertThat(scores(found)).as("%s", killed).isEqualTo(scores(whole));
    for (Standing arm : found.result().standings()) {
      Standing other = whole.result().standings().get(found.result().standings().indexOf(arm));
      assertThat(arm.latency().orElseThrow())
          .as("%s", killed)
          .isCloseTo(other.latency().orElseThrow(), within(0.02));
    }
  }

  private static List<String> scores(SelectionFindings found) {
    return found.result().standings().stream()
        .map(arm -> "%d: %.6f".formatted(arm.arm(), arm.score().orElseThrow()))
        .toList();
  }

  private void requireNothingPaidTwice(Solver solver) throws Exception {
    List<Killed> kills = new ArrayList<>();
    SelectionFindings whole = whole(solver, kills);
    int calls = CountedProvider.calls();
    assertThat(calls).isEqualTo(2 * 2 * 7);
    assertThat(whole.result().standings().stream().map(Standing::score))
        .allMatch(score -> Math.abs(score.orElseThrow() - 0.321) < 1e-9);
    assertThat(kills).hasSizeGreaterThan(10);
    for (Killed killed : kills) {
      CountedProvider.reset();
      CountedProvider.drawn(killed.drawn);
      SelectionFindings rest = Planted.run(VirtualTime.seeded(7), selection(killed.logs, solver));
      assertThat(CountedProvider.calls()).as("%s", killed).isEqualTo(calls - killed.answered);
      assertSame(rest, whole, killed);
      assertThat(rest.knownCost()).isEqualTo(whole.knownCost());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"vote %d", "vote"})
  void eachGetsTheAnswerThatItGotBefore(String name) throws Exception {
    requireNothingPaidTwice(voting(VOTES, name::formatted));
  }

  /** Which of several tasks asks first is a matter of chance where time is real. */
  @Test
  void tasksWithNamesOfTheirOwnAreKnownByThem() throws Exception {
    List<Killed> kills = new ArrayList<>();
    SelectionFindings whole = whole(voting(VOTES, "vote %d"::formatted), kills);
    int calls = CountedProvider.calls();
    Solver reversed = voting(VOTES.reversed(), "vote %d"::formatted);
    Map<String, Integer> done = CountedProvider.drawn();
    List<Killed> allVoted = kills.stream().filter(killed -> killed.drawn.equals(done)).toList();
    assertThat(allVoted).hasSizeGreaterThan(2);
    for (Killed killed : allVoted) {
      CountedProvider.reset();
      SelectionFindings rest = Planted.run(selection(killed.logs, reversed));
      assertThat(CountedProvider.calls()).as("%s", killed).isEqualTo(calls - killed.answered);
      assertSame(rest, whole, killed);
    }
  }

  /** Names that are others each time lose nothing, though one may get the answer of another. */
  @Test
  void tasksWhoseNamesChangeUseWhatWasAnsweredAllTheSame() throws Exception {
    List<Killed> kills = new ArrayList<>();
    whole(voting(VOTES, vote -> "vote " + vote), kills);
    Solver renamed = voting(VOTES, vote -> "another " + vote);
    for (Killed killed : kills) {
      CountedProvider.reset();
      CountedProvider.drawn(killed.drawn);
      Planted.run(selection(killed.logs, renamed));
      assertThat(CountedProvider.drawn().values()).as("%s", killed).allMatch(draws -> draws == 3);
    }
  }
}
