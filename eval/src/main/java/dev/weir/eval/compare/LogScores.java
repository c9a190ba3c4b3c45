package dev.weir.eval.compare;

import dev.weir.eval.compare.LogComparison.ComparedLog;
import dev.weir.log.Asked;
import dev.weir.log.LogFiles;
import dev.weir.log.RunLogReader;
import dev.weir.log.SamplePlace;
import dev.weir.log.SampleSummary;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The scores of a log.
 *
 * @param scorers of which there are scores, those of the run first
 * @param samples by id, in the order of the dataset
 */
record LogScores(
    ComparedLog log, List<String> scorers, Map<String, ScoredSample> samples, List<String> damage) {

  /**
   * Whether some of the logs have hashes of what was asked, and others, of other programs, do not:
   * their texts have to be compared then.
   */
  static boolean haveDifferentHashes(List<Path> logs) throws IOException {
    Set<Boolean> hashed = new HashSet<>();
    for (Path log : logs) {
      try (var reader = RunLogReader.open(log)) {
        reader.summaries().forEach(sample -> hashed.add(!sample.contentHash().isEmpty()));
      }
    }
    return hashed.size() > 1;
  }

  /**
   * Reads a log.
   *
   * @param comparesText whether texts are to be compared, and samples to be read for them
   */
  static LogScores read(Path file, boolean comparesText) throws IOException {
    try (var reader = RunLogReader.open(file)) {
      Map<SamplePlace, SampleSummary> last = new LinkedHashMap<>();
      reader.summaries().forEach(sample -> last.put(SamplePlace.of(sample), sample));
      Map<String, Asked> texts = comparesText ? texts(file) : Map.of();
      Map<String, ScoredSample> samples = new LinkedHashMap<>();
      Set<String> scored = new LinkedHashSet<>();
      for (SampleSummary sample : inOrder(reader, last)) {
        samples
            .computeIfAbsent(
                sample.id(),
                id ->
                    new ScoredSample(sample.contentHash(), texts.getOrDefault(id, sample.asked())))
            .add(sample);
        scored.addAll(sample.scores().keySet());
      }
      Set<String> scorers = new LinkedHashSet<>(reader.start().scorers());
      scorers.retainAll(scored);
      scorers.addAll(scored);
      return new LogScores(
          new ComparedLog(file, reader.start(), LogFiles.result(file)),
          List.copyOf(scorers),
          samples,
          reader.damage());
    }
  }

  private static List<SampleSummary> inOrder(
      RunLogReader reader, Map<SamplePlace, SampleSummary> samples) {
    Map<String, List<SampleSummary>> byId = new LinkedHashMap<>();
    reader.start().dataset().sampleIds().texts().forEach(id -> byId.put(id, new ArrayList<>()));
    samples
        .values()
        .forEach(sample -> byId.computeIfAbsent(sample.id(), _ -> new ArrayList<>()).add(sample));
    return byId.values().stream().flatMap(List::stream).toList();
  }

  /** What each sample asks, as far as logs of other programs tell it. */
  private static Map<String, Asked> texts(Path file) throws IOException {
    Map<String, Asked> texts = new HashMap<>();
    try (var reader = RunLogReader.open(file)) {
      for (var next = reader.sample(); next.isPresent(); next = reader.sample()) {
        // What another program wrote is known from its summary, in the form that it has there.
        if (!next.get().contentHash().isEmpty()) {
          texts.put(next.get().id(), Asked.of(next.get().input(), next.get().targets()));
        }
      }
    }
    return texts;
  }
}
