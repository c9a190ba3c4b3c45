package dev.weir.eval.dataset;

import dev.weir.model.ConfigurationException;
import dev.weir.model.Spelling;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Which samples of a source a dataset has.
 *
 * @param ids only these; {@code *} stands for any text; all if empty
 * @param shuffle the seed to shuffle by, if at all
 * @param first the first to take, from 1
 * @param last the last to take
 */
public record Selection(List<String> ids, Optional<Long> shuffle, int first, int last) {

  public static final Selection ALL =
      new Selection(List.of(), Optional.empty(), 1, Integer.MAX_VALUE);

  public Selection {
    ids = List.copyOf(ids);
    if (first < 1 || last < first) {
      throw new IllegalArgumentException(
          "`last` must be >= `first` >= 1, were %s and %s".formatted(last, first));
    }
  }

  /**
   * Only those with the ids, shuffled, and of these only the range; in that order.
   *
   * @throws ConfigurationException if an id is not there, or none is left
   */
  public Dataset of(Dataset dataset) {
    if (equals(ALL)) {
      return dataset;
    }
    List<Sample> samples = new ArrayList<>(dataset.samples());
    if (!ids.isEmpty()) {
      requireIds(samples);
      Pattern wanted =
          Pattern.compile(
              ids.stream().map(Selection::pattern).collect(Collectors.joining("|")),
              Pattern.DOTALL);
      samples.removeIf(sample -> !wanted.matcher(sample.id()).matches());
    }
    shuffle.ifPresent(seed -> Collections.shuffle(samples, new Random(seed)));
    if (first > samples.size()) {
      throw new ConfigurationException(
          "the limit begins at sample %s, but there are only %s".formatted(first, samples.size()));
    }
    return dataset.with(samples.subList(first - 1, Math.min(samples.size(), last)));
  }

  private void requireIds(List<Sample> samples) {
    for (String id : ids) {
      Pattern pattern = Pattern.compile(pattern(id), Pattern.DOTALL);
      if (samples.stream().noneMatch(sample -> pattern.matcher(sample.id()).matches())) {
        throw new ConfigurationException(
            "there is no sample with the id '%s'%s".formatted(id, hint(id, samples)));
      }
    }
  }

  /** All of a hundred thousand ids would help nobody. */
  private static String hint(String id, List<Sample> samples) {
    List<String> known = samples.stream().map(Sample::id).toList();
    return known.size() > 100
        ? Spelling.nearest(id, known).map("; did you mean '%s'?"::formatted).orElse("")
        : Spelling.hint(id, known);
  }

  private static String pattern(String id) {
    return Stream.of(id.split("\\*", -1)).map(Pattern::quote).collect(Collectors.joining(".*"));
  }
}
