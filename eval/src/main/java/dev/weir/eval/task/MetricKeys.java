package dev.weir.eval.task;

import dev.weir.eval.dataset.Dataset;
import dev.weir.eval.dataset.Sample;
import dev.weir.eval.metric.Metric;
import dev.weir.eval.metric.Metrics;
import dev.weir.model.ConfigurationException;
import dev.weir.model.Printable;
import dev.weir.model.Spelling;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Whether samples have the keys of the metadata that metrics look at. A mistyped cluster would
 * leave each sample a cluster of its own: an interval that is too narrow, with nothing to see.
 */
final class MetricKeys {

  private MetricKeys() {}

  /**
   * @param selected those of the task's samples that are to run
   * @return of which keys some of them have none, for people
   * @throws ConfigurationException if no sample of the task has one
   */
  static List<String> check(TaskDefinition task, Dataset selected) {
    List<String> warnings = new ArrayList<>();
    Set<String> looked = new HashSet<>();
    for (int i = 0; i < task.scorers().size(); i++) {
      List<Metric> metrics = task.scorers().get(i).metrics();
      for (int j = 0; j < metrics.size(); j++) {
        Metric metric = metrics.get(j);
        for (String key : new TreeSet<>(Metrics.keys(List.of(metric)))) {
          if (!looked.add(key)) {
            continue;
          }
          if (lacking(task.dataset(), key) == task.dataset().samples().size()) {
            throw Places.at(
                task.places().ofMetric(i, j), task.name(), unknown(metric, key, task.dataset()));
          }
          long lacking = lacking(selected, key);
          if (lacking > 0) {
            warnings.add(
                "%s: %d of %d samples have no `%s` in their metadata; to the metric '%s' %s"
                    .formatted(
                        task.name(),
                        lacking,
                        selected.samples().size(),
                        Printable.line(key),
                        metric.name(),
                        Metrics.cluster(List.of(metric)).isPresent()
                            ? "each is a cluster of its own"
                            : "they are a group of their own"));
          }
        }
      }
    }
    return warnings;
  }

  private static long lacking(Dataset dataset, String key) {
    return dataset.samples().stream().filter(sample -> sample.metadata().get(key) == null).count();
  }

  private static ConfigurationException unknown(Metric metric, String key, Dataset dataset) {
    Set<String> known = new TreeSet<>();
    for (Sample sample : dataset.samples()) {
      known.addAll(sample.metadata().keySet());
    }
    return new ConfigurationException(
        "the metric '%s' looks at `%s`, which no sample has in its metadata%s"
            .formatted(
                metric.name(),
                Printable.line(key),
                known.isEmpty()
                    ? ", as no other key; a column of the dataset is one if `fields` takes it for"
                        + " `metadata`"
                    : Spelling.withAll("There are", key, known)));
  }
}
