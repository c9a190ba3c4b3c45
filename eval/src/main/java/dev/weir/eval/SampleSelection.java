package dev.weir.eval;

import dev.weir.eval.dataset.Dataset;
import dev.weir.eval.dataset.Sample;
import dev.weir.eval.option.RunOptions;
import dev.weir.eval.option.RunOptions.SampleOptions;
import dev.weir.model.ConfigurationException;
import dev.weir.model.Spelling;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.regex.Pattern;

/** Which samples of a dataset a run evaluates. */
final class SampleSelection {

  private SampleSelection() {}

  /** Only those with the ids, shuffled, and of these only the range; in that order. */
  static Dataset select(Dataset dataset, RunOptions options, long seed) {
    SampleOptions wanted = options.samples();
    List<Sample> samples = new ArrayList<>(dataset.samples());
    if (!wanted.ids().isEmpty()) {
      samples = withIds(samples, wanted.ids());
    }
    if (wanted.shuffle().isPresent() && !wanted.shuffle().get().equals("false")) {
      long chosen =
          wanted.shuffle().get().equals("true") ? seed : Long.parseLong(wanted.shuffle().get());
      Collections.shuffle(samples, new Random(chosen));
    }
    if (wanted.range().isPresent()) {
      int first = wanted.range().get().first() - 1;
      if (first >= samples.size()) {
        throw new ConfigurationException(
            "--limit begins at sample %d, but there are only %d"
                .formatted(first + 1, samples.size()));
      }
      samples = samples.subList(first, Math.min(samples.size(), wanted.range().get().last()));
    }
    if (samples.isEmpty()) {
      throw new ConfigurationException("there is no sample to run");
    }
    return new Dataset(samples);
  }

  private static List<Sample> withIds(List<Sample> samples, List<String> ids) {
    List<Sample> found = new ArrayList<>();
    List<Pattern> patterns = ids.stream().map(SampleSelection::pattern).toList();
    boolean[] used = new boolean[ids.size()];
    for (Sample sample : samples) {
      boolean isWanted = false;
      for (int i = 0; i < patterns.size(); i++) {
        if (patterns.get(i).matcher(sample.id()).matches()) {
          used[i] = true;
          isWanted = true;
        }
      }
      if (isWanted) {
        found.add(sample);
      }
    }
    for (int i = 0; i < used.length; i++) {
      if (!used[i]) {
        throw new ConfigurationException(
            "there is no sample with the id '%s'%s"
                .formatted(
                    ids.get(i),
                    Spelling.hint(ids.get(i), samples.stream().map(Sample::id).toList())));
      }
    }
    return found;
  }

  private static Pattern pattern(String id) {
    return Pattern.compile(
        String.join(".*", List.of(id.split("\\*", -1)).stream().map(Pattern::quote).toList()),
        Pattern.DOTALL);
  }
}
