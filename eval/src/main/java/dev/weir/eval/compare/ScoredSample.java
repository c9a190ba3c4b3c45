package dev.weir.eval.compare;

import dev.weir.eval.compare.LogComparison.Failures;
import dev.weir.log.Asked;
import dev.weir.log.SampleSummary;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** The epochs of a sample in one log. Not thread-safe. */
final class ScoredSample {

  private final String contentHash;
  private final Asked asked;
  private final Map<String, double[]> sums = new HashMap<>();
  private int failed;

  ScoredSample(String contentHash, Asked asked) {
    this.contentHash = contentHash;
    this.asked = asked;
  }

  void add(SampleSummary epoch) {
    if (epoch.failed()) {
      failed++;
    }
    if (!epoch.hasFinished()) {
      return;
    }
    epoch
        .scores()
        .forEach(
            (scorer, score) -> {
              if (Double.isFinite(score)) {
                double[] sum = sums.computeIfAbsent(scorer, _ -> new double[2]);
                sum[0] += score;
                sum[1]++;
              }
            });
  }

  /** The mean over its epochs; absent if it has no score. */
  Optional<Double> score(String scorer, Failures failures) {
    double[] sum = sums.getOrDefault(scorer, new double[2]);
    double count = sum[1] + (failures == Failures.ZERO ? failed : 0);
    return count == 0 ? Optional.empty() : Optional.of(sum[0] / count);
  }

  /** Whether both may ask the same: by the hash of all content where both logs have it. */
  boolean asksTheSame(ScoredSample other) {
    boolean isHashed = !contentHash.isEmpty() && !other.contentHash.isEmpty();
    return isHashed ? contentHash.equals(other.contentHash) : asked.mayBe(other.asked);
  }
}
