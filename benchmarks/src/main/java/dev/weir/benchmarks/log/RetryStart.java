package dev.weir.benchmarks.log;

import dev.weir.benchmarks.eval.Counted;
import dev.weir.benchmarks.eval.Watched;
import dev.weir.benchmarks.transport.Programs;
import dev.weir.eval.dataset.Sample;
import dev.weir.eval.source.TaskSources;
import dev.weir.eval.task.TaskDefinition;
import dev.weir.eval.task.TaskDefinition.NamedScorer;
import dev.weir.eval.task.TaskInput;
import dev.weir.log.DatasetRecord;
import dev.weir.log.LogFiles;
import dev.weir.log.RunLog;
import dev.weir.log.RunStart;
import dev.weir.log.SampleIds;
import dev.weir.log.journal.JournalListener;
import dev.weir.time.Task;
import dev.weir.time.Time;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * How long it takes from {@code weir eval-retry} to the first new call, where very many samples are
 * finished: the command in a process of its own, against {@code weir simulate} in another.
 */
final class RetryStart {

  private static final String MODEL = "openai/simulated";
  private static final int AT_ONCE = 1_000;

  private final Time time;
  private final Content content;
  private final int finished;
  private final int missing;

  /**
   * @param finished samples that are kept
   * @param missing samples that are run
   */
  RetryStart(Time time, Content content, int finished, int missing) {
    this.time = time;
    this.content = content;
    this.finished = finished;
    this.missing = missing;
  }

  /** Seconds, from the journal of a killed run and from the log that it becomes. */
  Map<String, Double> measure(Path directory, long seed) throws IOException, InterruptedException {
    Files.createDirectories(directory);
    Path journal = killed(directory);
    Map<String, Double> seconds = new LinkedHashMap<>();
    try (var simulator = new Programs.Simulator("50ms", seed)) {
      seconds.put("journal", retry(directory, journal, simulator));
      seconds.put("eval", retry(directory, LogFiles.convert(journal), simulator));
    }
    return seconds;
  }

  private double retry(Path directory, Path log, Programs.Simulator simulator)
      throws IOException, InterruptedException {
    Counted.reset(simulator.address());
    var begun = time.instant();
    try (Watched retry =
        Watched.start(
            time,
            directory,
            "",
            List.of(
                "eval-retry",
                log.toString(),
                "--model-base-url",
                simulator.address().resolve("/v1").toString(),
                "--log-dir",
                // Each its own: a log that was gone on with is not retried once more.
                directory.resolve("retried-" + log.getFileName()).toString(),
                "--display",
                "none",
                "--json"))) {
      while (retry.look()) {
        // Until it ends.
      }
      Object counts = retry.result(directory).get("samples");
      boolean isWhole =
          counts instanceof Map<?, ?> by
              && by.get("scored") instanceof Number scored
              && scored.intValue() == finished + missing;
      Counted counted = Counted.at(simulator.address());
      if (!isWhole || counted.answers() != missing) {
        throw new IOException(
            "the retry of %s has %s samples and made %d calls"
                .formatted(log, counts, counted.answers()));
      }
      return Duration.between(begun, counted.firstRequest()).toNanos() / 1e9;
    }
  }

  /** The journal of a run that was killed before its last samples. */
  private Path killed(Path directory) throws IOException, InterruptedException {
    Path file = task(directory);
    var input = new TaskInput(Map.of(), Map.of(), TaskInput.NO_STDIN);
    TaskDefinition task = TaskSources.load(file.toString(), input).getFirst();
    List<Sample> samples = task.dataset().samples();
    Path logs = directory.resolve("killed");
    try (RunLog log = RunLog.begin(time, logs, start(task), JournalListener.NONE)) {
      for (int from = 0; from < finished; from += AT_ONCE) {
        append(log, samples, from, Math.min(from + AT_ONCE, finished));
      }
      return log.file();
    }
  }

  private void append(RunLog log, List<Sample> samples, int from, int to)
      throws InterruptedException {
    List<Task<?>> tasks = new ArrayList<>();
    for (int i = from; i < to; i++) {
      Sample sample = samples.get(i);
      var result = content.sample(i, sample.id(), sample.contentHash());
      tasks.add(
          time.start(
              "sample",
              () -> {
                log.append(result);
                return result;
              }));
    }
    for (Task<?> task : tasks) {
      task.join();
    }
  }

  private RunStart start(TaskDefinition task) {
    return new RunStart(
        "killed",
        "killed",
        task.name(),
        task.provenance().origin(),
        new DatasetRecord(
            task.name(),
            task.provenance().dataset(),
            SampleIds.ofTexts(task.dataset().samples().stream().map(Sample::id).toList()),
            false),
        task.provenance().solvers(),
        MODEL,
        Map.of(),
        1,
        1,
        "pace",
        100,
        task.scorers().stream().map(NamedScorer::name).toList(),
        Map.of(),
        List.of(),
        Map.of(),
        time.instant(),
        Optional.empty());
  }

  private Path task(Path directory) throws IOException {
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < finished + missing; i++) {
      lines.add(
          ("{\"id\":\"s%1$d\",\"input\":\"Question %1$d: what is %1$d plus %2$d? Answer with a"
                  + " number. [[target: %3$d]]\",\"target\":\"%3$d\"}")
              .formatted(i, i + 1, 2 * i + 1));
    }
    Files.write(directory.resolve("many.jsonl"), lines);
    return Files.writeString(
        directory.resolve("many.yaml"),
        """
        task: many
        dataset: many.jsonl
        solver: [generate]
        scorer: includes
        """);
  }
}
