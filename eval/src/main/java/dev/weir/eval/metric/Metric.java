package dev.weir.eval.metric;

import java.util.List;
import java.util.Map;

/** What the scores of all samples amount to. The cost grows in proportion to the samples. */
public interface Metric {

  /** What it is called in a task file and in results; unique among the metrics of a task. */
  String name();

  /**
   * One or more named numbers, in the order to show them. What the samples do not tell is absent,
   * not zero: no scores have no mean, and a single score says nothing of how it would vary.
   */
  Map<String, Double> compute(List<ScoredSample> samples);
}
