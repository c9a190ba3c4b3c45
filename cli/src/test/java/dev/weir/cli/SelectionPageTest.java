package dev.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.eval.select.SelectionFindings;
import dev.weir.selection.Arms;
import dev.weir.selection.Evaluation;
import dev.weir.selection.Look;
import dev.weir.selection.Node;
import dev.weir.selection.Outcome;
import dev.weir.selection.Selection;
import dev.weir.selection.SelectionPlan;
import dev.weir.selection.Selectors;
import dev.weir.selection.Standing;
import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.xml.sax.InputSource;

class SelectionPageTest {

  private static final int DATAPOINTS = 120;

  /** Dearer candidates are better and slower. */
  static SelectionFindings found(int planners, int solvers, boolean priced, String prefix) {
    Arms arms =
        Arms.of(
            List.of(
                new Node("planner", candidates(prefix + "plan-", planners)),
                new Node("solver", candidates(prefix + "solve-", solvers))));
    Selection selection = Selection.begin(SelectionPlan.of(arms, DATAPOINTS, Selectors.AUTO, 1));
    for (Optional<Evaluation> next = selection.next(); next.isPresent(); next = selection.next()) {
      selection.tell(next.get(), outcome(next.get(), planners, solvers, priced));
    }
    Map<Integer, List<Look>> history = new HashMap<>();
    selection
        .result()
        .standings()
        .forEach(arm -> history.put(arm.arm(), selection.looks(arm.arm(), 12)));
    return new SelectionFindings(
        "agents",
        selection.plan(),
        selection.result(),
        0,
        new SelectionFindings.Ahead(0, 0, 0),
        selection.result().cost().orElse(0),
        Optional.empty(),
        false,
        Map.of(0, "429: <b>slow down</b>"),
        history,
        Duration.ofSeconds(83),
        Path.of("logs", "agents.selection"));
  }

  private static List<String> candidates(String name, int count) {
    return IntStream.range(0, count)
        .mapToObj(i -> "sim/%s%s:accuracy=0.%d".formatted(name, (char) ('a' + i), i))
        .toList();
  }

  private static Outcome outcome(Evaluation one, int planners, int solvers, boolean priced) {
    var random = new SplittableRandom(one.arm() * 7919L + one.datapoint());
    random.nextLong();
    double hard = new SplittableRandom(one.datapoint()).nextDouble();
    int planner = one.arm() / solvers;
    int solver = one.arm() % solvers;
    double plan = planner / (double) Math.max(1, planners - 1);
    double solve = solver / (double) Math.max(1, solvers - 1);
    double chance = 0.35 + 0.2 * plan + 0.4 * Math.sqrt(solve);
    boolean isRight = 0.5 * hard + 0.5 * random.nextDouble() < chance;
    double cost = 0.0001 * Math.exp(3 * plan + 3.5 * solve) * (0.8 + 0.4 * random.nextDouble());
    double latency = 0.4 + 2 * plan + 3 * solve * random.nextDouble();
    return priced
        ? Outcome.scored(isRight ? 1 : 0, cost, latency)
        : Outcome.scored(isRight ? 1 : 0);
  }

  private static String page(SelectionFindings found) throws IOException {
    var out = new StringWriter();
    new SelectionPage(found, out).write();
    return out.toString();
  }

  @Test
  void tellsTheWinnerHowSureItIsAndWhatWasSaved() throws IOException {
    SelectionFindings found = found(3, 4, true, "");
    Standing winner = found.result().standings().getFirst();
    assertThat(page(found))
        .contains("<dt>planner</dt><dd>" + found.models(winner.arm()).get("planner") + "</dd>")
        .contains(Numbers.score(winner.score().orElseThrow()))
        .contains("saved against brute force")
        .containsPattern("about \\$\\d+\\.\\d+ saved")
        .containsAnyOf("Not decided against", "claims no confidence")
        .doesNotContainPattern("[A-Z][a-z]+_[a-z]+")
        .contains("behind #1", "given up in round", "429: &lt;b&gt;slow down&lt;/b&gt;");
  }

  @Test
  void picturesAreWellFormedAndHaveAPlaceForEachCombination() throws Exception {
    for (SelectionFindings found :
        List.of(found(10, 10, true, ""), found(2, 1, true, "<&\"'"), found(1, 1, true, ""))) {
      String page = page(found);
      int arms = found.plan().arms().size();
      List<String> pictures =
          Pattern.compile("<svg.*?</svg>", Pattern.DOTALL)
              .matcher(page)
              .results()
              .map(picture -> picture.group())
              .toList();
      assertThat(pictures).hasSize(3);
      for (String picture : pictures) {
        assertThat(picture).doesNotContain("NaN", "Infinity");
        var document =
            DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new InputSource(new StringReader(picture)));
        assertThat(document.getElementsByTagName("circle").getLength()).isEqualTo(arms);
        assertThat(document.getElementsByTagName("title").getLength()).isEqualTo(arms);
      }
      assertThat(pictures.getLast()).contains("class=\"interval\"");
    }
  }

  @Test
  void eliminationsAreMarkedWhereTheyHappened() throws IOException {
    SelectionFindings found = found(4, 4, true, "");
    String page = page(found);
    for (Standing arm : found.result().standings()) {
      arm.elimination()
          .ifPresent(gone -> assertThat(page).contains("× round %d<".formatted(gone.round())));
    }
    assertThat(page.split("× round ", -1).length - 1)
        .isEqualTo(
            (int)
                found.result().standings().stream()
                    .filter(arm -> arm.elimination().isPresent())
                    .count());
  }

  @Test
  void loadsNothingAndRunsNothing() throws IOException {
    assertThat(page(found(3, 3, true, "<script>alert(1)</script>")))
        .contains("default-src 'none'; style-src 'unsafe-inline'\"")
        .contains("prefers-color-scheme: dark")
        .doesNotContain("<script", "http://", "https://", "url(", "src=", "href=");
  }

  @Test
  void withoutPricesAndLatenciesThereIsASentenceInsteadOfAPicture() throws IOException {
    assertThat(page(found(2, 2, false, "")))
        .contains("No combination has a price that is known.", "No latency was measured.")
        .contains("at least $0.00; a price is unknown")
        .contains("class=\"rounds\"");
  }
}
