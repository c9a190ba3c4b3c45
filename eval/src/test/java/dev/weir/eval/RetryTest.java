package dev.weir.eval;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.eval.option.Settings;
import dev.weir.eval.scorer.Scorers;
import dev.weir.eval.solver.Solvers;
import dev.weir.eval.source.TaskSources;
import dev.weir.eval.task.TaskDefinition;
import dev.weir.eval.task.TaskInput;
import dev.weir.log.LogDirectory;
import dev.weir.log.LogFiles;
import dev.weir.log.RunLogReader;
import dev.weir.log.RunResult;
import dev.weir.log.RunResult.Status;
import dev.weir.log.RunStart;
import dev.weir.log.SamplePlace;
import dev.weir.log.SampleResult;
import dev.weir.log.SampleSummary;
import dev.weir.model.ConfigurationException;
import dev.weir.time.Task;
import dev.weir.time.virtual.VirtualTime;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RetryTest {

  private static final Host HOST = new Host(Map.of(), Optional.empty(), (_, _) -> {});

  @TempDir Path directory;

  private final VirtualTime time = VirtualTime.seeded(1);
  private Path taskFile;
  private Path dataset;

  @BeforeEach
  void writeTask() throws IOException {
    dataset = directory.resolve("questions.csv");
    writeDataset(0, 100, "");
    taskFile =
        Files.writeString(
            directory.resolve("task.yaml"),
            """
            task: questions
            dataset: questions.csv
            solver: [generate]
            scorer: includes
            model: sim/x:accuracy=0.7,latency=1s,rpm=0
            seed: 7
            max_connections: 5
            """);
  }

  private void writeDataset(int from, int to, String ending) throws IOException {
    var csv = new StringBuilder("id,input,target\n");
    for (int i = from; i < to; i++) {
      csv.append("q%d,What is %d%s?,%d\n".formatted(i, i, ending, i));
    }
    Files.writeString(dataset, csv);
  }

  private Settings logs(String name) {
    return Settings.NONE.with("log_dir", directory.resolve(name).toString());
  }

  private Evaluation prepared(String logs) {
    List<TaskDefinition> tasks =
        TaskSources.load(
            taskFile.toString(), new TaskInput(Map.of(), Map.of(), TaskInput.NO_STDIN));
    return Evaluation.prepare(time, tasks, logs(logs), HOST);
  }

  /** A run that is cancelled after so many seconds; about five samples end in each. */
  private Path cancelled(int seconds) throws Exception {
    return file(cancelledAfter(seconds, prepared("cancelled")));
  }

  private Evaluation.Finished cancelledAfter(int seconds, Evaluation evaluation) throws Exception {
    return time.run(
        () -> {
          Task<Evaluation.Finished> running = time.start("evaluation", evaluation::run);
          time.sleep(Duration.ofSeconds(seconds));
          running.cancel();
          Evaluation.Finished finished = running.join();
          assertThat(finished.result().status()).isEqualTo(Status.CANCELLED);
          return finished;
        });
  }

  private record Logged(RunStart start, List<SampleResult> samples, RunResult end) {

    Set<String> ids() {
      Set<String> ids = new HashSet<>();
      samples.forEach(sample -> assertThat(ids.add(sample.id() + " " + sample.epoch())).isTrue());
      return ids;
    }
  }

  private static Logged read(Path log) throws IOException {
    try (var reader = RunLogReader.open(log)) {
      List<SampleResult> samples = new ArrayList<>();
      for (var next = reader.sample(); next.isPresent(); next = reader.sample()) {
        samples.add(next.get());
      }
      return new Logged(reader.start(), samples, reader.end().orElseThrow());
    }
  }

  @Test
  void aCancelledRunIsFinishedWithTheSameScores() throws Exception {
    RunResult undisturbed = time.run(() -> prepared("whole").run()).result();
    Path log = cancelled(8);
    Logged before = read(log);
    int kept = before.end().samples().scored();
    assertThat(kept).isBetween(20, 60);

    Evaluation.Finished finished = again(log, Settings.NONE);

    RunResult result = finished.result();
    assertThat(result.status()).isEqualTo(Status.SUCCESS);
    assertThat(result.metrics()).isEqualTo(undisturbed.metrics());
    assertThat(result.samples().scored()).isEqualTo(100);
    Logged after = read(finished.runs().getFirst().file().orElseThrow());
    assertThat(after.ids()).hasSize(100);
    assertThat(after.start().taskId()).isEqualTo(before.start().taskId());
    assertThat(after.start().runId()).isNotEqualTo(before.start().runId());
    // Nothing was asked again: what was finished is there as it was.
    assertThat(after.samples())
        .containsAll(before.samples().stream().filter(SampleResult::hasFinished).toList());
    assertThat(result.tokens().input()).isEqualTo(undisturbed.tokens().input());
    // All that was used for it is told, whichever run paid for it.
    assertThat(result.models().getFirst().calls()).isEqualTo(100);
    assertThat(result.models().getFirst().tokens()).isEqualTo(result.tokens());
    assertThat(asked(finished, before)).isEqualTo(100 - kept);
  }

  /** How many calls a run made itself, of one that went on. */
  private static long asked(Evaluation.Finished finished, Logged before) {
    return finished.result().models().getFirst().calls() - before.end().models().getFirst().calls();
  }

  private Evaluation.Finished again(Path log, Settings given) throws Exception {
    return time.run(() -> Evaluation.retry(time, log, given, HOST).run());
  }

  private Evaluation.Finished onceMore(Path log, Settings given) throws Exception {
    return time.run(() -> Evaluation.retryAgain(time, log, given, HOST).run());
  }

  @Test
  void settingsAreThoseOfTheLogUnlessGiven() throws Exception {
    Path log = cancelled(5);
    Logged after =
        read(
            again(log, Settings.NONE.with("max_connections", 3).with("limit", 50))
                .runs()
                .getFirst()
                .file()
                .orElseThrow());
    assertThat(after.start().maxConnections()).isEqualTo(3);
    assertThat(after.start().seed()).isEqualTo(7);
    assertThat(after.start().model()).startsWith("sim/x");
    assertThat(after.ids()).hasSize(50);
    assertThat(after.end().samples().total()).isEqualTo(50);
  }

  @Test
  void finishedSamplesThatAreNotAskedForAreCounted() throws Exception {
    Path log = cancelled(8);
    int finished = read(log).end().samples().scored();
    assertThat(kept(log, Settings.NONE)).doesNotContain("left out");
    assertThat(kept(log, Settings.NONE.with("limit", 10)))
        .contains("reusing 10 finished samples, running 0")
        .contains("; %d finished samples are left out".formatted(finished - 10));
    writeDataset(5, 100, "");
    assertThat(kept(log, Settings.NONE))
        .contains(
            "reusing %d finished samples, running %d; 5 finished samples are left out"
                .formatted(finished - 5, 100 - finished));
  }

  private String kept(Path log, Settings given) {
    return Evaluation.retry(time, log, given, HOST).keptFrom().getFirst();
  }

  @Test
  void changedSamplesAreRunAgainAndReorderedOnesAreNot() throws Exception {
    Path log = cancelled(8);
    List<String> lines = Files.readAllLines(dataset);
    List<String> body = new ArrayList<>(lines.subList(1, lines.size()));
    Collections.reverse(body);
    body.replaceAll(line -> line.startsWith("q3,") ? "q3,What is three?,3" : line);
    Files.writeString(dataset, lines.getFirst() + "\n" + String.join("\n", body) + "\n");
    Logged before = read(log);
    int kept = before.end().samples().scored();
    assertThat(Retrying.read(log).finished()).containsKey(new SamplePlace("q3", 1));

    Evaluation.Finished finished = again(log, Settings.NONE);

    assertThat(asked(finished, before)).isEqualTo(100 - kept + 1);
    Logged after = read(finished.runs().getFirst().file().orElseThrow());
    assertThat(after.ids()).hasSize(100);
    assertThat(after.samples().stream().filter(sample -> sample.id().equals("q3")))
        .singleElement()
        .extracting(SampleResult::input)
        .isEqualTo("What is three?");
  }

  @Test
  void aLogThatWasGoneOnWithIsRefused() throws Exception {
    Path log = cancelled(8);
    Path later = again(log, logs("later")).runs().getFirst().file().orElseThrow();
    List<TaskDefinition> tasks =
        TaskSources.load(
            taskFile.toString(), new TaskInput(Map.of(), Map.of(), TaskInput.NO_STDIN));

    for (ThrowingCallable retry :
        List.<ThrowingCallable>of(
            () -> Evaluation.retry(time, log, logs("later"), HOST),
            () -> Evaluation.retry(time, log, taskFile.toString(), logs("later"), HOST),
            () -> Evaluation.retry(time, log, tasks.getFirst(), logs("later"), HOST))) {
      assertThatExceptionOfType(ConfigurationException.class)
          .isThrownBy(retry)
          .withMessageStartingWith(
              "%s has already been resumed by %s; resume that one".formatted(log, later));
    }
    assertThat(Evaluation.retryAgain(time, log, logs("later"), HOST).keptFrom()).isNotEmpty();
    assertThat(again(later, logs("later")).result().status()).isEqualTo(Status.SUCCESS);
  }

  /** What the run finishes after the copy was made would be paid for twice. */
  @Test
  void aCopyOfARunThatGoesOnIsRefused() throws Exception {
    Path copy = directory.resolve("copy.eval");
    time.run(
        () -> {
          Task<Evaluation.Finished> running = time.start("evaluation", prepared("copied")::run);
          time.sleep(Duration.ofSeconds(8));
          Path journal = LogDirectory.logs(directory.resolve("copied")).getFirst();
          LogFiles.toEval(journal, copy);
          running.cancel();
          return running.join();
        });
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> Evaluation.retry(time, copy, logs("later"), HOST))
        .withMessageStartingWith(
            copy
                + " is a copy that was made during its run, and lacks samples that finished since");
    assertThat(Evaluation.retryAgain(time, copy, logs("later"), HOST).keptFrom()).isNotEmpty();
  }

  @Test
  void moreEpochsRunJustThose() throws Exception {
    Path whole = time.run(() -> prepared("whole").run()).runs().getFirst().file().orElseThrow();
    RunResult result = again(whole, Settings.NONE.with("epochs", 2)).result();
    assertThat(result.samples().scored()).isEqualTo(200);
    assertThat(result.models().getFirst().calls()).isEqualTo(200);
  }

  @Test
  void aRunThatWasWholeAsksNothing() throws Exception {
    Path whole = time.run(() -> prepared("whole").run()).runs().getFirst().file().orElseThrow();
    RunResult result = again(whole, Settings.NONE).result();
    assertThat(result.status()).isEqualTo(Status.SUCCESS);
    assertThat(result.samples().scored()).isEqualTo(100);
    assertThat(result.models().getFirst().calls()).isEqualTo(100);
    assertThat(result.seconds()).isZero();
  }

  @Test
  void aTaskThatAProgramMadeMustBeGiven() throws Exception {
    TaskDefinition task =
        TaskDefinition.named("made")
            .dataset(dataset.toString())
            .solver(Solvers.generate())
            .scorer(Scorers.includes())
            .model("sim/x:accuracy=1,rpm=0")
            .build();
    Path log =
        time.run(() -> Evaluation.prepare(time, List.of(task), logs("made"), HOST).run())
            .runs()
            .getFirst()
            .file()
            .orElseThrow();
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> Evaluation.retry(time, log, Settings.NONE, HOST))
        .withMessageContaining("Evaluation.retry(log, task)");
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> Evaluation.retry(log))
        .withMessageContaining("Evaluation.retry(log, task)");
    assertThat(Evaluation.retry(log, task).keptFrom())
        .singleElement()
        .asString()
        .contains("reusing 100 finished samples, running 0");
    RunResult result =
        time.run(() -> Evaluation.retry(time, log, task, Settings.NONE, HOST).run()).result();
    assertThat(result.samples().scored()).isEqualTo(100);
  }

  /** Flips a bit in the middle of a member. */
  private static void damage(Path log, String member) throws IOException {
    byte[] bytes = Files.readAllBytes(log);
    String text = new String(bytes, StandardCharsets.ISO_8859_1);
    int local = text.indexOf(member) - 30;
    int end = text.indexOf("PK\3\4", local + 4);
    bytes[(local + 30 + member.length() + (end < 0 ? text.indexOf("PK\1\2") : end)) / 2] ^= 4;
    Files.write(log, bytes);
  }

  private Evaluation.Finished again(Path log, List<String> told) throws Exception {
    var host = new Host(Map.of(), Optional.empty(), (_, event) -> told.add(event.line()));
    return time.run(() -> Evaluation.retry(time, log, Settings.NONE, host).run());
  }

  @Test
  void aDamagedSampleIsToldAndRunAtOnce() throws Exception {
    Evaluation.Finished undisturbed = time.run(() -> prepared("whole").run());
    Path whole = undisturbed.runs().getFirst().file().orElseThrow();
    damage(whole, "samples/q5_epoch_1.json");
    List<String> told = new ArrayList<>();

    Evaluation.Finished finished = again(whole, told);
    assertThat(told)
        .anyMatch(line -> line.contains("samples/q5_epoch_1.json") && line.contains("expected"))
        .anyMatch(
            line -> line.contains("1 samples that were to be reused are damaged; they are run"));
    assertThat(finished.result().status()).isEqualTo(Status.SUCCESS);
    assertThat(finished.result().metrics()).isEqualTo(undisturbed.result().metrics());
    assertThat(finished.runs()).hasSize(1);
    Logged log = read(finished.runs().getFirst().file().orElseThrow());
    assertThat(log.ids()).hasSize(100);
    assertThat(log.start().taskId()).isEqualTo(undisturbed.result().start().taskId());
    // What was kept is in a log of its own, which says what it lacks.
    Logged first = read(Path.of(log.start().retryOf().orElseThrow()));
    assertThat(first.ids()).hasSize(99).doesNotContain("q5 1");
    assertThat(first.end().status()).isEqualTo(Status.ERROR);
    assertThat(first.end().error().orElseThrow()).contains("1 finished samples of", "damaged");
  }

  @Test
  void aDamagedListOfSamplesIsMadeAnewOfThem() throws Exception {
    RunResult undisturbed = time.run(() -> prepared("whole").run()).result();
    Path log = cancelled(8);
    Retried before = Retrying.read(log);
    damage(log, "summaries.json");
    Retried after = Retrying.read(log);
    assertThat(after.finished()).isEqualTo(before.finished());
    assertThat(after.told()).contains("summaries.json", "checksum", "expected");

    RunResult result = again(log, Settings.NONE).result();
    assertThat(result.status()).isEqualTo(Status.SUCCESS);
    assertThat(result.metrics()).isEqualTo(undisturbed.metrics());
    assertThat(result.models().getFirst().calls()).isEqualTo(100);
  }

  @Test
  void answersOfAModelAreNotKeptForAnother() throws Exception {
    Path log = cancelled(5);
    Settings other = Settings.NONE.with("model", "sim/y:accuracy=0,rpm=0");
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> Evaluation.retry(time, log, other, HOST))
        .withMessageContaining("finished samples are answers of sim/x:accuracy=0.7")
        .withMessageContaining("sim/y:accuracy=0,rpm=0")
        .withMessageContaining("weir eval");
    // Without an answer there is nothing to mistake.
    writeDataset(0, 100, " exactly");
    assertThat(again(log, other).result().metrics()).containsEntry("accuracy", 0.0);
  }

  @Test
  void whatIsAskedOtherwiseIsTold() throws Exception {
    Path log = cancelled(5);
    assertThat(notes(log, Settings.NONE.with("max_connections", 3).with("max_retries", 9)))
        .isEmpty();
    assertThat(notes(log, Settings.NONE.with("seed", 7))).isEmpty();
    assertThat(notes(log, Settings.NONE.with("temperature", 0.5).with("seed", 8)))
        .singleElement()
        .asString()
        .contains("finished samples are reused although they were run with other settings")
        .contains("--temperature was not set, is 0.5")
        .contains("--seed was 7, is 8");
    Files.writeString(
        taskFile,
        Files.readString(taskFile).replace("[generate]", "[system_message: Hurry., generate]"));
    assertThat(notes(log, Settings.NONE)).singleElement().asString().contains("(the solver)");
  }

  @Test
  void scoresOfAChangedScorerAreNotMixedWithNewOnes() throws Exception {
    scorer("{pattern: {pattern: '([0-9]+)'}}");
    Path log = cancelled(5);
    scorer("{pattern: {pattern: '(nothing)'}}");
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> Evaluation.retry(time, log, Settings.NONE, HOST))
        .withMessageContaining(
            "finished samples were scored by another scorer (pattern was pattern"
                + " {pattern=([0-9]+)}, is pattern {pattern=(nothing)})")
        .withMessageContaining("undo that change")
        .withMessageContaining("`weir score`");
    // What is only made of scores may change, and a scorer of another name has none yet.
    scorer("{pattern: {pattern: '([0-9]+)'}, metrics: [mean]}");
    assertThat(notes(log, Settings.NONE)).isEmpty();
    scorer("{pattern: {pattern: '(nothing)'}, name: strict}");
    assertThat(Evaluation.retry(time, log, Settings.NONE, HOST).keptFrom())
        .singleElement()
        .asString()
        .contains("lack a score of this task");
    // Without a score there is nothing to mix.
    scorer("{pattern: {pattern: '(nothing)'}}");
    writeDataset(0, 100, " exactly");
    assertThat(again(log, Settings.NONE).result().metrics()).containsEntry("accuracy", 0.0);
  }

  private void scorer(String written) throws IOException {
    Files.writeString(
        taskFile,
        Files.readString(taskFile)
            .replaceFirst("(?m)^scorer: .*$", Matcher.quoteReplacement("scorer: " + written)));
  }

  @Test
  void aSeedThatNobodyGaveIsNoChange() throws Exception {
    Files.writeString(taskFile, Files.readString(taskFile).replace("seed: 7\n", ""));
    Path log = cancelled(5);
    assertThat(notes(log, Settings.NONE)).isEmpty();
    assertThat(notes(log, Settings.NONE.with("seed", 8)))
        .singleElement()
        .asString()
        .contains("--seed was not set, is 8");
  }

  @Test
  void aSeedThatNobodyGaveIsNotSent() throws Exception {
    Files.writeString(
        taskFile,
        Files.readString(taskFile).replace("seed: 7\n", "sample_shuffle: true\nlimit: 40\n"));
    Path first = cancelled(3);
    RunStart begun = read(first).start();
    // Each goes on with the one before, and the last finishes.
    Path second = file(cancelledAfter(3, Evaluation.retry(time, first, Settings.NONE, HOST)));
    Logged last = read(file(again(second, Settings.NONE)));
    assertThat(last.ids()).hasSize(40);
    assertThat(last.start().seed()).isEqualTo(begun.seed());
    assertThat(last.start().dataset().sampleIds()).isEqualTo(begun.dataset().sampleIds());
    assertThat(last.start().config()).doesNotContainKey("seed");
    assertThat(last.samples())
        .flatExtracting(SampleResult::calls)
        .hasSize(40)
        .allSatisfy(call -> assertThat(call.terms().config()).doesNotContain("seed"));
    // One that was given is a part of the question.
    Logged given = read(file(onceMore(second, Settings.NONE.with("seed", 8))));
    assertThat(given.samples())
        .flatExtracting(SampleResult::calls)
        .anySatisfy(call -> assertThat(call.terms().config()).contains("\"seed\":8"));
  }

  private static Path file(Evaluation.Finished finished) {
    return finished.runs().getFirst().file().orElseThrow();
  }

  /** What is told beside how many samples are kept. */
  private List<String> notes(Path log, Settings given) {
    List<String> told = Evaluation.retry(time, log, given, HOST).keptFrom();
    return told.subList(1, told.size());
  }

  @Test
  void summariesOfAWholeLogTellWhatIsFinished() throws Exception {
    Path log = cancelled(5);
    try (var reader = RunLogReader.open(log)) {
      List<SampleSummary> summaries = reader.summaries();
      assertThat(summaries.stream().filter(SampleSummary::hasFinished))
          .hasSize(reader.end().orElseThrow().samples().scored());
    }
  }
}
