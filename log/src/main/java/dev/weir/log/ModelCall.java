package dev.weir.log;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A model was asked while a sample ran.
 *
 * @param at when it was asked
 * @param working how many seconds the sample had worked by then; waiting is not work
 * @param role {@code evaluated}, {@code grader}
 * @param input which messages it was shown; counted through those of the conversation and then the
 *     other messages of the sample
 * @param answer which message it answered with, counted in the same way; absent if it did not
 * @param stopReason why the answer ended
 * @param terms what it was asked with, besides the conversation
 * @param retries attempts beyond the first
 * @param times where the time of the call went
 * @param cached whether the answer came from a cache
 * @param requestId the provider's name for the exchange
 * @param error why there is no answer; also if it was cut off before there was one
 */
public record ModelCall(
    Instant at,
    double working,
    String model,
    String role,
    List<Span> input,
    Optional<Integer> answer,
    Optional<String> stopReason,
    CallTerms terms,
    Tokens tokens,
    Cost cost,
    long retries,
    Times times,
    boolean cached,
    Optional<String> requestId,
    Optional<String> error) {

  /** The role of the model that is evaluated. */
  public static final String EVALUATED = "evaluated";

  public ModelCall {
    input = List.copyOf(input);
  }

  /** Whether it was the model that is evaluated. */
  boolean isEvaluated() {
    return role.equals(EVALUATED);
  }

  /**
   * Messages that follow each other.
   *
   * @param from the first of them
   * @param to the one after the last
   */
  public record Span(int from, int to) {}
}
