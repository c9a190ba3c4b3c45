package dev.weir.eval;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.tuple;
import static org.assertj.core.api.Assertions.within;

import dev.weir.eval.Rescoring.Action;
import dev.weir.eval.metric.Metrics;
import dev.weir.eval.option.Settings;
import dev.weir.eval.scorer.NoScoreException;
import dev.weir.eval.scorer.Score;
import dev.weir.eval.scorer.Scorer;
import dev.weir.eval.scorer.Scorers;
import dev.weir.eval.task.TaskDefinition.NamedScorer;
import dev.weir.eval.task.TaskFile;
import dev.weir.log.LogDirectory;
import dev.weir.log.LogFiles;
import dev.weir.log.LogRecovery;
import dev.weir.log.ModelCall;
import dev.weir.log.RunLog;
import dev.weir.log.RunLogReader;
import dev.weir.log.RunResult;
import dev.weir.log.RunResult.Counts;
import dev.weir.log.RunResult.ScorerMetrics;
import dev.weir.log.RunResult.Status;
import dev.weir.log.RunStart;
import dev.weir.log.SampleResult;
import dev.weir.log.SampleResult.ScoreResult;
import dev.weir.log.Tokens;
import dev.weir.log.inspect.InspectLog;
import dev.weir.log.journal.JournalListener;
import dev.weir.log.journal.JournalLock;
import dev.weir.model.ConfigurationException;
import dev.weir.model.Message;
import dev.weir.model.Request;
import dev.weir.statistics.VarianceComponents;
import dev.weir.time.Task;
import dev.weir.time.TaskFailedException;
import dev.weir.time.Time;
import dev.weir.time.virtual.VirtualTime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Logs of whole evaluations, scored again, on virtual time. */
class RescoringTest {

  private static final Host HOST = new Host(Map.of(), Optional.empty(), (_, _) -> {});

  @TempDir Path directory;

  private final VirtualTime time = VirtualTime.seeded(1);

  /** The log of 40 samples, about half of them right. */
  private Path evaluated(String... options) throws Exception {
    var rows = new StringBuilder("input,target\n");
    for (int i = 1; i <= 40; i++) {
      rows.append("Question %d?,answer%d\n".formatted(i, i));
    }
    Files.writeString(directory.resolve("questions.csv"), rows);
    Path task =
        Files.writeString(
            directory.resolve("task.yaml"),
            """
            task: questions
            dataset: questions.csv
            solver: generate
            scorer: includes
            """);
    Settings settings =
        Settings.NONE
            .with("model", "sim/x:accuracy=0.5,rpm=0")
            .with("seed", 3)
            .with("log_dir", directory.resolve("logs"));
    for (int i = 0; i < options.length; i += 2) {
      settings = settings.with(options[i], options[i + 1]);
    }
    Settings all = settings;
    return time.run(() -> Evaluation.prepare(time, List.of(TaskFile.read(task)), all, HOST).run())
        .runs()
        .getFirst()
        .file()
        .orElseThrow();
  }

  private Rescoring.Finished rescored(Rescoring.Request request, Settings settings)
      throws Exception {
    return time.run(() -> Rescoring.prepare(time, request, settings, HOST).run());
  }

  private record Logged(RunStart start, Map<String, SampleResult> samples, RunResult end) {

    SampleResult sample(String id) {
      return Objects.requireNonNull(samples.get(id));
    }
  }

  private static ScoreResult score(SampleResult sample, String scorer) {
    return Objects.requireNonNull(sample.scores().get(scorer));
  }

  /** By id and epoch. */
  private static Logged read(Path file) throws IOException {
    try (var log = RunLogReader.open(file)) {
      Map<String, SampleResult> samples = new TreeMap<>();
      for (var sample = log.sample(); sample.isPresent(); sample = log.sample()) {
        samples.put(sample.get().id() + "/" + sample.get().epoch(), sample.get());
      }
      return new Logged(log.start(), samples, log.end().orElseThrow());
    }
  }

  private static NamedScorer named(String name) {
    return new NamedScorer(name, Scorers.of(name, Map.of()));
  }

  @Test
  void addsScoresAndKeepsTheOldOnes() throws Exception {
    Path log = evaluated();
    Rescoring.Finished finished =
        rescored(Rescoring.Request.of(log, named("exact"), named("includes")), Settings.NONE);
    Logged old = read(log);
    Logged now = read(finished.file());
    assertThat(finished.file()).isNotEqualTo(log).hasParent(directory.resolve("logs"));
    assertThat(finished.problem()).isEmpty();
    assertThat(finished.scored()).isEqualTo(40);
    assertThat(now.start().scorers()).containsExactly("includes", "exact", "includes_2");
    assertThat(now.start().metadata()).containsEntry("rescored_run", old.start().runId());
    assertThat(now.start().runId()).isNotEqualTo(old.start().runId());
    assertThat(now.samples()).hasSameSizeAs(old.samples());
    now.samples()
        .forEach(
            (id, sample) -> {
              SampleResult before = old.sample(id);
              assertThat(sample.messages()).isEqualTo(before.messages());
              assertThat(sample.output()).isEqualTo(before.output());
              assertThat(sample.tokens()).isEqualTo(before.tokens());
              assertThat(sample.scores()).containsOnlyKeys("includes", "exact", "includes_2");
              double score = score(before, "includes").value();
              assertThat(sample.scores().values()).allMatch(made -> made.value() == score);
            });
    assertThat(now.end().metrics()).isEqualTo(old.end().metrics());
    assertThat(now.end().scores())
        .extracting(ScorerMetrics::scorer)
        .containsExactly("includes", "exact", "includes_2");
    assertThat(now.end().scores())
        .allMatch(metrics -> metrics.metrics().equals(old.end().metrics()));
    assertThat(now.end().status()).isEqualTo(Status.SUCCESS);
    assertThat(now.end().samples()).isEqualTo(new Counts(40, 40, 0, 0));
    assertThat(now.end().accuracyOverAll()).isEqualTo(old.end().accuracyOverAll());
  }

  @Test
  void canDropTheOldScoresAndNameTheFile() throws Exception {
    Path log = evaluated();
    Path file = directory.resolve("scored.eval");
    var request =
        new Rescoring.Request(
            log,
            List.of(
                new NamedScorer(
                    "includes",
                    Scorer.of((output, _) -> output.length()),
                    Metrics.parseAll(List.of("mean", "std", Map.of("ci", Map.of()))))),
            Action.OVERWRITE,
            Optional.of(file));
    Rescoring.Finished finished = rescored(request, Settings.NONE);
    assertThat(finished.file()).isEqualTo(file).exists();
    Logged now = read(file);
    assertThat(now.start().scorers()).containsExactly("includes");
    assertThat(now.samples().values())
        .allMatch(
            sample -> score(sample, "includes").value() == sample.output().orElseThrow().length());
    assertThat(now.end().metrics()).containsOnlyKeys("mean", "std", "ci_low", "ci_high");
    assertThat(now.end().metrics().get("mean")).isGreaterThan(2);
    try (var files = Files.list(directory.resolve("logs"))) {
      assertThat(files).containsExactly(log);
    }
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> rescored(request, Settings.NONE))
        .withMessageContaining("scored.eval already exists");
  }

  /** An inconsistent judge that is asked five times tells its own variance from that of answers. */
  @Test
  void repeatedGradingSplitsTheVariance() throws Exception {
    Path log = evaluated();
    // Says whether the answer was right, and is wrong itself now and then.
    Scorer judge =
        (state, context) -> {
          boolean isRight = state.output().orElse("").contains(state.sample().target());
          String grade =
              context
                  .role("grader")
                  .generate(
                      Request.of(List.of(Message.user("Is this right? " + state.sample().id())))
                          .withTarget("yes"))
                  .message()
                  .text();
          return Score.of(grade.contains("yes") == isRight);
        };
    Rescoring.Request request =
        Rescoring.Request.of(log, new NamedScorer("judge", judge)).withRepeat(5);
    Rescoring.Finished unsure =
        rescored(
            request,
            Settings.NONE.with("model_role", "{\"grader\": \"sim/g:accuracy=0.8,rpm=0\"}"));
    VarianceComponents parts = Objects.requireNonNull(unsure.variances().get("judge"));
    assertThat(parts.repeats()).isEqualTo(5);
    assertThat(parts.things()).isEqualTo(40);
    // A grade of 0 or 1 that is wrong in 1 of 5 cases has a variance of 0.16.
    assertThat(parts.within()).isBetween(0.10, 0.22);
    assertThat(parts.between()).isPositive();
    Logged now = read(unsure.file());
    assertThat(now.samples().values())
        .allSatisfy(
            sample -> {
              ScoreResult score = score(sample, "judge");
              assertThat(score.metadata().get("repeats"))
                  .asInstanceOf(InstanceOfAssertFactories.list(Number.class))
                  .hasSize(5)
                  .satisfies(
                      values ->
                          assertThat(score.value())
                              .isCloseTo(
                                  values.stream().mapToDouble(Number::doubleValue).sum() / 5,
                                  within(1e-12)));
              assertThat(sample.calls().stream().filter(call -> call.role().equals("grader")))
                  .hasSize(5);
            });
    assertThat(unsure.added().getFirst().metrics())
        .containsEntry("judge_var", parts.within())
        .containsEntry("answer_var", parts.between());
    Rescoring.Finished sure =
        rescored(
            request, Settings.NONE.with("model_role", "{\"grader\": \"sim/g:accuracy=1,rpm=0\"}"));
    assertThat(Objects.requireNonNull(sure.variances().get("judge")).within()).isZero();
    assertThat(
            rescored(
                    Rescoring.Request.of(log, new NamedScorer("judge", judge)),
                    Settings.NONE.with("model_role", "{\"grader\": \"sim/g:rpm=0\"}"))
                .variances())
        .isEmpty();
  }

  @Test
  void aGraderIsAskedAtItsOwnLimits() throws Exception {
    Path log = evaluated();
    long begin = time.nanos();
    Rescoring.Finished finished =
        rescored(
            Rescoring.Request.of(log, named("model_graded_qa")),
            Settings.NONE
                .with("model_role", "{\"grader\": \"sim/g:accuracy=1,latency=2s,rpm=0\"}")
                .with("max_samples", 10));
    Logged old = read(log);
    Logged now = read(finished.file());
    assertThat(finished.scored()).isEqualTo(40);
    assertThat(now.samples())
        .allSatisfy(
            (id, sample) -> {
              assertThat(score(sample, "model_graded_qa").value())
                  .isEqualTo(score(old.sample(id), "includes").value());
              assertThat(score(sample, "model_graded_qa").explanation().orElseThrow())
                  .startsWith("GRADE: ");
              assertThat(sample.tokens().input()).isGreaterThan(old.sample(id).tokens().input());
            });
    assertThat(now.end().models())
        .anySatisfy(
            use -> {
              assertThat(use.role()).isEqualTo("grader");
              assertThat(use.calls()).isEqualTo(40);
              assertThat(use.tokens()).isEqualTo(finished.tokens());
            });
    // 40 calls of 2 s, ten at a time: the old log is not asked again, and graders are kept busy.
    assertThat(Duration.ofNanos(time.nanos() - begin))
        .isBetween(Duration.ofSeconds(7), Duration.ofSeconds(14));
  }

  @Test
  void aScorerThatNeedsAModelSaysHowToNameOne() throws Exception {
    Path log = evaluated();
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(
            () -> rescored(Rescoring.Request.of(log, named("model_graded_qa")), Settings.NONE))
        .withMessage(
            "a scorer asks the model of the role 'grader', but there is none; name one with"
                + " --model-role grader=provider/model");
    try (var files = Files.list(directory.resolve("logs"))) {
      assertThat(files).as("nothing is left behind").containsExactly(log);
    }
  }

  @Test
  void whatCannotBeScoredIsNotedAndCanBeScoredLater() throws Exception {
    Path log = evaluated();
    Scorer picky =
        (state, context) -> {
          if (state.sample().id().equals("7")) {
            throw new NoScoreException("no sevens");
          }
          return Scorers.includes().score(state, context);
        };
    Rescoring.Request request = Rescoring.Request.of(log, new NamedScorer("picky", picky));
    Rescoring.Finished finished = rescored(request, Settings.NONE);
    assertThat(finished.problem()).contains("1 of 40 samples could not be scored");
    assertThat(finished.failed()).isEqualTo(1);
    Logged now = read(finished.file());
    assertThat(now.end().status()).isEqualTo(Status.ERROR);
    assertThat(now.end().samples()).isEqualTo(new Counts(40, 40, 0, 0));
    try (var written = InspectLog.open(finished.file())) {
      JsonNode scores =
          new JsonMapper().readTree(written.headerJson()).path("results").path("scores");
      assertThat(scores)
          .extracting(
              score -> score.path("name").asString(),
              score -> score.path("scored_samples").asInt(),
              score -> score.path("unscored_samples").asInt())
          .containsExactly(tuple("includes", 40, 0), tuple("picky", 39, 1));
    }
    assertThat(now.sample("7/1").error()).isEmpty();
    assertThat(now.sample("7/1").notes().getLast().data())
        .isEqualTo(Map.of("scorer", "picky", "error", "no sevens"));
    assertThat(now.sample("7/1").scores()).containsOnlyKeys("includes");
    Rescoring.Finished lenient = rescored(request, Settings.NONE.with("fail_on_error", 0.1));
    assertThat(lenient.problem()).isEmpty();
    assertThat(lenient.failed()).isEqualTo(1);
    Rescoring.Finished again =
        rescored(Rescoring.Request.of(finished.file(), named("exact")), Settings.NONE);
    assertThat(again.scored()).isEqualTo(40);
    assertThat(again.leftOut()).isZero();
    assertThat(again.problem()).isEmpty();
    assertThat(again.result().status()).isEqualTo(Status.SUCCESS);
    assertThat(again.result().error()).isEmpty();
  }

  @Test
  void aGraderWithoutAGradeIsNoZero() throws Exception {
    Path log = evaluated();
    Rescoring.Finished finished =
        rescored(
            Rescoring.Request.of(
                log,
                new NamedScorer(
                    "model_graded_fact",
                    Scorers.of("model_graded_fact", Map.of("grade_pattern", "Verdict: ([CPI])")))),
            Settings.NONE.with("model_role", "{\"grader\": \"sim/g:accuracy=0,rpm=0\"}"));
    assertThat(finished.failed()).isEqualTo(40);
    assertThat(finished.graders().getFirst().calls()).as("each is retried once").isEqualTo(80);
    assertThat(finished.added().getFirst().metrics()).isEmpty();
    assertThat(read(finished.file()).samples().values())
        .allMatch(sample -> sample.error().isEmpty())
        .allMatch(
            sample ->
                sample.notes().getLast().data().toString().contains("the grader gave no grade"));
  }

  @Test
  void aSimulatedGraderGradesAsOftenRightAsItsNameSays() throws Exception {
    Path log = evaluated();
    for (double accuracy : List.of(0.0, 0.7, 1.0)) {
      Rescoring.Finished finished =
          rescored(
              Rescoring.Request.of(log, named("model_graded_qa")),
              Settings.NONE.with(
                  "model_role",
                  "{\"grader\": \"sim/judge:accuracy=%s,rpm=0\"}".formatted(accuracy)));
      assertThat(finished.failed()).isZero();
      long agreed =
          read(finished.file()).samples().values().stream()
              .filter(
                  sample ->
                      score(sample, "model_graded_qa").value() == score(sample, "includes").value())
              .count();
      assertThat(agreed / 40.0).isBetween(accuracy - 0.2, accuracy + 0.2);
    }
  }

  @Test
  void samplesThatFailedStayAsTheyAre() throws Exception {
    Path log =
        evaluated(
            "model",
            "sim/x:accuracy=1,rpm=0,error-rate=0.5",
            "max_retries",
            "0",
            "fail_on_error",
            "false");
    Logged old = read(log);
    int failed = old.end().samples().failed();
    assertThat(failed).isBetween(1, 39);
    Rescoring.Finished finished =
        rescored(Rescoring.Request.of(log, named("exact")), Settings.NONE);
    assertThat(finished.leftOut()).isEqualTo(failed);
    assertThat(finished.failed()).isZero();
    assertThat(finished.problem()).isEmpty();
    Logged now = read(finished.file());
    assertThat(now.end().samples()).isEqualTo(old.end().samples());
    assertThat(
            now.samples().values().stream().filter(sample -> sample.error().isPresent()).toList())
        .hasSize(failed)
        .allMatch(sample -> sample.scores().isEmpty());
  }

  @Test
  void repetitionsAreReduced() throws Exception {
    Path log = evaluated("epochs", "3");
    Rescoring.Finished finished =
        rescored(
            Rescoring.Request.of(log, named("exact")),
            Settings.NONE.with("epochs_reducer", "max,mean"));
    assertThat(finished.added()).extracting(ScorerMetrics::reducer).containsExactly("max", "mean");
    assertThat(finished.result().samples()).isEqualTo(new Counts(120, 120, 0, 0));
    assertThat(finished.added().getFirst().metrics().get("accuracy"))
        .isGreaterThanOrEqualTo(finished.added().getLast().metrics().get("accuracy"));
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(
            () ->
                rescored(
                    Rescoring.Request.of(log, named("exact")),
                    Settings.NONE.with("epochs_reducer", "pass_at_4")))
        .withMessageContaining("needs at least 4 epochs");
  }

  /** A journal with the start of the run, 20 samples and a torn tail. */
  private Path killed(Path whole) throws IOException {
    Path journal;
    try (var from = RunLogReader.open(whole);
        var to =
            RunLog.begin(
                Time.system(),
                Files.createDirectory(directory.resolve("killed")),
                from.start(),
                JournalListener.NONE)) {
      journal = to.file();
      for (int i = 0; i < 20; i++) {
        to.append(from.sample().orElseThrow());
      }
    }
    byte[] bytes = Files.readAllBytes(journal);
    return Files.write(journal, Arrays.copyOf(bytes, bytes.length - 10));
  }

  @Test
  void aRunThatWasKilledCanBeScored() throws Exception {
    Path log = killed(evaluated());
    Rescoring.Finished finished =
        rescored(Rescoring.Request.of(log, named("exact")), Settings.NONE);
    assertThat(finished.scored()).isEqualTo(20);
    RunResult end = read(finished.file()).end();
    assertThat(end.samples()).isEqualTo(new Counts(40, 20, 0, 20));
    assertThat(end.scores()).extracting(ScorerMetrics::scorer).containsExactly("includes", "exact");
    assertThat(end.scores().getFirst().metrics()).isEqualTo(end.scores().getLast().metrics());
  }

  /** After 25 s, when 20 samples are graded, ten at a time. */
  private Rescoring.Finished interrupted(Rescoring.Request request) throws Exception {
    return interrupted(request, GRADER);
  }

  private Rescoring.Finished interrupted(Rescoring.Request request, Settings settings)
      throws Exception {
    return time.run(
        () -> {
          Rescoring rescoring = Rescoring.prepare(time, request, settings, HOST);
          Task<Rescoring.Finished> running = time.start("rescoring", rescoring::run);
          time.sleep(Duration.ofSeconds(25));
          running.cancel();
          return running.join();
        });
  }

  @Test
  void anInterruptLeavesALogOfAllAnswersAndWhatWasScored() throws Exception {
    Path log = evaluated();
    Rescoring.Finished finished = interrupted(Rescoring.Request.of(log, named("model_graded_qa")));
    assertThat(finished.cancelled()).isTrue();
    assertThat(finished.scored()).isBetween(10, 39);
    Logged now = read(finished.file());
    assertThat(now.samples()).hasSize(40);
    assertThat(now.samples().values())
        .allMatch(sample -> sample.scores().containsKey("includes") && sample.output().isPresent());
    assertThat(now.samples().values().stream().filter(RescoringTest::isGraded))
        .hasSize(finished.scored());
    assertThat(now.end().status()).isEqualTo(Status.CANCELLED);
    // The old scores, whose accuracy comes first, are those of all samples.
    assertThat(now.end().samples()).isEqualTo(new Counts(40, 40, 0, 0));
    assertThat(now.end().metrics()).isEqualTo(read(log).end().metrics());
    assertThat(now.end().accuracyOverAll()).isEqualTo(read(log).end().accuracyOverAll());
  }

  @Test
  void anInterruptBeforeItBeginsIsNoFailure() throws Exception {
    Path log = evaluated();
    Rescoring.Finished finished =
        time.run(
            () -> {
              Rescoring rescoring =
                  Rescoring.prepare(
                      time, Rescoring.Request.of(log, named("exact")), Settings.NONE, HOST);
              Task<Rescoring.Finished> running = time.start("rescoring", rescoring::run);
              running.cancel();
              return running.join();
            });
    assertThat(finished.cancelled()).isTrue();
    assertThat(finished.scored()).isZero();
    assertThat(read(finished.file()).samples()).hasSize(40);
  }

  @Test
  void aScoringOfAnInterruptedScoringThatRunsToItsEndIsASuccess() throws Exception {
    Path log = evaluated();
    Path scored = interrupted(Rescoring.Request.of(log, named("model_graded_qa"))).file();
    Rescoring.Request again = Rescoring.Request.of(scored, named("exact"));
    assertThat(rescored(again, Settings.NONE).result().status()).isEqualTo(Status.SUCCESS);
    Files.delete(log);
    assertThat(rescored(again, Settings.NONE).result().status())
        .as("all samples are there")
        .isEqualTo(Status.SUCCESS);
    Path killed = killed(evaluated());
    Path ofKilled = rescored(Rescoring.Request.of(killed, named("exact")), Settings.NONE).file();
    assertThat(
            rescored(Rescoring.Request.of(ofKilled, named("match")), Settings.NONE)
                .result()
                .status())
        .as("the run has not reached its end")
        .isEqualTo(Status.ERROR);
  }

  /** Whether the journal is scored, or a copy that was made of it then. */
  @Test
  void aScoringOfARunThatGoesOnIsNotThatOfAKilledOne() throws Exception {
    Path copy = directory.resolve("copy.eval");
    Path journal = killed(evaluated());
    try (var _ = JournalLock.take(journal)) {
      LogFiles.toEval(journal, copy);
      for (Path log : List.of(journal, copy)) {
        RunResult end = rescored(Rescoring.Request.of(log, named("exact")), Settings.NONE).result();
        assertThat(end.status()).isEqualTo(Status.CANCELLED);
        assertThat(end.error()).isEmpty();
      }
    }
  }

  /** Whether the journal was scored before a log was made of it, or after. */
  @Test
  void aScoringOfAKilledRunSaysWhatItsLogSays() throws Exception {
    Path journal = killed(evaluated());
    Path before = rescored(Rescoring.Request.of(journal, named("exact")), Settings.NONE).file();
    assertThat(LogDirectory.entry(before).scoringOf()).contains(journal.toString());
    Path log = LogRecovery.recover(journal, true).log().orElseThrow();
    Path after = rescored(Rescoring.Request.of(journal, named("exact")), Settings.NONE).file();

    RunResult run = read(log).end();
    for (Path scored : List.of(before, after)) {
      RunResult end = read(scored).end();
      assertThat(end.status()).isEqualTo(run.status());
      assertThat(end.error()).isEqualTo(run.error());
      assertThat(LogDirectory.entry(scored).scoringOf())
          .as("the journal is not there any more")
          .contains(log.toString());
    }
    assertThat(read(after).start().scoringOf()).contains(log.toString());
  }

  private static boolean isGraded(SampleResult sample) {
    return sample.scores().containsKey("model_graded_qa");
  }

  @Test
  void withoutTheOldScoresSamplesThatWereNotReachedHaveNone() throws Exception {
    Path log = evaluated();
    var request =
        new Rescoring.Request(
            log, List.of(named("model_graded_qa")), Action.OVERWRITE, Optional.empty());
    Rescoring.Finished finished = interrupted(request);
    Logged now = read(finished.file());
    assertThat(now.samples()).hasSize(40);
    assertThat(now.samples().values().stream().filter(sample -> sample.scores().isEmpty()))
        .hasSize(40 - finished.scored());
    assertThat(now.end().samples())
        .isEqualTo(new Counts(40, finished.scored(), 0, 40 - finished.scored()));
    assertThat(now.end().accuracyOverAll()).contains(now.end().metrics().get("accuracy"));
  }

  @Test
  void aScoringIsNoRunThatCouldGoOn() throws Exception {
    Path log = evaluated();
    Path scored = interrupted(Rescoring.Request.of(log, named("model_graded_qa"))).file();
    assertThat(read(scored).start().scoringOf()).contains(log.toString());
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> Evaluation.retry(time, scored, Settings.NONE, HOST))
        .withMessageContaining(
            "only scores the answers of %s again: `weir eval-retry %s` runs", log, log);
    Path killed = killed(scored);
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> Evaluation.retry(time, killed, Settings.NONE, HOST))
        .withMessageContaining(
            "the scoring of %s was cut off; run `weir score %s …` again", log, log);
    Files.delete(log);
    var task = TaskFile.read(directory.resolve("task.yaml"));
    assertThat(Evaluation.retry(time, scored, task, Settings.NONE, HOST).keptFrom())
        .as("the only answers that are left")
        .hasSize(1);
  }

  @Test
  void nobodyWaitsForTheDiskSampleBySample() throws Exception {
    Path log = evaluated();
    long begin = time.nanos();
    rescored(Rescoring.Request.of(log, named("exact")), Settings.NONE);
    // A commit takes 10 ms: one for how it began, and one for all that followed.
    assertThat(Duration.ofNanos(time.nanos() - begin)).isLessThan(Duration.ofMillis(100));
  }

  private interface Intervention {
    void act(Task<Rescoring.Finished> running) throws Exception;
  }

  /** The directory of the new log goes away after 25 s, and a file stands in its place. */
  private Rescoring.Finished troubled(Path log, List<String> told, Intervention then)
      throws Exception {
    Path out = directory.resolve("out");
    var host = new Host(Map.of(), Optional.empty(), (_, said) -> told.add(said.line()));
    return time.run(
        () -> {
          Rescoring rescoring =
              Rescoring.prepare(
                  time,
                  Rescoring.Request.of(log, named("model_graded_qa")),
                  Settings.NONE
                      .with("model_role", "{\"grader\": \"sim/g:accuracy=1,latency=10s,rpm=0\"}")
                      .with("max_samples", 10)
                      .with("log_dir", out),
                  host);
          Task<Rescoring.Finished> running = time.start("rescoring", rescoring::run);
          time.sleep(Duration.ofSeconds(25));
          Files.move(out, directory.resolve("away"));
          Files.writeString(out, "in the way");
          time.sleep(Duration.ofSeconds(60));
          assertThat(running.isDone()).isFalse();
          assertThat(told).anyMatch(line -> line.contains("the scoring is paused"));
          then.act(running);
          return running.join();
        });
  }

  @Test
  void aLogThatCannotBeWrittenPausesTheScoring() throws Exception {
    List<String> told = new ArrayList<>();
    Rescoring.Finished finished =
        troubled(evaluated(), told, _ -> Files.delete(directory.resolve("out")));
    assertThat(told).anyMatch(line -> line.contains("the log can be written again"));
    assertThat(finished.scored()).isEqualTo(40);
    assertThat(read(finished.file()).samples()).hasSize(40);
  }

  @Test
  void whoEndsAScoringDoesNotWaitForADisk() throws Exception {
    Path log = evaluated();
    List<Long> cancelledAt = new ArrayList<>();
    assertThatExceptionOfType(TaskFailedException.class)
        .isThrownBy(
            () ->
                troubled(
                    log,
                    new ArrayList<>(),
                    running -> {
                      cancelledAt.add(time.nanos());
                      running.cancel();
                    }))
        .withCauseInstanceOf(IOException.class);
    assertThat(Duration.ofNanos(time.nanos() - cancelledAt.getFirst()))
        .isLessThan(Duration.ofSeconds(5));
  }

  private static Rescoring.Request graded(Path log, Map<String, Object> given) {
    return new Rescoring.Request(
        log,
        List.of(named("model_graded_qa")),
        Action.APPEND,
        Optional.empty(),
        List.of(new RunStart.Step("model_graded_qa", given)));
  }

  private static final Settings GRADER =
      Settings.NONE
          .with("model_role", "{\"grader\": \"sim/g:accuracy=1,latency=10s,rpm=0\"}")
          .with("max_samples", 10);

  /** A journal without an end in place of a log: what kill -9 leaves. */
  private Path asIfKilled(Path scored) throws IOException {
    Path journal;
    try (var from = RunLogReader.open(scored);
        var to =
            RunLog.begin(
                Time.system(), directory.resolve("logs"), from.start(), JournalListener.NONE)) {
      journal = to.file();
      for (var next = from.sample(); next.isPresent(); next = from.sample()) {
        if (isGraded(next.get())) {
          to.append(next.get());
        }
      }
    }
    Files.delete(scored);
    return journal;
  }

  private List<Path> logs() throws IOException {
    try (var files = Files.list(directory.resolve("logs"))) {
      return files.sorted().toList();
    }
  }

  @Test
  void whatGradersWereAskedIsInTheSamples() throws Exception {
    Path log = evaluated("epochs", "2");
    Logged old = read(log);
    Path once = rescored(graded(log, Map.of()), GRADER).file();
    Path twice = rescored(graded(once, Map.of()), GRADER).file();
    Logged now = read(twice);
    Tokens graders = Tokens.NONE;
    for (Map.Entry<String, SampleResult> sample : now.samples().entrySet()) {
      SampleResult before = old.sample(sample.getKey());
      List<ModelCall> calls = sample.getValue().calls();
      assertThat(calls.subList(0, before.calls().size())).isEqualTo(before.calls());
      List<ModelCall> graded = calls.subList(before.calls().size(), calls.size());
      assertThat(graded).hasSize(2).allMatch(call -> call.role().equals("grader"));
      for (ModelCall call : graded) {
        graders = graders.plus(call.tokens());
        // Messages of one call are not taken for those of another.
        assertThat(sample.getValue().message(call.input().getFirst().from()).content())
            .contains(before.input());
        assertThat(sample.getValue().message(call.answer().orElseThrow()).content())
            .contains("GRADE");
      }
    }
    assertThat(graders)
        .isEqualTo(
            now.end().models().stream()
                .filter(use -> use.role().equals("grader"))
                .map(RunResult.ModelUse::tokens)
                .reduce(Tokens.NONE, Tokens::plus));
    try (var written = InspectLog.open(twice);
        var samples = written.samples()) {
      JsonNode sample = new JsonMapper().readTree(Objects.requireNonNull(samples.next()).json());
      assertThat(sample.path("model_usage").propertyNames()).hasSize(2);
      assertThat(sample.path("role_usage").propertyNames()).containsExactly("grader");
    }
  }

  @Test
  void aScoringThatWasKilledIsGoneOnWith() throws Exception {
    Path log = evaluated();
    Rescoring.Finished first = interrupted(graded(log, Map.of()));
    assertThat(first.scored()).isBetween(10, 39);
    Map<String, SampleResult> scores = read(first.file()).samples();
    Path journal = asIfKilled(first.file());
    List<String> told = new ArrayList<>();
    var host = new Host(Map.of(), Optional.empty(), (_, said) -> told.add(said.line()));
    Rescoring.Finished second =
        time.run(() -> Rescoring.prepare(time, graded(log, Map.of()), GRADER, host).run());
    assertThat(told)
        .contains(
            "warning: %s: the same scoring was cut off; the scores of %d samples are taken over from it"
                .formatted(journal, first.scored()));
    assertThat(second.takenOver()).isEqualTo(first.scored());
    assertThat(second.scored()).isEqualTo(40);
    assertThat(second.problem()).isEmpty();
    Logged now = read(second.file());
    assertThat(now.samples().values()).hasSize(40).allMatch(RescoringTest::isGraded);
    scores.forEach(
        (id, sample) -> {
          if (isGraded(sample)) {
            assertThat(now.sample(id)).isEqualTo(sample);
          }
        });
    assertThat(now.end().models())
        .filteredOn(use -> use.role().equals("grader"))
        .extracting(RunResult.ModelUse::calls)
        .as("what was paid for before is told, too")
        .containsExactly(40L - first.scored(), (long) first.scored());
    assertThat(second.result().tokens())
        .isEqualTo(
            now.end().models().stream()
                .map(RunResult.ModelUse::tokens)
                .reduce(Tokens.NONE, Tokens::plus));
    assertThat(logs()).as("the journal is used up").containsExactlyInAnyOrder(log, second.file());
    assertThat(rescored(graded(log, Map.of()), GRADER).takenOver())
        .as("a scoring after one that is complete")
        .isZero();
  }

  @Test
  void whatScoresOfSeveralModelsHaveCostIsToldIfItIsTakenOver() throws Exception {
    Path log = evaluated();
    Settings two =
        GRADER.with(
            "model_role",
            "{\"grader\": \"sim/g:accuracy=1,latency=10s,rpm=0\", \"critic\": \"sim/c:rpm=0\"}");
    Rescoring.Finished first = interrupted(graded(log, Map.of()), two);
    List<String> told = new ArrayList<>();
    var host = new Host(Map.of(), Optional.empty(), (_, said) -> told.add(said.line()));
    Rescoring.Finished second =
        time.run(() -> Rescoring.prepare(time, graded(log, Map.of()), two, host).run());
    assertThat(second.takenOver()).isEqualTo(first.scored()).isPositive();
    assertThat(told)
        .filteredOn(line -> line.contains("which of the roles critic, grader it was"))
        .singleElement()
        .asString()
        .contains("have cost %d calls with ".formatted(first.scored()));
  }

  /** After some 10 s there are answers: they must not be lost to a kill a moment later. */
  @Test
  void whatGradersWerePaidForIsOnTheDiskAtOnce() throws Exception {
    Path log = evaluated();
    List<Long> held = new ArrayList<>();
    Rescoring.Finished finished =
        time.run(
            () -> {
              Rescoring rescoring = Rescoring.prepare(time, graded(log, Map.of()), GRADER, HOST);
              Task<Rescoring.Finished> running = time.start("rescoring", rescoring::run);
              time.sleep(Duration.ofMillis(10_400));
              Path journal =
                  logs().stream()
                      .filter(file -> file.toString().endsWith(LogFiles.JOURNAL))
                      .findFirst()
                      .orElseThrow();
              held.add(LogFiles.held(journal).own());
              running.cancel();
              return running.join();
            });
    assertThat(finished.scored()).isPositive();
    assertThat(held).containsExactly((long) finished.scored());
  }

  @Test
  void scoringsThatAreCutOffAgainAndAgainComeToAnEnd() throws Exception {
    Path log = evaluated();
    Rescoring.Finished first = interrupted(graded(log, Map.of()));
    Rescoring.Finished second = interrupted(graded(log, Map.of()));
    assertThat(second.takenOver()).isEqualTo(first.scored());
    assertThat(second.scored()).isEqualTo(40);
    Rescoring.Finished third = rescored(graded(log, Map.of()), GRADER);
    assertThat(third.takenOver()).as("the second came to its end").isZero();
  }

  @Test
  void onlyScoresOfTheSameScoringAreTakenOver() throws Exception {
    Path log = evaluated();
    Path scored = interrupted(graded(log, Map.of())).file();
    Path journal = asIfKilled(scored);
    Path schema = Files.writeString(directory.resolve("schema.json"), "{}");
    String other = "{\"grader\": \"sim/h:accuracy=1,rpm=0\"}";
    Path another = evaluated();
    assertThat(rescored(graded(log, Map.of("partial_credit", "true")), GRADER).takenOver())
        .as("given something else")
        .isZero();
    assertThat(rescored(graded(log, Map.of()), GRADER.with("model_role", other)).takenOver())
        .as("another model")
        .isZero();
    assertThat(rescored(graded(log, Map.of()), GRADER.with("seed", 77)).takenOver())
        .as("another seed")
        .isZero();
    assertThat(rescored(graded(another, Map.of()), GRADER).takenOver())
        .as("another run of the same task")
        .isZero();
    assertThat(
            rescored(
                    new Rescoring.Request(
                        log,
                        List.of(named("model_graded_qa")),
                        Action.OVERWRITE,
                        Optional.empty(),
                        graded(log, Map.of()).written()),
                    GRADER)
                .takenOver())
        .as("without the old scores")
        .isZero();
    assertThat(rescored(Rescoring.Request.of(log, named("model_graded_qa")), GRADER).takenOver())
        .as("of a program")
        .isZero();
    Rescoring.Request withFile = graded(log, Map.of("schema", schema.toString()));
    Path cut = interrupted(withFile).file();
    Files.writeString(schema, "{\"type\": \"object\"}");
    assertThat(rescored(withFile, GRADER).takenOver()).as("another schema").isZero();
    assertThat(cut).exists();
    assertThat(journal).exists();
    assertThat(rescored(graded(log, Map.of()), GRADER).takenOver()).isPositive();
    assertThat(journal).doesNotExist();
  }

  @Test
  void whatIsNoLogIsRefused() throws Exception {
    Path text = Files.writeString(directory.resolve("text.jsonl"), "{\"a\":1}\n");
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> rescored(Rescoring.Request.of(text, named("exact")), Settings.NONE))
        .withMessageEndingWith("is not the log of an evaluation: it has no field 'eval'");
    Path nowhere = directory.resolve("nowhere.jsonl");
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> rescored(Rescoring.Request.of(nowhere, named("exact")), Settings.NONE))
        .withMessage("there is no log " + nowhere);
  }
}
