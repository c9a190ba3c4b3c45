package dev.weir.limits.header;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * Reads Gemini's quota ids, such as {@code GenerateContentInputTokensPerModelPerMinute-FreeTier}:
 * the only place where it says what ran out, as it sends no rate headers.
 */
final class QuotaViolations {

  private static final int MAX_VIOLATIONS = 16;
  private static final int MAX_ID_LENGTH = 256;

  private QuotaViolations() {}

  /** Which bucket ran out is a fact even where its limit is not told. */
  static List<QuotaSnapshot> quotas(BodyHints hints) {
    if (hints.violations().isEmpty()) {
      return List.of();
    }
    return hints.violations().stream()
        .limit(MAX_VIOLATIONS)
        .flatMap(violation -> quota(violation).stream())
        .toList();
  }

  private static Optional<QuotaSnapshot> quota(BodyHints.Violation violation) {
    if (violation.quotaId().length() > MAX_ID_LENGTH) {
      return Optional.empty();
    }
    String id = violation.quotaId().toLowerCase(Locale.ROOT);
    return dimension(id)
        .map(
            dimension ->
                new QuotaSnapshot(
                    dimension,
                    violation.quotaId(),
                    Numbers.count(violation.quotaValue()),
                    OptionalDouble.empty(),
                    Optional.empty(),
                    window(id),
                    1,
                    QuotaSnapshot.VIOLATION));
  }

  private static Optional<Dimension> dimension(String id) {
    if (id.contains("inputtoken")) {
      return Optional.of(Dimension.INPUT_TOKENS);
    }
    if (id.contains("outputtoken")) {
      return Optional.of(Dimension.OUTPUT_TOKENS);
    }
    if (id.contains("token")) {
      return Optional.of(Dimension.TOKENS);
    }
    return id.contains("request") ? Optional.of(Dimension.REQUESTS) : Optional.empty();
  }

  private static Optional<Duration> window(String id) {
    return Arrays.stream(Period.values())
        .filter(period -> id.contains("per" + period.word()))
        .map(Period::length)
        .findFirst();
  }
}
