package dev.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.eval.select.SelectionFindings;
import dev.weir.selection.Arms;
import dev.weir.selection.Evaluation;
import dev.weir.selection.Failures;
import dev.weir.selection.Node;
import dev.weir.selection.Objective;
import dev.weir.selection.Outcome;
import dev.weir.selection.Selection;
import dev.weir.selection.SelectionPlan;
import dev.weir.selection.Selectors;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SelectionSummaryTest {

  private static final int DATAPOINTS = 100;

  private static final Objective SCORE = new Objective.Score();

  /** Right on so many of a hundred datapoints. */
  private static Function<Evaluation, Outcome> right(int... shares) {
    return one -> Outcome.scored(one.datapoint() % 100 < shares[one.arm()] ? 1 : 0, 0.5, 1);
  }

  private static SelectionPlan plan(String selector, Objective objective, int arms) {
    List<String> models =
        IntStream.range(0, arms).mapToObj(i -> "sim/" + (char) ('a' + i)).toList();
    return new SelectionPlan(
        Arms.of(List.of(new Node("model", models))),
        DATAPOINTS,
        Selectors.named(selector, Map.of()),
        objective,
        Failures.DEFAULT,
        Long.MAX_VALUE,
        0.05,
        1);
  }

  /**
   * @param most evaluations until somebody ends it
   */
  private static SelectionFindings found(
      SelectionPlan plan, Function<Evaluation, Outcome> outcomes, long most) {
    Selection selection = Selection.begin(plan);
    long told = 0;
    for (var next = selection.next(); next.isPresent() && told < most; next = selection.next()) {
      selection.tell(next.get(), outcomes.apply(next.get()));
      told++;
    }
    Optional<String> stopped =
        selection.isEnded() ? Optional.empty() : Optional.of("the time is used up");
    selection.stop();
    return new SelectionFindings(
        "task",
        plan,
        selection.result(),
        0,
        new SelectionFindings.Ahead(0, 0, 0),
        selection.result().cost().orElse(12.5),
        stopped,
        false,
        Map.of(),
        Map.of(),
        Duration.ofSeconds(1),
        Path.of("task.selection"));
  }

  private static SelectionSummary summary(
      String selector, Objective objective, Function<Evaluation, Outcome> outcomes, int arms) {
    return new SelectionSummary(found(plan(selector, objective, arms), outcomes, Long.MAX_VALUE));
  }

  private static String verdict(SelectionSummary summary) {
    IntFunction<String> name = arm -> summary.found().plan().arms().models(arm).getFirst();
    return summary.verdict(name, name);
  }

  @Test
  void aSelectorThatGuaranteesSomethingSaysHowSureItIs() {
    SelectionSummary summary = summary("paired_elimination", SCORE, right(20, 95), 2);
    assertThat(summary.winner().orElseThrow().arm()).isEqualTo(1);
    assertThat(verdict(summary)).isEqualTo("Winner: sim/b; confidence 95.0 %.");
    assertThat(summary.failures()).isEmpty();
  }

  /** Whatever the selector finds: only what is decided is called a winner. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "auto",
        "brute_force",
        "random",
        "hill_climbing",
        "arm_elimination",
        "epsilon_lucb",
        "paired_elimination",
        "sequential_halving",
        "threshold",
        "top_two"
      })
  void theVerdictNeverContradictsItself(String selector) {
    var random = new SplittableRandom(5);
    for (int run = 0; run < 20; run++) {
      int[] shares = random.ints(4, 5, 95).toArray();
      long most = random.nextBoolean() ? Long.MAX_VALUE : random.nextInt(20, 200);
      SelectionSummary summary =
          new SelectionSummary(found(plan(selector, SCORE, 4), right(shares), most));
      String said = verdict(summary);
      boolean isDecided =
          summary.winner().isPresent() && summary.found().result().notDecided().isEmpty();
      assertThat(said.startsWith("Winner: "))
          .as("%s, seed 5, run %d: %s", selector, run, said)
          .isEqualTo(isDecided && summary.found().result().confidence().isPresent());
      assertThat(said.contains("ot decided"))
          .as(said)
          .isEqualTo(!summary.found().result().notDecided().isEmpty());
      assertThat(new SelectionReport(summary.found()).text(200, "weir select a.yaml").lines())
          .filteredOn(line -> line.matches("(Winner|Leader|Best found|No winner).*"))
          .as("one sentence")
          .hasSize(1);
    }
  }

  @Test
  void equalsAreNotDecided() {
    SelectionSummary summary = summary("paired_elimination", SCORE, right(60, 60, 5), 3);
    assertThat(verdict(summary)).isEqualTo("Leader: sim/a; not decided against sim/b.");
    assertThat(new SelectionReport(summary.found()).json())
        .contains("\"leader\"")
        .doesNotContain("\"winner\"");
    assertThat(summary.savedEvaluations()).isPresent();
  }

  @Test
  void aRuleOfThumbSaysThatItIsOneAndWhatItGaveUpUnproven() {
    SelectionSummary summary = summary("auto", SCORE, right(90, 60, 62), 3);
    assertThat(verdict(summary))
        .startsWith(
            "Best found: sim/a; leader_elimination claims no confidence; given up by rule, but not"
                + " shown to be worse: sim/")
        .doesNotContain("Winner", "ecided");
  }

  @Test
  void anArmGivenUpForItsFailuresIsNamedWithThatInsteadOfAConfidence() {
    Function<Evaluation, Outcome> scored = right(95, 20, 90);
    SelectionSummary summary =
        summary(
            "paired_elimination",
            SCORE,
            one -> one.arm() == 2 ? Outcome.failure() : scored.apply(one),
            3);
    assertThat(verdict(summary))
        .isEqualTo(
            "Best found: sim/a; paired_elimination claims no confidence; given up by rule, but not"
                + " shown to be worse: sim/c (failed on all of its first 5 datapoints).");
  }

  @Test
  void whatTheWinnerFailedOnIsTold() {
    Function<Evaluation, Outcome> scored = right(90);
    SelectionSummary summary =
        summary(
            "brute_force",
            SCORE,
            one -> one.datapoint() % 8 == 0 ? Outcome.failure() : scored.apply(one),
            1);
    assertThat(summary.failures()).hasValue("It failed on 13 of 100 datapoints (13.0 %).");
    // What failed has no price.
    assertThat(summary.cost()).isEqualTo("at least $12.50; a price is unknown");
  }

  @Test
  void withoutAnyScoreThereIsNoWinner() {
    SelectionSummary summary = summary("auto", SCORE, _ -> Outcome.failure(), 2);
    assertThat(summary.winner()).isEmpty();
    assertThat(verdict(summary))
        .isEqualTo("No winner; no combination has enough samples with a score.");
  }

  @Test
  void whatWasEndedEarlyHasSavedNothingAndNamesWhatItDidNotLookAt() {
    SelectionSummary summary =
        new SelectionSummary(
            found(plan("brute_force", SCORE, 12), right(IntStream.range(80, 92).toArray()), 20));
    assertThat(summary.winner()).isEmpty();
    assertThat(verdict(summary))
        .startsWith("No winner; not decided between sim/a")
        .contains(" and ", " more.")
        .contains("; not looked at: sim/");
    assertThat(summary.saved()).isEmpty();
    assertThat(summary.savedEvaluations()).isEmpty();
    assertThat(summary.savedCost()).isEmpty();
  }

  @Test
  void whatWasSavedIsToldInEvaluationsAndDollars() {
    SelectionSummary summary = summary("random", SCORE, right(50, 50, 50, 50), 4);
    assertThat(summary.savedEvaluations()).hasValue("300 saved against brute force (75 %)");
    assertThat(verdict(summary)).contains("; not looked at: sim/");
    assertThat(summary("auto", SCORE, right(90, 10), 2).savedCost())
        .hasValueSatisfying(saved -> assertThat(saved).matches("about \\$[0-9.]+ saved"));
  }

  @Test
  void whoTriesAllHasSavedNothing() {
    // Sums of costs that cannot be written exactly differ a little.
    SelectionSummary summary =
        summary("brute_force", SCORE, one -> Outcome.scored(1, 0.1 + 0.01 * one.datapoint(), 1), 3);
    assertThat(summary.savedCost()).isEmpty();
  }

  @Test
  void whatIsWeightedIsToldBesideTheScore() throws IOException {
    SelectionSummary summary =
        summary("brute_force", new Objective.Weighted(0.2, 0.5, 0, 1), right(80, 60), 2);
    assertThat(new SelectionReport(summary.found()).text(200, "weir select a.yaml"))
        .containsPattern("score +value +interval")
        .containsPattern("0\\.800 +0\\.[0-9]+ +0\\.");
    var page = new StringWriter();
    new SelectionPage(summary.found(), page).write();
    assertThat(page.toString())
        .containsPattern("<th class=\"number\">score</th>\\s*<th class=\"number\">value</th>");
    assertThat(
            new SelectionReport(summary("brute_force", SCORE, right(80, 60), 2).found())
                .text(200, "weir select a.yaml"))
        .containsPattern("score +interval");
  }

  @Test
  void aFrontNamesTheHighestScoreAndClaimsNoMore() {
    SelectionSummary summary =
        summary(
            "brute_force",
            new Objective.Pareto(),
            one ->
                Outcome.scored(
                    one.datapoint() % 100 < 50 + 40 * one.arm() ? 1 : 0, 1 + one.arm(), 1),
            2);
    assertThat(verdict(summary)).startsWith("Highest score of the front: sim/");
    assertThat(summary.found().result().confidence()).isEmpty();
  }

  /** Brute force is counted in datapoints, so what is compared with it is as well. */
  @Test
  void repeatedAttemptsAreToldApart() {
    SelectionPlan plan =
        plan("brute_force", SCORE, 2).failures(new Failures(Failures.Meaning.ZERO, 3, 5));
    SelectionFindings found =
        found(
            plan,
            one -> one.attempt() == 1 ? Outcome.failure() : right(80, 60).apply(one),
            Long.MAX_VALUE);
    assertThat(new SelectionReport(found).text(200, "weir select a.yaml"))
        .contains(
            "Evaluations: 200 of 200 (400 with repeated attempts); 0 saved against brute force");
    assertThat(new SelectionReport(found).json())
        .containsPattern("\"evaluations\" ?: 200,")
        .containsPattern("\"attempts\" ?: 400,");
  }

  @Test
  void oneAloneIsComparedWithNobody() {
    for (String selector : List.of("auto", "paired_elimination")) {
      SelectionSummary summary = summary(selector, SCORE, right(80), 1);
      assertThat(summary.winner()).isPresent();
      assertThat(verdict(summary))
          .isEqualTo("Only combination: sim/a; there was nothing to decide.");
      assertThat(summary.savedEvaluations()).isEmpty();
      assertThat(summary.savedCost()).isEmpty();
    }
  }

  @Test
  void atMostEightAreNamed() {
    List<Integer> arms = IntStream.range(0, 11).boxed().toList();
    assertThat(SelectionSummary.names(arms, Integer::toString))
        .isEqualTo("0, 1, 2, 3, 4, 5, 6, 7 and 3 more");
  }

  @Test
  void amountsHaveThreeDigitsThatSaySomething() {
    assertThat(SelectionSummary.dollars(0)).isEqualTo("$0.00");
    assertThat(SelectionSummary.dollars(0.000_123_4)).isEqualTo("$0.000123");
    assertThat(SelectionSummary.dollars(2.5)).isEqualTo("$2.50");
    assertThat(SelectionSummary.dollars(1234.567)).isEqualTo("$1234.57");
  }
}
