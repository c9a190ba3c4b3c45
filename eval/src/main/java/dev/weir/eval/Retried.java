package dev.weir.eval;

import dev.weir.eval.dataset.Sample;
import dev.weir.eval.run.KeptSamples;
import dev.weir.log.RunLog;
import dev.weir.log.RunLogReader;
import dev.weir.log.RunStart;
import dev.weir.log.SampleResult;
import dev.weir.log.SampleSummary;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a run keeps of the log that it goes on with: samples that were finished, and ask what they
 * asked then. Thread-safe.
 *
 * @param log absolute
 * @param changed ids of samples that were finished, but ask something else now; the first few
 * @param run how many samples are run, each repetition counted
 */
record Retried(
    Path log, RunStart start, Map<Place, SampleSummary> finished, List<String> changed, long run) {

  private static final int MOST_SHOWN = 5;

  Retried {
    finished = Map.copyOf(finished);
    changed = List.copyOf(changed);
  }

  /** One repetition of a sample. */
  record Place(String id, int epoch) {}

  /** Reads what was finished; what is kept of it is known when the samples are. */
  static Retried read(Path log) throws IOException {
    try (var reader = RunLogReader.open(log)) {
      Map<Place, SampleSummary> finished = new HashMap<>();
      for (SampleSummary summary : reader.summaries()) {
        if (summary.hasFinished()) {
          finished.put(new Place(summary.id(), summary.epoch()), summary);
        }
      }
      return new Retried(log.toAbsolutePath().normalize(), reader.start(), finished, List.of(), 0);
    }
  }

  /** The part of it that these samples keep. */
  Retried of(List<Sample> samples, int epochs) {
    Map<Place, SampleSummary> kept = new HashMap<>();
    List<String> others = new ArrayList<>();
    for (Sample sample : samples) {
      String hash = sample.contentHash();
      for (int epoch = 1; epoch <= epochs; epoch++) {
        var place = new Place(sample.id(), epoch);
        SampleSummary summary = finished.get(place);
        if (summary == null) {
          continue;
        }
        // A log of another program does not tell what it asked: its ids must do.
        if (summary.contentHash().isEmpty() || summary.contentHash().equals(hash)) {
          kept.put(place, summary);
        } else if (others.size() < MOST_SHOWN && !others.contains(sample.id())) {
          others.add(sample.id());
        }
      }
    }
    return new Retried(log, start, kept, others, (long) samples.size() * epochs - kept.size());
  }

  KeptSamples kept() {
    return (sample, epoch) -> Optional.ofNullable(finished.get(new Place(sample.id(), epoch)));
  }

  /** What becomes of its samples, for people. */
  String told() {
    return "%s: %d finished samples are kept, %d are run%s"
        .formatted(
            log.getFileName(),
            finished.size(),
            run,
            changed.isEmpty()
                ? ""
                : ", some because they have changed: " + String.join(", ", changed));
  }

  /** Copies what is kept into the log that goes on. */
  void copyTo(RunLog to) throws IOException, InterruptedException {
    try (var from = RunLogReader.open(log)) {
      for (Optional<SampleResult> next = from.sample(); next.isPresent(); next = from.sample()) {
        SampleResult sample = next.get();
        if (sample.hasFinished() && finished.containsKey(new Place(sample.id(), sample.epoch()))) {
          to.copy(sample);
        }
      }
    }
    to.copied();
  }
}
