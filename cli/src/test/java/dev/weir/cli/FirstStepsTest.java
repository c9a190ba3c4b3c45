package dev.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.time.virtual.VirtualTime;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What people meet who try Weir for the first time. */
class FirstStepsTest {

  @TempDir Path directory;

  private final VirtualTime time = VirtualTime.seeded(1);
  private final Map<String, String> environment = new HashMap<>();
  private Path quiz = Path.of("");

  @BeforeEach
  void writeTask() throws Exception {
    environment.put("HOME", directory.toString());
    environment.put("WEIR_LOG_DIR", directory.resolve("logs").toString());
    quiz = write("quiz", "includes");
  }

  private Path write(String name, String scorer) throws Exception {
    var samples = new StringBuilder();
    for (int i = 1; i <= 20; i++) {
      samples.append("  - {id: q%d, input: 'What is %d?', target: '%d'}\n".formatted(i, i, i));
    }
    return Files.writeString(
        directory.resolve(name + ".yaml"),
        "task: %s\nsolver: generate\nscorer: %s\ndataset:\n%s".formatted(name, scorer, samples));
  }

  private Spoken weir(Object... words) throws Exception {
    return time.run(() -> Spoken.of(time, environment, words));
  }

  private static Path log(Spoken said) {
    return Path.of(
        said.out()
            .lines()
            .filter(line -> line.startsWith("Log: "))
            .findFirst()
            .orElseThrow()
            .substring("Log: ".length()));
  }

  @Test
  void aTaskIsNoSelection() throws Exception {
    Spoken said = weir("select", quiz, "--model", "sim/a,sim/b");
    assertThat(said.code()).isEqualTo(ExitCode.USAGE);
    assertThat(said.err())
        .contains("this is a task; a selection file has `task`", "`nodes`", "`weir help select`")
        .doesNotContain("known are");
    assertThat(weir("help", "select").out()).contains("  task: ", "  nodes:", "    model: [");
  }

  @Test
  void failuresThatAreNotShownAreCounted() throws Exception {
    Path log = log(weir("eval", quiz, "--model", "sim/a:accuracy=0", "--limit", 8));
    Spoken said = weir("log", "show", log, "--failed", "--limit", 3);
    assertThat(said.out())
        .contains("── 1 of 8 · q1 ", "── 3 of 8 · q3 ")
        .endsWith("5 samples more; to show all: weir log show %s --failed%n".formatted(log));
    assertThat(weir("log", "show", log, "--limit", 8).out()).doesNotContain("more; to show all");
  }

  @Test
  void aModelThatGradesItselfIsNamed() throws Exception {
    Path graded = write("graded", "model_graded_qa");
    Spoken itself = weir("eval", graded, "--model", "sim/a", "--limit", 2);
    assertThat(itself.out())
        .containsOnlyOnce(
            "Graded by the evaluated model itself; to use another one: --model-role"
                + " grader=provider/model");
    assertThat(weir("log", "show", log(itself), "--full").out())
        .contains("graded by sim/a, the evaluated model itself");
    Spoken other =
        weir("eval", graded, "--model", "sim/a", "--model-role", "grader=sim/judge", "--limit", 2);
    assertThat(other.out()).doesNotContain("Graded by");
    assertThat(weir("log", "show", log(other), "--full").out()).contains("graded by sim/judge");
    Spoken json = weir("eval", graded, "--model", "sim/a", "--limit", 2, "--json");
    assertThat(json.out()).doesNotContain("Graded by");
  }

  @Test
  void aListOfLogsFitsTheTerminal() throws Exception {
    weir("eval", quiz, "--model", "sim/a-model-with-a-name-that-is-much-too-long", "--limit", 1);
    for (int columns : List.of(80, 110, 140, 250)) {
      environment.put("COLUMNS", String.valueOf(columns));
      List<String> lines = weir("log", "list").out().lines().toList();
      String file = directory.resolve("logs") + "/";
      assertThat(lines.stream().filter(line -> !line.strip().startsWith(file)))
          .allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(columns));
      assertThat(String.join("\n", lines)).contains(file, "…");
    }
    environment.remove("COLUMNS");
    assertThat(weir("log", "list").out().lines()).hasSize(2);
  }

  @ParameterizedTest
  @CsvSource({
    "accuracy=80, accuracy is a share from 0 to 1; did you mean accuracy=0.8?",
    "includes/accuracy=1.5, did you mean includes/accuracy=0.015?",
    "accuracy_over_all=95.5, did you mean accuracy_over_all=0.955?",
    "accuracy=200, so 200 can never be reached",
  })
  void aThresholdThatNothingReachesIsRejectedBeforeAnythingIsPaidFor(String given, String words)
      throws Exception {
    Spoken said = weir("eval", quiz, "--model", "sim/a", "--threshold", given);
    assertThat(said.code()).isEqualTo(ExitCode.USAGE);
    for (String part : words.split("; ", -1)) {
      assertThat(said.err()).contains(part);
    }
    assertThat(directory.resolve("logs")).doesNotExist();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "sim/demo,          | sim/demo",
        "sim/demo,,         | sim/demo",
        ",sim/a, , sim/b    | sim/a sim/b",
        "sim/a:accuracy=1,,sim/b, | sim/a:accuracy=1 sim/b",
      })
  void aCommaTooManyIsNoPartOfAName(String given, String models) throws Exception {
    Spoken said = weir("eval", quiz, "--model", given, "--limit", 1);
    assertThat(said.code()).isZero();
    assertThat(said.err().lines().filter(line -> line.startsWith("quiz on ")))
        .map(line -> line.replaceAll("quiz on (.*): 1 sample", "$1"))
        .containsExactly(models.split(" ", -1));
  }

  @Test
  void helpGoesAsDeepAsCommandsDo() throws Exception {
    assertThat(weir("help", "log", "show").out()).startsWith("Usage: weir log show ");
    Spoken mistyped = weir("help", "log", "shwo");
    assertThat(mistyped.code()).isEqualTo(ExitCode.USAGE);
    assertThat(mistyped.err()).contains("there is no command 'log shwo'; did you mean 'show'?");
    assertThat(weir("help", "eval", "x").err()).contains("weir eval has no commands");
    assertThat(weir("list").err())
        .contains("there are tasks, scorers, solvers, tools, models and profiles");
  }

  @Test
  void errorsOfEachFailedLogCanBeCounted() throws Exception {
    Spoken said =
        weir(
            "eval",
            quiz,
            "--model",
            "sim/a:error-rate=0.9999,sim/b:error-rate=0.9999",
            "--max-retries=0",
            "--fail-on-error=false",
            "--limit=3");
    assertThat(said.out().lines().filter(line -> line.startsWith("Errors by kind: "))).hasSize(2);
    assertThat(said.out())
        .contains("  q1, q2, q3: sim/a:error-rate=0.9999: 500: internal error; retries are off\n")
        .doesNotContain("0 retries");
  }

  @Test
  void tablesStandOneLineApart() throws Exception {
    Path scored = write("scored", "[includes, exact]");
    Spoken said = weir("eval", scored, "--model", "sim/a", "--limit", 2);
    assertThat(said.out()).contains("scorer").doesNotContain("\n\n\n");
  }

  @Test
  void aCompleteRunIsNotRunAgain() throws Exception {
    Path log = log(weir("eval", quiz, "--model", "sim/a", "--limit", 3));
    Spoken said = weir("eval-retry", log);
    assertThat(said.code()).isZero();
    assertThat(said.err()).contains(log + " is complete: there is nothing to retry");
    assertThat(said.out()).contains("Log: " + log);
    try (var logs = Files.list(directory.resolve("logs"))) {
      assertThat(logs.filter(file -> file.toString().endsWith(".eval"))).hasSize(1);
    }
    Spoken more = weir("eval-retry", log, "--epochs", 2);
    assertThat(more.err()).contains("reusing 3 finished samples, running 3");
    assertThat(more.code()).isZero();
  }

  @Test
  void anotherThresholdIsCheckedAlthoughTheRunIsComplete() throws Exception {
    Path log = log(weir("eval", quiz, "--model", "sim/a:accuracy=0", "--limit", 3));
    assertThat(weir("eval-retry", log, "--threshold", "accuracy=0.5").code())
        .isEqualTo(ExitCode.FAILED);
  }

  @Test
  void theScoreOfTheBaselineStandsInItsRow() throws Exception {
    Path a = log(weir("eval", quiz, "--model", "sim/a:accuracy=0.5", "--seed", 1));
    Path b = log(weir("eval", quiz, "--model", "sim/b:accuracy=0.8", "--seed", 1));
    Path c = log(weir("eval", quiz, "--model", "sim/c:accuracy=0.9", "--seed", 1));
    Spoken said = weir("compare", a, b, c);
    String first = said.out().lines().filter(line -> line.startsWith("A ")).findFirst().get();
    assertThat(first).containsPattern("quiz +sim/a:accuracy=0.5 +0\\.\\d{3} ");
    assertThat(said.out()).doesNotContain("(A: ");
  }

  @Test
  void aMistypedModelIsFoundBesideItsMissingPrice() throws Exception {
    Spoken said = weir("eval", quiz, "--model", "openai/gpt-5.6-tera", "--dry-run");
    assertThat(said.out()).contains("did you mean 'openai/gpt-5.6-terra'?");
    assertThat(weir("eval", quiz, "--model", "ollama/mine", "--dry-run").out())
        .doesNotContain("did you mean");
  }

  @Test
  void optionsThatAreThoughtToExistPointToTheRightPlace() throws Exception {
    assertThat(weir("eval", quiz, "--model", "sim/a", "--scorer", "exact").err())
        .contains("key `scorer`", "weir score LOG --scorer NAME");
    assertThat(weir("eval", quiz, "--model", "sim/a", "--model-role", "grader:sim/x").err())
        .contains("role=provider/model", "grader=");
  }

  @Test
  void pathsArePrintedAsTheyAreGiven() throws Exception {
    Path log = log(weir("eval", quiz, "--model", "sim/a", "--limit", 2));
    Path relative = Path.of("").toAbsolutePath().relativize(log);
    environment.remove("WEIR_LOG_DIR");
    Path scored = log(weir("score", relative, "--scorer", "exact"));
    assertThat(scored).isRelative().startsWith(relative.resolveSibling(""));
    environment.put("WEIR_LOG_DIR", relative.resolveSibling("").toString());
    assertThat(weir("log", "list").out())
        .contains("a scoring of " + relative)
        .doesNotContain(" " + directory);
  }

  @Test
  void aSeparatorThatIsNoCommaIsNamed() throws Exception {
    Files.writeString(directory.resolve("q.csv"), "id;input;target\n1;What is 1?;1\n");
    Path task =
        Files.writeString(
            directory.resolve("task.yaml"),
            "task: semi\ndataset: q.csv\nsolver: generate\nscorer: includes\n");
    assertThat(weir("eval", task, "--model", "sim/a").err())
        .contains("q.csv, line 2", "must be separated by commas, not by semicolons");
  }
}
