package dev.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.weir.eval.option.Settings;
import dev.weir.eval.task.TaskDefinition;
import dev.weir.eval.task.TaskFile;
import dev.weir.simulator.server.Given;
import dev.weir.simulator.server.Setting;
import dev.weir.simulator.server.Simulation;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What a rehearsal names as the limit is the limit: with more of it, and nothing else, the same
 * evaluation takes less time. All on virtual time.
 */
@Timeout(120)
class RehearsedCausesTest {

  private static final String MODEL = "openai/gpt-4o";

  @TempDir Path directory;

  private record Told(double seconds, Optional<String> cause) {}

  private Path questions(int samples, int words) throws Exception {
    return write("solver: generate", samples, words);
  }

  private Path agents(int samples) throws Exception {
    return write("solver: [{react: {tools: [bash]}}]\nsandbox: local", samples, 1);
  }

  private Path write(String solver, int samples, int words) throws Exception {
    Files.writeString(
        directory.resolve("many.csv"),
        IntStream.range(0, samples)
            .mapToObj(i -> "%s%d?,%d\n".formatted("word ".repeat(words), i, i))
            .collect(Collectors.joining("", "input,target\n", "")));
    return Files.writeString(
        directory.resolve("task.yaml"),
        "task: many\ndataset: many.csv\n%s\nscorer: includes\n".formatted(solver));
  }

  /**
   * @param tier settings of the simulated provider, {@code rpm=60 headers=openai}
   * @param options of the run, likewise
   */
  private Told rehearsed(Path task, String tier, String options) throws Exception {
    Map<Setting, List<Given>> given = new EnumMap<>(Setting.class);
    pairs(tier)
        .forEach(
            (key, word) -> given.put(Setting.of(key).orElseThrow(), List.of(new Given(key, word))));
    Settings settings = Settings.NONE.with("model", MODEL);
    for (Map.Entry<String, String> option : pairs(options).entrySet()) {
      settings = settings.with(option.getKey(), option.getValue());
    }
    RehearsalReport report =
        new RehearsedRun(List.of(TaskFile.read(task)), settings, Optional.empty(), Map.of())
            .run(Simulation.of(Optional.empty(), given, 1), 1);
    assertThat(report.isClean()).as("%s", report.runs()).isTrue();
    return new Told(
        report.took().toNanos() / 1e9, report.watch().limit(MODEL).map(limit -> limit.words()));
  }

  private static Map<String, String> pairs(String text) {
    return text.isBlank()
        ? Map.of()
        : java.util.Arrays.stream(text.strip().split(" +"))
            .map(pair -> pair.split("=", 2))
            .collect(Collectors.toMap(pair -> pair[0], pair -> pair[1]));
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      value = {
        "requests per minute | rpm=60 tpm=9000000 headers=openai | rpm=120 tpm=9000000"
            + " headers=openai",
        "requests per minute | rpm=60 burst=1 headers=retry-after | rpm=120 burst=1"
            + " headers=retry-after",
        "requests per minute | rpm=60 burst=5 headers=none | rpm=120 burst=5 headers=none",
        "tokens per minute | rpm=9000 tpm=20000 headers=openai | rpm=9000 tpm=40000 headers=openai",
        "input tokens per minute | rpm=9000 input-tpm=4000 output-tpm=90000 headers=anthropic"
            + " | rpm=9000 input-tpm=8000 output-tpm=90000 headers=anthropic",
        "output tokens per minute | rpm=9000 input-tpm=90000 output-tpm=20000 headers=anthropic"
            + " | rpm=9000 input-tpm=90000 output-tpm=40000 headers=anthropic",
        "calls that the provider serves at once | cap=4 headers=none | cap=8 headers=none",
        "calls that the provider serves at once | cap=4:queue headers=none | cap=8:queue"
            + " headers=none",
      })
  void moreOfWhatATierIsShortOfTakesLessTime(String cause, String tier, String larger)
      throws Exception {
    Path task = questions(300, 20);
    Told told = rehearsed(task, tier + " latency=1s", "max_tokens=250");
    assertThat(told.cause()).contains(cause);
    assertThat(rehearsed(task, larger + " latency=1s", "max_tokens=250").seconds())
        .isLessThan(0.75 * told.seconds());
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      value = {
        "calls in flight (--max-connections) | max_connections=4 | max_connections=8",
        "calls in flight (--max-connections) | concurrency_mode=pace max_connections=4"
            + " | concurrency_mode=pace max_connections=8",
        "calls in flight (--adaptive-connections) | adaptive_connections=2-4 |"
            + " adaptive_connections=4-8",
        "calls in flight over all models (--max-concurrency) | concurrency_mode=halving"
            + " max_concurrency=4 | concurrency_mode=halving max_concurrency=8",
        "calls in flight over all models (--max-concurrency) | max_concurrency=4 |"
            + " max_concurrency=8",
        "samples that are open at once (--max-samples) | max_samples=4 | max_samples=8",
        "the time between calls (--delay) | delay=500ms | delay=100ms",
      })
  void moreOfWhatIsGivenTakesLessTime(String cause, String options, String larger)
      throws Exception {
    Path task = questions(300, 1);
    String tier = "headers=none latency=1s";
    Told told = rehearsed(task, tier, options);
    assertThat(told.cause()).contains(cause);
    assertThat(rehearsed(task, tier, larger).seconds()).isLessThan(0.75 * told.seconds());
  }

  @Test
  void aPaceThatHasToBeFoundIsToldAsThat() throws Exception {
    Path task = questions(300, 1);
    String tier = "headers=none latency=100ms";
    Told told = rehearsed(task, tier, "");
    assertThat(told.cause())
        .contains("a pace that starts low, since no limit is known (--rpm states one)");
    assertThat(rehearsed(task, tier, "rpm=60000").seconds()).isLessThan(0.75 * told.seconds());
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      value = {
        "the requests per minute that you gave (--rpm) | rpm=60 | rpm=240",
        "the tokens per minute that you gave (--tpm) | rpm=60000 tpm=6000 | rpm=60000 tpm=24000",
        "the tokens per minute that you gave (--tpm) | tpm=6000 | tpm=24000",
      })
  void aRateThatIsGivenIsToldAsThat(String cause, String options, String larger) throws Exception {
    Path task = questions(300, 1);
    String tier = "headers=none latency=100ms";
    Told told = rehearsed(task, tier, options + " max_tokens=250");
    assertThat(told.cause()).contains(cause);
    assertThat(rehearsed(task, tier, larger + " max_tokens=250").seconds())
        .isLessThan(0.75 * told.seconds());
  }

  @Test
  void aModelThatNobodyLimitsLooksForNoPace() throws Exception {
    var run =
        new RehearsedRun(
            List.of(TaskFile.read(questions(300, 1))),
            Settings.NONE.with("model", "mock/echo"),
            Optional.empty(),
            Map.of());
    RehearsalReport report = run.run();
    assertThat(report.watch().limit("mock/echo")).isEmpty();
    assertThat(report.took()).isLessThan(Duration.ofSeconds(15));
    assertThat(
            new RehearsedRun(run.tasks(), run.settings().with("rpm", 60), run.profile(), Map.of())
                .run()
                .watch()
                .limit("mock/echo")
                .map(RehearsalWatch.Limit::words))
        .contains("the requests per minute that you gave (--rpm)");
  }

  @Test
  void tasksOfOneNameAreNotTakenForEachOther() throws Exception {
    TaskDefinition task = TaskFile.read(questions(300, 1));
    TaskDefinition paced = task.with(Settings.NONE.with("model", MODEL).with("rpm", 60));
    TaskDefinition narrow =
        task.with(Settings.NONE.with("model", "openai/gpt-4o-mini").with("max_connections", 2));
    RehearsalWatch watch =
        new RehearsedRun(List.of(paced, narrow), Settings.NONE, Optional.empty(), Map.of())
            .run()
            .watch();
    assertThat(watch.limit(MODEL).map(RehearsalWatch.Limit::words))
        .contains("the requests per minute that you gave (--rpm)");
    assertThat(watch.limit("openai/gpt-4o-mini").map(RehearsalWatch.Limit::words))
        .contains("calls in flight (--max-connections)");
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      value = {
        "sandboxes (--max-sandboxes) | max_sandboxes=2 max_subprocesses=99"
            + " | max_sandboxes=4 max_subprocesses=99",
        "commands that run at once in sandboxes (--max-subprocesses) | max_subprocesses=1"
            + " | max_subprocesses=2",
      })
  void moreRoomForToolsTakesLessTime(String cause, String options, String larger) throws Exception {
    Path task = agents(30);
    String tier = "headers=none latency=200ms";
    Told told = rehearsed(task, tier, options + " rpm=60000");
    assertThat(told.cause()).contains(cause);
    assertThat(rehearsed(task, tier, larger + " rpm=60000").seconds())
        .isLessThan(0.75 * told.seconds());
  }

  /** A window that refusals keep narrow is not the cause of anything. */
  @ParameterizedTest
  @CsvSource({
    "adaptive_connections=2-100",
    "max_connections=40",
    "concurrency_mode=halving max_concurrency=40"
  })
  void whatRefusalsDoToAWindowIsLaidToTheQuota(String options) throws Exception {
    String more = " queue_timeout=0 max_retries=99";
    Path task = questions(200, 1);
    Told told = rehearsed(task, "rpm=60 burst=5 latency=1s headers=openai", options + more);
    assertThat(told.cause()).contains("requests per minute");
    Told larger = rehearsed(task, "rpm=120 burst=5 latency=1s headers=openai", options + more);
    assertThat(larger.seconds()).isLessThan(0.75 * told.seconds());
  }

  @Test
  void whatTakesAsLongAsItsAnswersIsLimitedByNothing() throws Exception {
    Path task = questions(20, 1);
    Told told = rehearsed(task, "rpm=9000 tpm=9000000 headers=openai latency=20s", "rpm=9000");
    assertThat(told.cause()).isEmpty();
    Told larger =
        rehearsed(
            task,
            "rpm=90000 tpm=90000000 headers=openai latency=20s",
            "rpm=90000 max_samples=9000");
    assertThat(larger.seconds()).isCloseTo(told.seconds(), within(0.2));
    assertThat(
            rehearsed(task, "rpm=9000 tpm=9000000 headers=openai latency=5s", "rpm=9000").seconds())
        .isLessThan(0.5 * told.seconds());
  }
}
