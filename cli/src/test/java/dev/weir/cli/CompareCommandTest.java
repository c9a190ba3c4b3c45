package dev.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.weir.log.LogFiles;
import dev.weir.log.RunLog;
import dev.weir.log.RunLogReader;
import dev.weir.log.journal.JournalListener;
import dev.weir.time.Time;
import dev.weir.time.virtual.VirtualTime;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** {@code weir compare} as a user meets it. */
class CompareCommandTest {

  private static final Path ROOT =
      Path.of(System.getProperty("weir.root", "..")).toAbsolutePath().normalize();

  private static final Path CAPITALS = ROOT.resolve("examples/capitals.yaml");

  @TempDir Path directory;

  private final VirtualTime time = VirtualTime.seeded(1);
  private final Map<String, String> environment = new HashMap<>();

  @BeforeEach
  void setUp() {
    environment.put("HOME", directory.toString());
    environment.put("WEIR_LOG_DIR", directory.resolve("logs").toString());
  }

  private Spoken weir(Object... words) throws Exception {
    return time.run(() -> Spoken.of(time, environment, words));
  }

  private Path evaluated(Path task, String model, Object... options) throws Exception {
    Object[] words = new Object[options.length + 7];
    words[0] = "eval";
    words[1] = task;
    words[2] = "--json";
    words[3] = "--seed";
    words[4] = 7;
    words[5] = "--model";
    words[6] = model;
    System.arraycopy(options, 0, words, 7, options.length);
    return Path.of(weir(words).json().path("log").asString());
  }

  private Path task(String name, String... rows) throws Exception {
    Path csv = directory.resolve(name + ".csv");
    Files.writeString(csv, "id,input,target\n" + String.join("\n", rows) + "\n");
    Path task = directory.resolve(name + ".yaml");
    Files.writeString(
        task,
        "task: words\ndataset: %s.csv\nsolver: [generate]\nscorer: includes\n".formatted(name));
    return task;
  }

  @Test
  void pairsSamplesAndSaysWhatChanged() throws Exception {
    Path weak = evaluated(CAPITALS, "sim/weak:accuracy=0.4");
    Path strong = evaluated(CAPITALS, "sim/strong:accuracy=0.95");
    Spoken said = weir("compare", weak, strong);
    assertThat(said.code()).isZero();
    JsonNode document = weir("compare", weak, strong, "--json").json();
    JsonNode comparison = document.path("comparisons").get(0);
    assertThat(document.path("scorer").asString()).isEqualTo("includes");
    assertThat(comparison.path("pairs").asInt()).isEqualTo(50);
    int better = comparison.path("better").size();
    int worse = comparison.path("worse").size();
    assertThat(comparison.path("difference").asDouble())
        .isEqualTo((better - worse) / 50.0, within(1e-9));
    assertThat(comparison.path("test").path("method").asString()).isEqualTo("mcnemar");
    assertThat(comparison.path("interval").path("method").asString()).isEqualTo("Bonett-Price");
    assertThat(comparison.path("settings").propertyNames()).containsExactly("model");
    assertThat(said.out())
        .contains(
            "B scores higher than A by ",
            "95 % interval +",
            "Bonett-Price; McNemar's exact test, p ",
            "Better in B (" + better + "): ",
            " 0 → 1",
            "sim/weak:accuracy=0.4",
            "  A  " + weak);
    Spoken markdown = weir("compare", weak, strong, "--markdown");
    assertThat(markdown.out())
        .startsWith("### Scores of `includes`\n")
        .contains(
            "| A | sim/weak:accuracy=0.4 |", "<summary>Better in B: " + better + "</summary>");
  }

  @Test
  void aRegressionSetsTheExitCodeOnlyIfAsked() throws Exception {
    Path strong = evaluated(CAPITALS, "sim/strong:accuracy=0.95");
    Path weak = evaluated(CAPITALS, "sim/weak:accuracy=0.4");
    assertThat(weir("compare", strong, weak).code()).isZero();
    Spoken failed = weir("compare", strong, weak, "--fail-on-regression");
    assertThat(failed.code()).isEqualTo(ExitCode.FAILED);
    assertThat(failed.out())
        .contains("Regression of B: the whole interval of the difference lies below 0.");
    assertThat(weir("compare", strong, weak, "--fail-on-regression=0.1").code())
        .isEqualTo(ExitCode.FAILED);
    Spoken tolerated = weir("compare", strong, weak, "--fail-on-regression=0.9");
    assertThat(tolerated.code()).isZero();
    assertThat(tolerated.out()).contains("No regression: the interval does not lie below -0.900.");
    assertThat(weir("compare", weak, strong, "--fail-on-regression").code()).isZero();
    Spoken detached = weir("compare", strong, weak, "--fail-on-regression", "0.02");
    assertThat(detached.code()).isEqualTo(ExitCode.USAGE);
    assertThat(detached.err()).contains("as in --fail-on-regression=0.02");
    assertThat(weir("compare", strong, "--failures", "zero", weak).code()).isZero();
    environment.put("WEIR_FAIL_ON_REGRESSION", "0");
    assertThat(weir("compare", strong, weak).code()).isEqualTo(ExitCode.FAILED);
    environment.put("WEIR_FAIL_ON_REGRESSION", "true");
    assertThat(weir("compare", strong, weak).code()).isEqualTo(ExitCode.FAILED);
    environment.put("WEIR_FAIL_ON_REGRESSION", "false");
    assertThat(weir("compare", strong, weak).code()).isZero();
  }

  @Test
  void chanceAloneIsNoRegression() throws Exception {
    Path one = evaluated(CAPITALS, "sim/first:accuracy=0.8");
    Path other = evaluated(CAPITALS, "sim/second:accuracy=0.8");
    for (Path[] pair : new Path[][] {{one, other}, {other, one}}) {
      Spoken said = weir("compare", pair[0], pair[1], "--fail-on-regression");
      assertThat(said.code()).isZero();
      assertThat(said.out()).contains("No evidence that B scores differently from A");
    }
  }

  @Test
  void samplesThatAskSomethingElseAreExcludedAndCounted() throws Exception {
    Path before = task("before", "a,Say A,A", "b,Say B,B", "c,Say C,C", "d,Say D,D");
    Path after = task("after", "a,Say A,A", "b,Say b please,B", "c,Say C,C", "e,Say E,E");
    Path one = evaluated(before, "sim/x:accuracy=1");
    Path other = evaluated(after, "sim/x:accuracy=1");
    JsonNode comparison = weir("compare", one, other, "--json").json().path("comparisons").get(0);
    assertThat(comparison.path("pairs").asInt()).isEqualTo(2);
    assertThat(comparison.path("excluded").path("different_content").asInt()).isEqualTo(1);
    assertThat(comparison.path("excluded").path("only_in_baseline").asInt()).isEqualTo(1);
    assertThat(comparison.path("excluded").path("only_in_log").asInt()).isEqualTo(1);
    assertThat(weir("compare", one, other).out())
        .contains("Samples not compared: 1 with different content, 1 only in A, 1 only in B.");
  }

  @Test
  void logsWithoutACommonSampleAreRejected() throws Exception {
    Path one = evaluated(task("one", "a,Say A,A", "b,Say B,B"), "sim/x");
    Path other = evaluated(task("other", "c,Say C,C", "d,Say D,D"), "sim/x");
    Spoken said = weir("compare", one, other);
    assertThat(said.code()).isEqualTo(ExitCode.USAGE);
    assertThat(said.err()).contains("have no samples in common: no sample id of one occurs");
    Path changed = evaluated(task("changed", "a,Say X,A", "b,Say Y,B"), "sim/x");
    Spoken content = weir("compare", one, changed, "--fail-on-regression");
    assertThat(content.code()).isEqualTo(ExitCode.USAGE);
    assertThat(content.err()).contains("2 samples have the same id, but other content");
  }

  @Test
  void failedSamplesAreLeftOutOrCountAsZero() throws Exception {
    Path whole = evaluated(CAPITALS, "sim/x:accuracy=1", "--limit", 20);
    Path failing =
        evaluated(
            CAPITALS,
            "sim/x:accuracy=1,error-rate=0.5",
            "--limit",
            20,
            "--max-retries=0",
            "--fail-on-error=false");
    JsonNode left = weir("compare", whole, failing, "--json").json().path("comparisons").get(0);
    int unscored = left.path("excluded").path("unscored_in_log").asInt();
    assertThat(unscored).isBetween(3, 17);
    assertThat(left.path("difference").asDouble()).isZero();
    Spoken zero =
        weir("compare", whole, failing, "--failures", "zero", "--json", "--fail-on-regression");
    JsonNode counted = zero.json().path("comparisons").get(0);
    assertThat(counted.path("pairs").asInt()).isEqualTo(20);
    assertThat(counted.path("worse")).hasSize(unscored);
    assertThat(zero.code()).isEqualTo(ExitCode.FAILED);
  }

  @Test
  void severalLogsAreComparedWithTheFirstByWiderIntervals() throws Exception {
    Path a = evaluated(CAPITALS, "sim/a:accuracy=0.9");
    Path b = evaluated(CAPITALS, "sim/b:accuracy=0.5");
    Path c = evaluated(CAPITALS, "sim/c:accuracy=0.8");
    JsonNode comparisons = weir("compare", a, b, c, "--json").json().path("comparisons");
    assertThat(comparisons).hasSize(2);
    double single =
        weir("compare", a, b, "--json")
            .json()
            .path("comparisons")
            .get(0)
            .path("interval")
            .path("low")
            .asDouble();
    assertThat(comparisons.get(0).path("interval").path("low").asDouble()).isLessThan(single);
    assertThat(comparisons.get(0).path("interval").path("confidence").asDouble()).isEqualTo(0.975);
    assertThat(weir("compare", a, b, c).out())
        .contains("difference [97.5 %]", "Both intervals together hold with 95 % confidence");
  }

  @Test
  void epochsOfASampleCountAsOne() throws Exception {
    Path once = evaluated(CAPITALS, "sim/a:accuracy=0.5");
    Path thrice = evaluated(CAPITALS, "sim/b:accuracy=0.5", "--epochs", 3);
    JsonNode comparison = weir("compare", once, thrice, "--json").json().path("comparisons").get(0);
    assertThat(comparison.path("pairs").asInt()).isEqualTo(50);
    assertThat(comparison.path("interval").path("method").asString()).isEqualTo("Student, paired");
    assertThat(comparison.path("test").path("method").asString()).contains("paired_permutation");
  }

  @Test
  void readsJournalsAndJson() throws Exception {
    Path a = evaluated(CAPITALS, "sim/a:accuracy=0.9", "--limit", 6);
    Path b = evaluated(CAPITALS, "sim/b:accuracy=0.5", "--limit", 6);
    Path json = directory.resolve("a.json");
    LogFiles.toJson(a, json);
    Path journal;
    try (var reader = RunLogReader.open(b);
        var log =
            RunLog.begin(
                Time.system(), directory.resolve("killed"), reader.start(), JournalListener.NONE)) {
      for (int i = 0; i < 4; i++) {
        log.append(reader.sample().orElseThrow());
      }
      journal = log.file();
    }
    JsonNode comparison =
        weir("compare", json, journal, "--json").json().path("comparisons").get(0);
    assertThat(comparison.path("pairs").asInt()).isEqualTo(4);
    assertThat(comparison.path("excluded").path("only_in_baseline").asInt()).isEqualTo(2);
  }

  /** Logs of other programs have no hash of what was asked: their texts are compared. */
  @Test
  void alsoTheContentOfLogsOfInspectIsCompared() throws Exception {
    Path task = task("mixed", "a,Say A,A", "b,Say B,B", "c,Say C,C");
    Path own = evaluated(task, "sim/x:accuracy=1");
    Path foreign = directory.resolve("2026-11-15T10-11-12_words_1.json");
    Files.writeString(
        foreign,
        """
        {"version": 2, "status": "success",
         "eval": {"run_id": "r", "created": "2026-11-15T10:11:12+00:00", "task": "words",
           "task_id": "t", "dataset": {"samples": 3, "sample_ids": ["a", "b", "c"]}, "model": "m",
           "config": {}},
         "samples": [%s, %s, %s]}
        """
            .formatted(
                foreign("a", "Say A", "C"),
                foreign("b", "Say something", "I"),
                foreign("c", "Say C", "I")));
    for (Path[] pair : new Path[][] {{own, foreign}, {foreign, own}}) {
      Spoken said = weir("compare", pair[0], pair[1], "--json");
      JsonNode comparison = said.json().path("comparisons").get(0);
      assertThat(comparison.path("pairs").asInt()).isEqualTo(2);
      assertThat(comparison.path("excluded").path("different_content").asInt()).isEqualTo(1);
      assertThat(comparison.path("worse").size() + comparison.path("better").size()).isEqualTo(1);
    }
  }

  private static String foreign(String id, String input, String grade) {
    return """
    {"id": "%s", "epoch": 1, "input": "%s", "target": "%s", "messages": [],
     "output": {"model": "m", "choices": []}, "scores": {"includes": {"value": "%s"}}}
    """
        .formatted(id, input, id.toUpperCase(Locale.ROOT), grade);
  }

  @Test
  void digitsAreTheSameInEveryCountry() throws Exception {
    Path a = evaluated(CAPITALS, "sim/a:accuracy=0.9");
    Path b =
        evaluated(
            CAPITALS,
            "sim/b:accuracy=0.3,error-rate=0.2",
            "--max-retries=0",
            "--fail-on-error=false");
    Locale before = Locale.getDefault();
    Locale.setDefault(Locale.of("ar", "EG"));
    try {
      for (Spoken said :
          List.of(
              weir("compare", a, b),
              weir("compare", a, b, "--markdown"),
              weir("log", "show", b, "--failed"),
              weir("log", "failures", b),
              weir("log", "export", b, "--format", "html"))) {
        assertThat(said.code()).isZero();
        assertThat(said.out()).doesNotContainPattern("[\\p{Nd}&&[^0-9]]");
      }
    } finally {
      Locale.setDefault(before);
    }
  }

  @Test
  void saysWhatCannotBeUsed() throws Exception {
    Path log = evaluated(CAPITALS, "sim/x", "--limit", 2);
    assertThat(weir("compare", log).code()).isEqualTo(ExitCode.USAGE);
    assertThat(weir("compare", log).err()).contains("at least 2 of LOG are needed");
    Spoken scorer = weir("compare", log, log, "--scorer", "include");
    assertThat(scorer.code()).isEqualTo(ExitCode.USAGE);
    assertThat(scorer.err()).contains("no scores of 'include'", "includes");
    Spoken tolerance = weir("compare", log, log, "--fail-on-regression=-1");
    assertThat(tolerance.code()).isEqualTo(ExitCode.USAGE);
    assertThat(tolerance.err()).contains("--fail-on-regression must be a number of 0 or more");
    assertThat(weir("compare", log, log, "--failures", "zeros").err()).contains("exclude or zero");
    assertThat(weir("compare", log, directory.resolve("none.eval")).err())
        .contains("there is no log");
    assertThat(weir("compare", log, log, "--json", "--markdown").code()).isEqualTo(ExitCode.USAGE);
  }
}
