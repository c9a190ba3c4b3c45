package dev.weir.eval.promptfoo;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * An assertion with what it says.
 *
 * @param weight 0 if it is only to be seen
 * @param metric what its score is also counted as
 */
record Graded(String type, double weight, Optional<String> metric, Verdict verdict) {

  /**
   * What several assertions amount to: the weighted mean of their scores. All must pass; if there
   * is a threshold, the mean must reach it instead.
   */
  static Verdict together(List<Graded> parts, OptionalDouble threshold) {
    if (parts.isEmpty()) {
      return Verdict.of(true, 1, "no assertions");
    }
    double weights = parts.stream().mapToDouble(Graded::weight).sum();
    double sum = parts.stream().mapToDouble(part -> part.weight() * part.verdict().score()).sum();
    double score = weights > 0 ? sum / weights : 0;
    Optional<Graded> failed = parts.stream().filter(part -> !part.verdict().pass()).findFirst();
    // The sum of many fractions may miss a threshold by a hair.
    boolean pass =
        threshold.isPresent() ? score >= threshold.getAsDouble() - 1e-9 : failed.isEmpty();
    String reason =
        pass
            ? "all assertions passed"
            : failed
                .map(part -> "%s: %s".formatted(part.type(), part.verdict().reason()))
                .orElse(String.format(Locale.ROOT, "the score %.4g is below the threshold", score));
    return new Verdict(
        pass,
        score,
        pass && failed.isPresent() ? "the score reaches the threshold" : reason,
        parts,
        !pass && parts.stream().anyMatch(part -> part.verdict().isFirm()));
  }

  /** The means of what is counted under a name of its own. */
  static Map<String, Double> namedScores(List<Graded> parts) {
    Map<String, List<Graded>> named = new LinkedHashMap<>();
    collect(parts, named);
    Map<String, Double> means = new LinkedHashMap<>();
    named.forEach(
        (name, graded) ->
            means.put(
                name,
                graded.stream().mapToDouble(one -> one.verdict().score()).average().orElse(0)));
    return means;
  }

  private static void collect(List<Graded> parts, Map<String, List<Graded>> named) {
    for (Graded part : parts) {
      part.metric()
          .ifPresent(name -> named.computeIfAbsent(name, _ -> new ArrayList<>()).add(part));
      collect(part.verdict().parts(), named);
    }
  }

  /** All assertions of a test, and what they amount to. */
  record Sum(Verdict verdict, List<Graded> parts) {}

  /** For the log. */
  Map<String, Object> record() {
    Map<String, Object> record = new LinkedHashMap<>();
    record.put("type", type);
    record.put("pass", verdict.pass());
    record.put("score", verdict.score());
    if (weight != 1) {
      record.put("weight", weight);
    }
    metric.ifPresent(name -> record.put("metric", name));
    if (!verdict.reason().isEmpty()) {
      record.put("reason", verdict.reason());
    }
    if (!verdict.parts().isEmpty()) {
      record.put("assertions", verdict.parts().stream().map(Graded::record).toList());
    }
    return record;
  }
}
