package dev.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.time.virtual.VirtualTime;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class SelectCommandTest {

  @TempDir private Path directory;
  private Path file = Path.of("");
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @BeforeEach
  void writeConfiguration() throws IOException {
    StringBuilder rows = new StringBuilder("input,target\n");
    for (int i = 1; i <= 50; i++) {
      rows.append("Question ").append(i).append("?,answer").append(i).append('\n');
    }
    Files.writeString(directory.resolve("questions.csv"), rows);
    file =
        Files.writeString(
            directory.resolve("select.yaml"),
            """
            task:
              task: questions
              dataset: questions.csv
              solver: [generate]
              scorer: includes
            nodes:
              model:
                - sim/bad:accuracy=0.2,rpm=0
                - sim/good:accuracy=0.95,rpm=0
                - sim/fair:accuracy=0.5,rpm=0
            """);
  }

  private int run(Map<String, String> variables, String... more) throws Exception {
    List<String> args = new ArrayList<>(List.of("select", file.toString()));
    args.addAll(List.of("--log-dir", directory.resolve("logs").toString()));
    args.addAll(List.of(more));
    out.getBuffer().setLength(0);
    err.getBuffer().setLength(0);
    var time = VirtualTime.seeded(1);
    var surroundings =
        new Surroundings(time, new PrintWriter(out), new PrintWriter(err), variables, false);
    return time.run(() -> Weir.run(surroundings, args.toArray(String[]::new)));
  }

  @Test
  void tellsTheRankingTheWinnerAndWhatWasSaved() throws Exception {
    assertThat(run(Map.of())).isZero();
    assertThat(out.toString())
        .containsPattern("(Winner|Best found): model=sim/good:accuracy=0.95,rpm=0; ")
        .contains("behind #1", "Intervals: 95 %, betting: valid at every look")
        .containsPattern("Evaluations: \\d+ of 150; \\d+ saved against brute force")
        .contains("Cost: $0.00")
        .contains("Seed: 1");
    assertThat(err.toString())
        .contains("questions: 3 combinations on 50 datapoints, at most 150 evaluations");
  }

  @Test
  void aModeChosenOnTheCommandLineReplacesThatOfTheTaskAndSaysSo() throws Exception {
    Files.writeString(
        file, Files.readString(file).replace("nodes:", "  max_connections: 3\nnodes:"));
    assertThat(run(Map.of(), "--concurrency-mode", "halving")).isZero();
    assertThat(err.toString())
        .containsOnlyOnce(
            "`max_connections`) does not apply, because --concurrency-mode chooses mode halving");
  }

  @Test
  void theSameCommandAgainPaysForNothing() throws Exception {
    assertThat(run(Map.of(), "--json")).isZero();
    JsonNode first = new JsonMapper().readTree(out.toString());
    assertThat(run(Map.of(), "--json")).isZero();
    JsonNode second = new JsonMapper().readTree(out.toString());
    assertThat(first.path("evaluations_from_journal").asInt()).isZero();
    assertThat(second.path("evaluations_from_journal")).isEqualTo(first.path("evaluations"));
    assertThat(second.path("ranking")).isEqualTo(first.path("ranking"));
    assertThat(second.path("winner").path("model").asString()).contains("sim/good");
    assertThat(second.path("leader").isMissingNode()).isTrue();
    assertThat(second.path("intervals").path("method").asString()).isEqualTo("betting");
    assertThat(second.path("intervals").path("level").asDouble()).isEqualTo(0.95);
  }

  @Test
  void writesATableAndTheModelsOfTheWinner() throws Exception {
    Path csv = directory.resolve("ranking.csv");
    Path best = directory.resolve("best.yaml");
    Path page = directory.resolve("report.html");
    assertThat(
            run(
                Map.of("WEIR_HTML", page.toString()),
                "--csv",
                csv.toString(),
                "--export-config",
                best.toString()))
        .isZero();
    assertThat(page).content().contains("<dd>sim/good:accuracy=0.95,rpm=0</dd>", "</html>");
    assertThat(Files.readAllLines(csv)).hasSize(4);
    assertThat(Files.readAllLines(csv).get(1)).startsWith("1,\"sim/good:accuracy=0.95,rpm=0\",");
    assertThat(best).content().contains("model: \"sim/good:accuracy=0.95,rpm=0\"");
  }

  @Test
  void whatWasNotChosenIsExportedToo() throws Exception {
    Files.writeString(
        file,
        Files.readString(file)
            + "model_role: {grader: {model: sim/judge, model_args: {latency: 3s}}}\n"
            + "model_args: {latency: 2s}\n");
    Path best = directory.resolve("best.yaml");
    assertThat(run(Map.of(), "--export-config", best.toString())).as(err.toString()).isZero();
    assertThat(best)
        .hasContent(
            """
            # Chosen by weir select
            model: "sim/good:accuracy=0.95,rpm=0"
            model_args: {"latency":"2s"}
            model_role: {"grader":{"model":"sim/judge","model_args":{"latency":"3s"}}}
            """);
  }

  @Test
  void replacesNoFileUnasked() throws Exception {
    for (String option : new String[] {"--csv", "--html", "--export-config"}) {
      Path there = Files.writeString(directory.resolve("there"), "mine");
      assertThat(run(Map.of(), option, there.toString())).isEqualTo(ExitCode.USAGE);
      assertThat(err.toString()).contains("there already exists; --overwrite replaces it");
      assertThat(there).hasContent("mine");
      assertThat(run(Map.of(), option, there.toString(), "--overwrite")).isZero();
      assertThat(there).content().contains("sim/good");
    }
  }

  @Test
  void optionsComeFromTheLineTheEnvironmentAndTheFile() throws Exception {
    Files.writeString(file, Files.readString(file) + "budget: 100\nselector: brute_force\n");
    assertThat(run(Map.of(), "--json")).isZero();
    assertThat(evaluations()).isBetween(90, 100);
    assertThat(run(Map.of("WEIR_BUDGET", "60"), "--json")).isZero();
    assertThat(evaluations()).isBetween(50, 60);
    assertThat(run(Map.of("WEIR_BUDGET", "60"), "--json", "--budget", "10%")).isZero();
    assertThat(evaluations()).isBetween(10, 15);
  }

  private int evaluations() {
    return new JsonMapper().readTree(out.toString()).path("evaluations").asInt();
  }

  @Test
  void badInputIsBadUsage() throws Exception {
    assertThat(run(Map.of(), "--budget", "2")).isEqualTo(ExitCode.USAGE);
    assertThat(err.toString()).contains("one look at each of the 3 combinations");
    assertThat(run(Map.of("WEIR_BUDGET", "2"))).isEqualTo(ExitCode.USAGE);
    assertThat(err.toString()).contains("WEIR_BUDGET must allow one look");
    assertThat(run(Map.of(), "--objective", "pareto", "--selector", "top-two"))
        .isEqualTo(ExitCode.USAGE);
    assertThat(err.toString()).contains("`top_two` looks for the highest value only");
    String good = Files.readString(file);
    Files.writeString(file, good.replace("sim/bad", "smi/bad"));
    assertThat(run(Map.of())).isEqualTo(ExitCode.USAGE);
    assertThat(err.toString()).contains("select.yaml, line 7").contains("did you mean 'sim'?");
    Files.writeString(file, good);
    assertThat(run(Map.of(), "--selector", "autom")).isEqualTo(ExitCode.USAGE);
    assertThat(err.toString()).contains("--selector is unknown: 'autom'").contains("auto");
    assertThat(run(Map.of(), "--selector-args", "delta=x")).isEqualTo(ExitCode.USAGE);
    assertThat(run(Map.of(), "--csv", "/nowhere/x.csv")).isEqualTo(ExitCode.USAGE);
    assertThat(directory.resolve("logs")).doesNotExist();
  }

  /** Whoever allows an error once in a thousand is not told of a confidence of 95 %. */
  @Test
  void deltaIsThatOfTheSelector() throws Exception {
    String paired = "paired_elimination";
    assertThat(
            run(
                Map.of(),
                "--objective",
                "fastest",
                "--within",
                "0.999",
                "--delta",
                "0.001",
                "--selector",
                paired))
        .isEqualTo(ExitCode.SUCCESS);
    assertThat(out.toString()).contains("; confidence 99.9 %.");
    for (String selector : List.of(paired, "threshold", "epsilon_lucb")) {
      assertThat(
              run(
                  Map.of(),
                  "--delta",
                  "0.001",
                  "--selector",
                  selector,
                  "--selector-args",
                  "delta=0.1"))
          .as(selector)
          .isEqualTo(ExitCode.USAGE);
      assertThat(err.toString())
          .contains(
              "--delta is 0.001, but `selector_args` has delta=0.1; leave out one of the two");
    }
  }

  @Test
  void wordsThatDoNotGoTogetherAreBadUsage() throws Exception {
    assertThat(run(Map.of(), "--sequential", "--max-concurrent", "5")).isEqualTo(ExitCode.USAGE);
    assertThat(err.toString())
        .contains("--sequential is one call at a time, but `max_concurrent` is 5; leave out one");
    assertThat(run(Map.of(), "--attempts", "3")).isEqualTo(ExitCode.USAGE);
    assertThat(err.toString())
        .contains("--attempts is 3, but with `failures` zero a failure counts at once")
        .contains("--failures retry or exclude");
    assertThat(run(Map.of(), "--attempts", "1", "--failures", "retry")).isEqualTo(ExitCode.USAGE);
    assertThat(err.toString()).contains("--attempts must be at least 2 with `failures` retry");
    assertThat(run(Map.of(), "--model", "sim/x")).isEqualTo(ExitCode.USAGE);
    assertThat(err.toString())
        .contains("--model gives a model to 'model', which is a node with candidates");
    assertThat(run(Map.of(), "--objective", "weighted")).isEqualTo(ExitCode.USAGE);
    assertThat(err.toString()).contains("weighted needs --cost-weight or --latency-weight");
    assertThat(directory.resolve("logs")).doesNotExist();
  }

  @Test
  void wordsMayGoTogetherWithThoseOfTheFile() throws Exception {
    Files.writeString(
        file, Files.readString(file) + "failures: retry\nmax_concurrent: 5\nlatency_weight: 0.1\n");
    assertThat(run(Map.of(), "--attempts", "4", "--objective", "weighted")).isZero();
    assertThat(run(Map.of(), "--sequential", "--max-concurrent", "1")).isZero();
    // A variable is for other commands, too.
    assertThat(run(Map.of("WEIR_MODEL", "sim/x"))).isZero();
  }

  @Test
  void wordsOfTheCommandWinOverThoseOfTheFile() throws Exception {
    String plain = Files.readString(file);
    Files.writeString(file, plain + "max_concurrent: 5\nfailures: retry\nattempts: 3\n");
    assertThat(run(Map.of(), "--sequential")).as(err.toString()).isZero();
    assertThat(run(Map.of("WEIR_SEQUENTIAL", "true"))).as(err.toString()).isZero();
    assertThat(run(Map.of("WEIR_MAX_CONCURRENT", "7"), "--sequential")).isZero();
    assertThat(run(Map.of(), "--failures", "zero")).as(err.toString()).isZero();
    Files.writeString(file, plain + "sequential: true\nspeculate: false\n");
    assertThat(run(Map.of(), "--max-concurrent", "5")).as(err.toString()).isZero();
    Files.writeString(file, plain + "speculate: true\n");
    assertThat(run(Map.of(), "--budget", "50%")).as(err.toString()).isZero();
    assertThat(run(Map.of(), "--schedule", "documented")).as(err.toString()).isZero();
    // What a file allows to be spent is not lifted by another option.
    Files.writeString(file, plain + "budget: 50%\n");
    assertThat(run(Map.of(), "--speculate")).isEqualTo(ExitCode.USAGE);
    // Both in the file.
    Files.writeString(file, plain + "max_concurrent: 5\nsequential: true\n");
    assertThat(run(Map.of())).isEqualTo(ExitCode.USAGE);
  }

  @Test
  void withoutAWinnerNothingIsExportedAndThatIsTold() throws Exception {
    Files.writeString(
        file, Files.readString(file).replaceAll("accuracy=[0-9.]+", "error-rate=0.999"));
    Path best = directory.resolve("best.yaml");
    int code =
        run(Map.of(), "--export-config", best.toString(), "--max-retries", "0", "--timeout", "5s");
    assertThat(code).isEqualTo(ExitCode.FAILED);
    assertThat(best).doesNotExist();
    assertThat(err.toString())
        .contains("no combination was found, so nothing was written to " + best);
    assertThat(out.toString())
        .contains("No winner", "; no combination has enough samples with a score.");
  }

  /** Time is up before the last combinations have begun. */
  @Test
  void whatWasNotLookedAtIsTold() throws Exception {
    String slow = Files.readString(file).replace("rpm=0", "rpm=0,latency=10s");
    Files.writeString(file, slow + "selector: brute_force\nbudget: 25s\nsequential: true\n");
    assertThat(run(Map.of())).isEqualTo(ExitCode.FAILED);
    assertThat(out.toString())
        .contains("No winner")
        .containsPattern("not looked at: sim/good, sim/fair\\.")
        .contains("Ended early: the time is used up");
    assertThat(run(Map.of(), "--json")).isEqualTo(ExitCode.FAILED);
    JsonNode found = new JsonMapper().readTree(out.toString());
    assertThat(found.path("winner").isMissingNode()).isTrue();
    assertThat(found.path("not_looked_at").size()).isEqualTo(2);
    assertThat(found.path("not_looked_at").path(0).path("model").asString()).contains("sim/good");
    assertThat(found.path("ending").asString()).isEqualTo("stopped");
  }
}
