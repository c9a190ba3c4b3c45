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

/** How reports of runs end that did not go well. */
class LastLinesTest {

  private static final Path ROOT =
      Path.of(System.getProperty("weir.root", "..")).toAbsolutePath().normalize();

  private static final Path CAPITALS = ROOT.resolve("examples/capitals.yaml");

  @TempDir Path directory;

  private final VirtualTime time = VirtualTime.seeded(1);
  private final Map<String, String> environment = new HashMap<>();

  @BeforeEach
  void setUp() {
    environment.put("HOME", directory.toString());
    environment.put("WEIR_LOG_DIR", directory.resolve("my logs").toString());
  }

  private Spoken weir(Object... words) throws Exception {
    return time.run(() -> Spoken.of(time, environment, words));
  }

  private static List<String> end(Spoken said) {
    List<String> lines = said.out().lines().toList();
    int log = lines.indexOf(lines.stream().filter(it -> it.startsWith("Log: ")).findFirst().get());
    return lines.subList(log + 1, lines.size());
  }

  private String log(Spoken said) {
    return said.out()
        .lines()
        .filter(line -> line.startsWith("Log: "))
        .map(line -> "'" + line.substring("Log: ".length()) + "'")
        .findFirst()
        .orElseThrow();
  }

  @Test
  void aRunWithoutFailuresEndsWithItsLog() throws Exception {
    assertThat(end(weir("eval", CAPITALS, "--limit", 3))).isEmpty();
  }

  @Test
  void aRunThatAFailedSampleEndedNamesWhatAllowsAndRetriesFailures() throws Exception {
    Path task =
        Files.writeString(
            directory.resolve("graded.yaml"),
            """
            task: graded
            dataset: [{input: Why?, target: Because.}]
            solver: generate
            scorer: {model_graded_qa: {grade_pattern: 'Verdict ([CPI])'}}
            model: sim/x
            model_role: {grader: sim/judge}
            """);
    Spoken said = weir("eval", task);
    assertThat(said.code()).isEqualTo(ExitCode.FAILED);
    assertThat(said.out() + said.err()).contains("the grader gave no grade, but said: GRADE: ");
    assertThat(end(said))
        .containsExactly(
            "Not finished: 1 of 1 sample (1 failed); 0 are kept",
            "Errors by kind: weir log failures " + log(said),
            "To allow failed samples: --fail-on-error=false, or a share such as 0.1; to run them"
                + " again, up to N times: --retry-on-error=N",
            "Resume: weir eval-retry " + log(said));
  }

  @Test
  void aRunInWhichEverySampleFailedIsNoSuccess() throws Exception {
    Spoken said =
        weir(
            "eval",
            CAPITALS,
            "--limit",
            3,
            "--model",
            "sim/x:error-rate=0.999999",
            "--max-retries=0",
            "--fail-on-error=false");
    assertThat(said.code()).isEqualTo(ExitCode.FAILED);
    assertThat(end(said))
        .containsExactly(
            "Failed: all 3 samples",
            "Errors by kind: weir log failures " + log(said),
            "Retry failed samples: weir eval-retry " + log(said));
  }

  @Test
  void anOutageIsATime() throws Exception {
    Spoken said = weir("eval", CAPITALS, "--max-outage", "never");
    assertThat(said.code()).isEqualTo(ExitCode.USAGE);
    assertThat(said.err()).contains("max-outage", "off, or ");
  }

  /** Where {@code fail_on_error} is false by default. */
  @Test
  void aPromptfooConfigurationOfWhichEveryTestFailedIsNoSuccess() throws Exception {
    Path config = directory.resolve("promptfooconfig.yaml");
    Files.writeString(
        config,
        """
        prompts: ['Say {{word}}']
        providers: ['weir:sim/x:error-rate=0.999999']
        tests:
          - vars: {word: yes}
            assert: [{type: contains, value: yes}]
        """);
    Spoken said = weir("eval", config, "--max-retries=0");
    assertThat(said.code()).isEqualTo(ExitCode.FAILED);
    assertThat(end(said)).contains("Failed: all 1 sample");
  }

  @Test
  void aRunWithSomeFailuresIsASuccessThatNamesTheRetry() throws Exception {
    Spoken said =
        weir(
            "eval",
            CAPITALS,
            "--seed",
            7,
            "--model",
            "sim/x:error-rate=0.5",
            "--max-retries=0",
            "--fail-on-error=false");
    assertThat(said.code()).isZero();
    assertThat(end(said))
        .containsExactly(
            "Errors by kind: weir log failures " + log(said),
            "Retry failed samples: weir eval-retry " + log(said));
  }

  @Test
  void aRunThatEndedEarlySaysWhatIsKeptAndHowToResume() throws Exception {
    Spoken said = weir("eval", CAPITALS, "--model", "sim/x:credit=10");
    assertThat(said.code()).isEqualTo(ExitCode.REFUSED);
    assertThat(end(said))
        .containsExactly(
            "Not finished: 40 of 50 samples (1 failed); 10 are kept",
            "Errors by kind: weir log failures " + log(said),
            "Resume: weir eval-retry " + log(said));
    Spoken json = weir("eval", CAPITALS, "--model", "sim/x:credit=10", "--json");
    assertThat(json.json().path("status").asString()).isEqualTo("error");
    assertThat(json.err()).contains("weir: Resume: weir eval-retry ");
  }

  @Test
  void aSetIsResumedWithTheSameCommand() throws Exception {
    Spoken said =
        weir(
            "eval-set",
            CAPITALS,
            "--model",
            "sim/x:credit=10",
            "--log-dir",
            directory.resolve("set"),
            "--retry-attempts",
            0);
    assertThat(said.out())
        .endsWith(
            "Resume: weir eval-set %s --model sim/x:credit=10 --log-dir %s --retry-attempts 0%n"
                .formatted(CAPITALS, directory.resolve("set")));
  }

  @Test
  void aCommandWithACredentialIsNotRepeated() throws Exception {
    Spoken said =
        weir(
            "eval-set",
            CAPITALS,
            "--model",
            "sim/x:credit=10",
            "--extra-body",
            "{\"access_token\": \"abc\"}",
            "--log-dir",
            directory.resolve("set"),
            "--retry-attempts",
            0);
    assertThat(said.out())
        .doesNotContain("abc")
        .endsWith("Resume: run the same command again" + System.lineSeparator());
  }
}
