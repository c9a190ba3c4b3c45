package dev.weir.eval;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.eval.dataset.Sample;
import dev.weir.eval.option.Settings;
import dev.weir.eval.source.TaskSources;
import dev.weir.eval.task.TaskInput;
import dev.weir.log.LogFiles;
import dev.weir.log.RunLog;
import dev.weir.log.RunLogReader;
import dev.weir.log.RunResult;
import dev.weir.log.RunResult.Status;
import dev.weir.log.SampleResult;
import dev.weir.log.SampleSummary;
import dev.weir.log.journal.JournalListener;
import dev.weir.model.ConfigurationException;
import dev.weir.time.Task;
import dev.weir.time.virtual.VirtualTime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Logs that are not as a run leaves them when all goes well. */
class RetryHardTest {

  private static final int SAMPLES = 60;

  @TempDir Path directory;

  private final VirtualTime time = VirtualTime.seeded(1);
  private final List<String> warnings = new ArrayList<>();
  private final Host host =
      new Host(Map.of(), Optional.empty(), (_, told) -> warnings.add(String.valueOf(told)));
  private Path taskFile;

  @BeforeEach
  void writeTask() throws IOException {
    writeDataset("What is");
    taskFile = directory.resolve("task.yaml");
    writeTask("sim/x:accuracy=0.7,latency=1s,rpm=0");
  }

  private void writeTask(String model) throws IOException {
    Files.writeString(
        taskFile,
        """
        task: questions
        dataset: questions.csv
        solver: [generate]
        scorer: includes
        model: "%s"
        seed: 7
        max_connections: 5
        tags: nightly
        metadata: team=blue
        """
            .formatted(model));
  }

  private void writeDataset(String question) throws IOException {
    var csv = new StringBuilder("id,input,target\n");
    for (int i = 0; i < SAMPLES; i++) {
      csv.append("%d,%s %d?,%d\n".formatted(i, i == 3 ? question : "What is", i, i));
    }
    Files.writeString(directory.resolve("questions.csv"), csv);
  }

  private Evaluation prepared(String logs, Settings more) {
    return Evaluation.prepare(
        time,
        TaskSources.load(
            taskFile.toString(), new TaskInput(Map.of(), Map.of(), TaskInput.NO_STDIN)),
        more.with("log_dir", directory.resolve(logs).toString()),
        host);
  }

  /** A journal as kill -9 leaves it: copied while the run writes it. */
  private Path killed(Evaluation evaluation, String logs, String name, int seconds)
      throws Exception {
    return time.run(
        () -> {
          Task<Evaluation.Finished> running = time.start("evaluation", evaluation::run);
          time.sleep(Duration.ofSeconds(seconds).plusMillis(500));
          Path journal = only(directory.resolve(logs), LogFiles.JOURNAL);
          Path copy = directory.resolve(name + LogFiles.JOURNAL);
          Files.copy(journal, copy);
          running.cancel();
          running.join();
          return copy;
        });
  }

  private static Path only(Path logs, String ending) throws IOException {
    try (Stream<Path> files = Files.list(logs)) {
      List<Path> found = files.filter(file -> file.toString().endsWith(ending)).toList();
      assertThat(found).hasSize(1);
      return found.getFirst();
    }
  }

  private Evaluation.Finished again(Path log, Settings given) throws Exception {
    return time.run(() -> Evaluation.retry(time, log, given, host).run());
  }

  private static List<SampleResult> samples(Evaluation.Finished finished) throws IOException {
    List<SampleResult> samples = new ArrayList<>();
    try (var reader = RunLogReader.open(finished.runs().getFirst().file().orElseThrow())) {
      for (var next = reader.sample(); next.isPresent(); next = reader.sample()) {
        samples.add(next.get());
      }
    }
    return samples;
  }

  private static int finished(Path log) throws IOException {
    try (var reader = RunLogReader.open(log)) {
      return (int) reader.summaries().stream().filter(SampleSummary::hasFinished).count();
    }
  }

  @Test
  void theJournalOfAKilledRunWithATornTailIsFinished() throws Exception {
    RunResult undisturbed = time.run(() -> prepared("whole", Settings.NONE).run()).result();
    Path journal = killed(prepared("logs", Settings.NONE), "logs", "killed", 6);
    byte[] bytes = Files.readAllBytes(journal);
    Files.write(journal, Arrays.copyOf(bytes, bytes.length - 5));
    int kept = finished(journal);
    assertThat(kept).isBetween(10, 40);

    Evaluation.Finished finished = again(journal, Settings.NONE);

    assertThat(finished.result().status()).isEqualTo(Status.SUCCESS);
    assertThat(finished.result().metrics()).isEqualTo(undisturbed.metrics());
    assertThat(finished.result().tokens().input()).isEqualTo(undisturbed.tokens().input());
    assertThat(finished.result().models().getFirst().calls()).isEqualTo(SAMPLES);
    assertThat(samples(finished)).hasSize(SAMPLES);
    assertThat(asked(finished)).isEqualTo(SAMPLES - kept);
  }

  /** How many samples a run ran itself. */
  private static long asked(Evaluation.Finished finished) throws IOException {
    return samples(finished).stream()
        .filter(sample -> !sample.started().isBefore(finished.result().start().started()))
        .count();
  }

  @Test
  void aRunThatGoesOnIsLeftAlone() throws Exception {
    time.run(
        () -> {
          Task<Evaluation.Finished> running =
              time.start("evaluation", prepared("logs", Settings.NONE)::run);
          time.sleep(Duration.ofSeconds(3));
          Path journal = only(directory.resolve("logs"), LogFiles.JOURNAL);
          assertThatExceptionOfType(ConfigurationException.class)
              .isThrownBy(() -> Evaluation.retry(time, journal, Settings.NONE, host))
              .withMessageContaining("its run has not ended");
          running.cancel();
          return running.join();
        });
  }

  /** The journal of a retry that was killed before anything was copied into it. */
  private Path killedBeforeCopying(Path old, String logs) throws Exception {
    return time.run(
        () -> {
          var start = Retrying.read(old).start();
          var retried =
              new dev.weir.log.RunStart(
                  "again",
                  start.taskId(),
                  start.task(),
                  start.origin(),
                  start.dataset(),
                  start.solvers(),
                  start.model(),
                  start.roles(),
                  start.epochs(),
                  start.seed(),
                  start.concurrencyMode(),
                  start.maxConnections(),
                  start.scorers(),
                  start.config(),
                  start.tags(),
                  start.metadata(),
                  time.instant(),
                  Optional.of(old.toAbsolutePath().toString()));
          Path to = Files.createDirectories(directory.resolve(logs));
          try (var log = RunLog.begin(time, to, retried, JournalListener.NONE)) {
            return log.file();
          }
        });
  }

  @Test
  void aRetryThatWasKilledBeforeAllWasCopiedLosesNothing() throws Exception {
    Path first = killed(prepared("logs", Settings.NONE), "logs", "killed", 6);
    int kept = finished(first);
    Path second = killedBeforeCopying(first, "second");
    Path third = killedBeforeCopying(second, "third");
    assertThat(finished(third)).isEqualTo(kept);

    Evaluation.Finished finished = again(third, Settings.NONE);

    assertThat(samples(finished)).hasSize(SAMPLES);
    assertThat(asked(finished)).isEqualTo(SAMPLES - kept);
  }

  @Test
  void theLogBehindSuchARetryMayHaveBecomeAWholeOneAndMayHaveMoved() throws Exception {
    Path first = killed(prepared("logs", Settings.NONE), "logs", "killed", 6);
    int kept = finished(first);
    Path second = killedBeforeCopying(first, "second");
    Path eval = LogFiles.convert(first);
    assertThat(finished(second)).isEqualTo(kept);
    Path moved = Files.createDirectories(directory.resolve("moved"));
    Files.move(eval, moved.resolve(eval.getFileName()));
    Path third = Files.move(second, moved.resolve(second.getFileName()));
    assertThat(finished(third)).isEqualTo(kept);
  }

  @Test
  void whenTheLogBehindIsGoneThatIsTold() throws Exception {
    Path first = killed(prepared("logs", Settings.NONE), "logs", "killed", 6);
    Path second = killedBeforeCopying(first, "second");
    Files.delete(first);
    assertThat(Retrying.read(second).told()).contains("which is gone");
    Evaluation.Finished finished = again(second, Settings.NONE);
    assertThat(samples(finished)).hasSize(SAMPLES);
  }

  @Test
  void aFinishedSampleThatIsDamagedIsNotLostInSilence() throws Exception {
    Path journal = killed(prepared("logs", Settings.NONE), "logs", "killed", 6);
    byte[] bytes = Files.readAllBytes(journal);
    // In a body; what the index knows of it is elsewhere.
    int kept = finished(journal);
    int found = 0;
    for (int at = 3_000; at < bytes.length && found == 0; at += 97) {
      byte[] flipped = bytes.clone();
      flipped[at] ^= 1;
      Files.write(journal, flipped);
      found = finished(journal) == kept && readable(journal) < kept ? at : 0;
    }
    if (found == 0) {
      // Nothing is indexed yet in so small a journal: what is damaged is not finished.
      assertThat(finished(journal)).isLessThanOrEqualTo(kept);
      Evaluation.Finished finished = again(journal, Settings.NONE);
      assertThat(samples(finished)).hasSize(SAMPLES);
      assertThat(finished.result().status()).isEqualTo(Status.SUCCESS);
      assertThat(warnings).isNotEmpty();
      return;
    }
    Evaluation.Finished finished = again(journal, Settings.NONE);
    assertThat(warnings).anyMatch(line -> line.contains("they are run now"));
    assertThat(finished.result().status()).isEqualTo(Status.SUCCESS);
    assertThat(samples(finished)).hasSize(SAMPLES);
  }

  private static int readable(Path log) throws IOException {
    int count = 0;
    try (var reader = RunLogReader.open(log)) {
      for (var next = reader.sample(); next.isPresent(); next = reader.sample()) {
        count += next.get().hasFinished() ? 1 : 0;
      }
    }
    return count;
  }

  @Test
  void tagsMetadataAndOptionsAreKept() throws Exception {
    Path journal =
        killed(prepared("logs", Settings.NONE.with("temperature", 0.5)), "logs", "killed", 4);
    var start = again(journal, Settings.NONE.with("max_connections", 3)).result().start();
    assertThat(start.tags()).containsExactly("nightly");
    assertThat(start.metadata()).containsEntry("team", "blue");
    assertThat(start.config()).containsEntry("temperature", "0.5");
    assertThat(start.maxConnections()).isEqualTo(3);
  }

  @Test
  void whatSamplesFailedWithIsKeptWhenTheyAreRunAgain() throws Exception {
    Settings faulty =
        Settings.NONE
            .with("model_args", "error-rate=0.5")
            .with("fail_on_error", "false")
            .with("max_retries", 0);
    Evaluation.Finished failed = time.run(() -> prepared("logs", faulty).run());
    int failures = failed.result().samples().failed();
    assertThat(failures).isBetween(10, 50);

    Evaluation.Finished finished =
        again(
            failed.runs().getFirst().file().orElseThrow(),
            Settings.NONE.with("model_args", "error-rate=0"));

    assertThat(finished.result().samples().scored()).isEqualTo(SAMPLES);
    assertThat(samples(finished).stream().filter(sample -> sample.errorRetries().size() == 1))
        .hasSize(failures);
  }

  @Test
  void cancelledSamplesHaveNoErrors() throws Exception {
    Path log =
        time.run(
            () -> {
              Task<Evaluation.Finished> running =
                  time.start("evaluation", prepared("logs", Settings.NONE)::run);
              time.sleep(Duration.ofMillis(4_500));
              running.cancel();
              return running.join().runs().getFirst().file().orElseThrow();
            });
    assertThat(samples(again(log, Settings.NONE)))
        .hasSize(SAMPLES)
        .allSatisfy(sample -> assertThat(sample.errorRetries()).isEmpty());
  }

  @Test
  void credentialsAreNotInheritedAndThatIsTold() throws Exception {
    Path log =
        time.run(
                () ->
                    prepared("logs", Settings.NONE.with("metadata", "api_key=sk-12345678,team=red"))
                        .run())
            .runs()
            .getFirst()
            .file()
            .orElseThrow();
    assertThat(Evaluation.retry(time, log, Settings.NONE, host).keptFrom())
        .anyMatch(told -> told.contains("--metadata api_key is not inherited"));
    Settings given = Settings.NONE.with("metadata", "api_key=sk-12345678");
    assertThat(Evaluation.retry(time, log, given, host).keptFrom()).hasSize(1);
    assertThat(again(log, Settings.NONE).result().start().metadata())
        .containsEntry("team", "red")
        .doesNotContainKey("api_key");
  }

  @Test
  void eachLogOfSeveralModelsGoesOnWithItsOwn() throws Exception {
    Evaluation.Finished both =
        time.run(
            () ->
                prepared(
                        "logs",
                        Settings.NONE.with(
                            "model", "sim/a:accuracy=1,rpm=0,sim/b:accuracy=0,rpm=0"))
                    .run());
    assertThat(both.runs()).hasSize(2);
    for (Evaluation.FinishedRun run : both.runs()) {
      Evaluation.Finished finished =
          again(run.file().orElseThrow(), Settings.NONE.with("epochs", 2));
      assertThat(finished.runs()).hasSize(1);
      assertThat(finished.result().start().model()).isEqualTo(run.result().start().model());
      assertThat(finished.result().metrics())
          .containsAllEntriesOf(Map.of("accuracy", run.result().metrics().get("accuracy")));
    }
  }

  @Test
  void aTaskThatIsGoneIsAskedFor() throws Exception {
    Path journal = killed(prepared("logs", Settings.NONE), "logs", "killed", 4);
    Path moved = Files.move(taskFile, directory.resolve("elsewhere.yaml"));
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> Evaluation.retry(time, journal, Settings.NONE, host))
        .withMessageContaining("--task FILE");
    Evaluation.Finished finished =
        time.run(
            () -> Evaluation.retry(time, journal, moved.toString(), Settings.NONE, host).run());
    assertThat(samples(finished)).hasSize(SAMPLES);
  }

  @Test
  void ofAnotherProgramsLogWhatAsksTheSameIsKept() throws Exception {
    Path foreign = foreignLog();
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> Evaluation.retry(time, foreign, Settings.NONE, host))
        .withMessageContaining("--task FILE");
    writeDataset("What was");
    Settings given = Settings.NONE.with("model", "sim/x:accuracy=0,rpm=0");
    Evaluation evaluation = Evaluation.retry(time, foreign, taskFile.toString(), given, host);
    assertThat(evaluation.keptFrom().getFirst())
        .contains("reusing 4 finished samples, running 56, 1 of them because they have changed: 3");
    // Another program may call the same model otherwise.
    assertThat(evaluation.keptFrom().get(1))
        .contains("4 finished samples are answers of openai/gpt-4o, and kept as answers of sim/x");
    Evaluation.Finished finished = time.run(evaluation::run);
    assertThat(finished.result().samples().scored()).isEqualTo(SAMPLES);
    assertThat(finished.result().metrics().get("accuracy")).isBetween(0.06, 0.07);
    // What was kept is known by its hash from now on.
    writeDataset("What is");
    assertThat(
            Retrying.read(finished.runs().getFirst().file().orElseThrow())
                .of(List.of(new Sample("0", "Who is?", "0")), 1, Set.of())
                .choice()
                .changed())
        .hasSize(1);
  }

  @Test
  void idsKeepTheFormThatTheyHaveInTheLog() throws Exception {
    writeDataset("What was");
    Settings given = Settings.NONE.with("model", "sim/x:accuracy=0,rpm=0");

    Evaluation.Finished finished =
        time.run(
            () -> Evaluation.retry(time, foreignLog(), taskFile.toString(), given, host).run());

    // Those of the log are numbers; in the CSV file, from which all are run again, all are texts.
    Path json = directory.resolve("whole.json");
    LogFiles.toJson(finished.runs().getFirst().file().orElseThrow(), json);
    JsonNode log = new JsonMapper().readTree(Files.readString(json));
    assertThat(log.path("eval").path("dataset").path("sample_ids"))
        .hasSize(SAMPLES)
        .allSatisfy(RetryHardTest::hasItsForm);
    assertThat(log.path("samples"))
        .hasSize(SAMPLES)
        .allSatisfy(sample -> hasItsForm(sample.path("id")));
  }

  private static void hasItsForm(JsonNode id) {
    assertThat(id.isIntegralNumber()).as(id.toString()).isEqualTo(id.asInt() < 5);
  }

  /** Five samples, the ids of which are numbers, as Inspect writes them. */
  private Path foreignLog() throws IOException {
    var samples = new StringBuilder();
    var ids = new StringBuilder();
    for (int i = 0; i < 5; i++) {
      ids.append(i == 0 ? "" : ",").append(i);
      samples.append(
          """
          %s{"id": %d, "epoch": 1, "input": "What is %d?", "target": "%d",
           "messages": [{"role": "user", "content": "What is %d?"}],
           "output": {"model": "m", "choices": [{"message": {"role": "assistant", "content": "%d"}, "stop_reason": "stop"}]},
           "scores": {"includes": {"value": "C", "answer": "%d"}}, "metadata": {}, "store": {}, "events": [], "model_usage": {}, "attachments": {}}
          """
              .formatted(i == 0 ? "" : ",", i, i, i, i, i, i));
    }
    return Files.writeString(
        directory.resolve("2026-01-01T00-00-00_questions_x.json"),
        """
        {"version": 2, "status": "error",
         "eval": {"run_id": "r", "created": "2026-01-01T00:00:00+00:00", "task": "questions", "task_id": "t",
           "task_version": 0, "task_file": "questions.py", "task_attribs": {}, "task_args": {},
           "dataset": {"name": "questions", "samples": 5, "sample_ids": [%s], "shuffled": false},
           "model": "openai/gpt-4o", "model_args": {},
           "config": {"epochs": 1, "epochs_reducer": ["mean"], "fail_on_error": true, "log_images": true}},
         "plan": {"name": "plan", "steps": [], "config": {}},
         "stats": {"started_at": "2026-01-01T00:00:00+00:00", "completed_at": "2026-01-01T00:01:00+00:00", "model_usage": {}},
         "samples": [%s]}
        """
            .formatted(ids, samples));
  }
}
