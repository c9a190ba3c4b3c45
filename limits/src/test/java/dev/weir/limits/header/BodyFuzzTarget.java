package dev.weir.limits.header;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Any hints of a body give facts that hold together, whether headers say the same or not. Run by
 * the profile {@code fuzz}.
 */
public final class BodyFuzzTarget {

  private static final int MAX_VIOLATIONS = 24;

  private BodyFuzzTarget() {}

  /** The name is Jazzer's. */
  public static void fuzzerTestOneInput(byte[] bytes) {
    SoundFacts.check(read(bytes));
  }

  static ResponseFacts read(byte[] bytes) {
    var fuzzed = new FuzzedBytes(bytes);
    Optional<String> retryDelay = maybe(fuzzed, RealTexts.VALUES);
    Optional<String> errorType = maybe(fuzzed, RealTexts.ERROR_TYPES);
    Map<String, List<String>> headers =
        fuzzed.choice(4) == 0
            ? Map.of("x-ratelimit-limit-tokens", List.of(fuzzed.textLike(RealTexts.VALUES)))
            : Map.of();
    List<BodyHints.Violation> violations = new ArrayList<>();
    for (int left = fuzzed.choice(4) == 0 ? fuzzed.choice(MAX_VIOLATIONS) : 0; left > 0; left--) {
      violations.add(
          new BodyHints.Violation(
              fuzzed.textLike(RealTexts.QUOTA_IDS), fuzzed.textLike(RealTexts.VALUES)));
    }
    return ResponseFactsParser.parse(
        headers,
        new BodyHints(retryDelay, errorType, message(fuzzed), violations),
        Reading.NOW.plusSeconds(fuzzed.choice(256)));
  }

  /** Pieces of messages, one after the other: what makes sense of one must not trip another. */
  private static Optional<String> message(FuzzedBytes fuzzed) {
    int pieces = fuzzed.choice(6);
    if (pieces == 0) {
      return Optional.empty();
    }
    var message = new StringBuilder();
    for (int i = 0; i < pieces; i++) {
      message.append(fuzzed.textLike(RealTexts.MESSAGES)).append(fuzzed.choice(2) == 0 ? " " : "");
    }
    return Optional.of(message.toString());
  }

  private static Optional<String> maybe(FuzzedBytes fuzzed, List<String> realTexts) {
    return fuzzed.choice(3) == 0 ? Optional.empty() : Optional.of(fuzzed.textLike(realTexts));
  }
}
