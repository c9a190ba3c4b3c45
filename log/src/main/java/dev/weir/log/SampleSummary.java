package dev.weir.log;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What must be known of a sample to count it, and to decide whether it is run again.
 *
 * @param epoch which repetition it was, from 1
 * @param contentHash of what it asked; empty if another program wrote the log
 * @param asked what is known of that then
 * @param scores by scorer
 * @param failed whether it ended with an error
 * @param cancelled whether it was ended by somebody before it had finished
 * @param errorRetries how often it had failed before
 */
public record SampleSummary(
    String id,
    int epoch,
    String contentHash,
    Asked asked,
    Map<String, Double> scores,
    boolean failed,
    boolean cancelled,
    int errorRetries,
    Tokens tokens,
    Cost cost,
    Times times) {

  public SampleSummary {
    // There may be hundreds of thousands of summaries, most of them with one score.
    scores =
        scores.size() <= 1
            ? Map.copyOf(scores)
            : Collections.unmodifiableMap(new LinkedHashMap<>(scores));
  }

  static SampleSummary of(SampleResult sample) {
    Map<String, Double> scores = new LinkedHashMap<>();
    sample.scores().forEach((scorer, score) -> scores.put(scorer, score.value()));
    return new SampleSummary(
        sample.id(),
        sample.epoch(),
        sample.contentHash(),
        sample.contentHash().isEmpty()
            ? Asked.of(sample.input(), sample.targets())
            : Asked.NOT_TOLD,
        scores,
        sample.error().isPresent(),
        sample.cancelled(),
        sample.errorRetries().size(),
        sample.tokens(),
        sample.cost(),
        sample.times());
  }

  /** The same, known to ask this. */
  public SampleSummary withContentHash(String hash) {
    return hash.equals(contentHash)
        ? this
        : new SampleSummary(
            id, epoch, hash, asked, scores, failed, cancelled, errorRetries, tokens, cost, times);
  }

  /** Whether it need not be run again. */
  public boolean hasFinished() {
    return !failed && !cancelled;
  }
}
