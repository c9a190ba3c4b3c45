package dev.weir.eval;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.eval.Rescoring.Action;
import dev.weir.eval.option.Settings;
import dev.weir.eval.scorer.Scorers;
import dev.weir.eval.task.TaskDefinition.NamedScorer;
import dev.weir.eval.task.TaskFile;
import dev.weir.log.RunLogReader;
import dev.weir.log.RunResult;
import dev.weir.log.RunResult.ModelUse;
import dev.weir.log.RunStart.Step;
import dev.weir.log.SampleResult;
import dev.weir.model.ConfigurationException;
import dev.weir.model.ModelName;
import dev.weir.model.spi.Providers;
import dev.weir.model.spi.Surroundings;
import dev.weir.time.virtual.VirtualTime;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What graders of a scoring may use, on virtual time. */
class RescoringBudgetTest {

  private static final int SAMPLES = 40;

  private static final Host HOST = new Host(Map.of(), Optional.empty(), (_, _) -> {});

  /** One call at a time: all others wait for their turn. */
  private static final Settings ONE_BY_ONE =
      Settings.NONE
          .with("model_role", "{\"grader\": \"sim/g:accuracy=1,latency=2s,rpm=0\"}")
          .with("max_connections", 1);

  @TempDir Path directory;

  private final VirtualTime time = VirtualTime.seeded(1);
  private Path log = Path.of("");

  @BeforeEach
  void evaluate() throws Exception {
    var rows = new StringBuilder("input,target\n");
    for (int i = 1; i <= SAMPLES; i++) {
      rows.append("Question %d?,answer%d\n".formatted(i, i));
    }
    Files.writeString(directory.resolve("questions.csv"), rows);
    Path task =
        Files.writeString(
            directory.resolve("task.yaml"),
            "task: t\ndataset: questions.csv\nsolver: generate\nscorer: includes\n");
    Settings settings =
        Settings.NONE.with("model", "sim/x:rpm=0").with("log_dir", directory.resolve("logs"));
    log =
        time.run(() -> Evaluation.prepare(time, List.of(TaskFile.read(task)), settings, HOST).run())
            .runs()
            .getFirst()
            .file()
            .orElseThrow();
  }

  private Rescoring.Finished scored(Settings settings, Host host, String... scorers)
      throws Exception {
    List<NamedScorer> named = new ArrayList<>();
    List<Step> written = new ArrayList<>();
    for (int i = 0; i < scorers.length; i++) {
      named.add(new NamedScorer(scorers[i] + i, Scorers.of(scorers[i], Map.of())));
      written.add(new Step(scorers[i], Map.of("number", i)));
    }
    var request = new Rescoring.Request(log, named, Action.APPEND, Optional.empty(), written);
    return time.run(() -> Rescoring.prepare(time, request, settings, host).run());
  }

  private static long calls(Rescoring.Finished finished) {
    return finished.graders().stream().mapToLong(ModelUse::calls).sum();
  }

  /** Samples of a log, with how it ended. */
  private record Logged(List<SampleResult> samples, RunResult end) {

    static Logged read(Path file) throws Exception {
      List<SampleResult> samples = new ArrayList<>();
      try (var log = RunLogReader.open(file)) {
        for (var next = log.sample(); next.isPresent(); next = log.sample()) {
          samples.add(next.get());
        }
        return new Logged(samples, log.end().orElseThrow());
      }
    }

    long with(String scorer) {
      return samples.stream().filter(sample -> sample.scores().containsKey(scorer)).count();
    }
  }

  @Test
  void whenItIsUsedUpNothingIsAskedAndNothingLost() throws Exception {
    Settings bounded = ONE_BY_ONE.with("max_tokens_total", 600);
    Rescoring.Finished first = scored(bounded, HOST, "model_graded_qa");

    long used = first.tokens().input() + first.tokens().output();
    assertThat(first.stopped()).contains("the budget of 600 tokens is used up");
    assertThat(first.problem()).isEmpty();
    assertThat(first.cancelled()).isFalse();
    assertThat(used).as("what waited for its turn was not sent").isBetween(600L, 750L);
    assertThat(calls(first)).isEqualTo(first.scored()).isBetween(1L, SAMPLES - 1L);
    Logged stopped = Logged.read(first.file());
    assertThat(stopped.samples()).hasSize(SAMPLES);
    assertThat(stopped.with("model_graded_qa0")).isEqualTo(first.scored());
    assertThat(stopped.end().status()).isEqualTo(RunResult.Status.CANCELLED);
    assertThat(stopped.end().stopped()).isEqualTo(first.stopped());

    Rescoring.Finished second = scored(ONE_BY_ONE, HOST, "model_graded_qa");
    assertThat(second.takenOver()).isEqualTo(first.scored());
    assertThat(calls(second)).as("nothing is paid for twice").isEqualTo(SAMPLES - calls(first));
    assertThat(second.stopped()).isEmpty();
    Logged whole = Logged.read(second.file());
    assertThat(whole.with("model_graded_qa0")).isEqualTo(SAMPLES);
    assertThat(whole.end().status()).isEqualTo(RunResult.Status.SUCCESS);
    assertThat(whole.end().stopped()).isEmpty();
  }

  @Test
  void aSampleThatWasPaidForIsGradedToItsEnd() throws Exception {
    Rescoring.Finished finished =
        scored(
            ONE_BY_ONE.with("max_tokens_total", 600).with("max_samples", 4),
            HOST,
            "model_graded_qa",
            "model_graded_fact");

    assertThat(finished.stopped()).isPresent();
    assertThat(finished.scored()).isBetween(1, SAMPLES - 1);
    assertThat(calls(finished)).isEqualTo(2L * finished.scored());
    Logged logged = Logged.read(finished.file());
    assertThat(logged.with("model_graded_qa0")).isEqualTo(finished.scored());
    assertThat(logged.with("model_graded_fact1")).isEqualTo(finished.scored());
  }

  @Test
  void whoHasScoredAllWasNotStopped() throws Exception {
    Rescoring.Finished all = scored(ONE_BY_ONE, HOST, "model_graded_qa");
    long used = all.tokens().input() + all.tokens().output();
    Rescoring.Finished just =
        scored(ONE_BY_ONE.with("max_tokens_total", used), HOST, "model_graded_qa");
    assertThat(just.scored()).isEqualTo(SAMPLES);
    assertThat(just.stopped()).isEmpty();
    assertThat(just.result().status()).isEqualTo(RunResult.Status.SUCCESS);
  }

  @Test
  void dollarsNeedAPrice() {
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(
            () ->
                scored(
                    Settings.NONE
                        .with("model_role", "grader=counted/nobody-knows-1")
                        .with("max_cost", 1),
                    HOST,
                    "model_graded_qa"))
        .withMessageContaining("nobody knows what counted/nobody-knows-1 costs");
  }

  @Test
  void aTierIsThatOfTheGrader() throws Exception {
    Settings grader =
        Settings.NONE.with("model_role", "{\"grader\": \"sim/g:accuracy=1,latency=1s\"}");
    Duration usual = took(grader);
    assertThat(took(grader.with("rpm", 10))).isGreaterThan(usual.multipliedBy(3));
  }

  private Duration took(Settings settings) throws Exception {
    long begin = time.nanos();
    assertThat(scored(settings, HOST, "model_graded_qa").scored()).isEqualTo(SAMPLES);
    return Duration.ofNanos(time.nanos() - begin);
  }

  @Test
  void aRehearsalWritesNothing() throws Exception {
    Path prices =
        Files.writeString(
            directory.resolve("prices.json"),
            """
            {"prices": [{"models": ["counted/*"], "input": 1, "output": 1,
                         "as_of": "2026-11-16", "source": "this test"}]}
            """);
    Path elsewhere = directory.resolve("elsewhere");
    var answered = new ArrayList<String>();
    var rehearsing =
        new Host(
            Map.of(),
            Optional.empty(),
            (_, _) -> {},
            Optional.of(
                name -> {
                  answered.add(name.toString());
                  return Providers.find(ModelName.parse("sim/g"))
                      .open(
                          ModelName.parse("sim/g"),
                          Map.of("accuracy", "1", "rpm", "0"),
                          new Surroundings(time, 1, Map.of(), Optional.empty()));
                }));
    Rescoring.Finished expected =
        scored(
            Settings.NONE
                .with("model_role", "grader=counted/g")
                .with("prices", prices)
                .with("log_dir", elsewhere),
            rehearsing,
            "model_graded_qa");
    assertThat(answered).containsExactly("counted/g");
    assertThat(calls(expected)).isEqualTo(SAMPLES);
    assertThat(expected.cost().knownUsd()).isPositive();
    assertThat(elsewhere).doesNotExist();
    try (var files = Files.list(directory.resolve("logs"))) {
      assertThat(files).containsExactly(log);
    }
  }
}
