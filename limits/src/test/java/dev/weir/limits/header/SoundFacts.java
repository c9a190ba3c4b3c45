package dev.weir.limits.header;

import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.OptionalDouble;

/** What holds for facts that were read from anything at all. */
final class SoundFacts {

  private static final int MAX_QUOTAS = 32;
  private static final int MAX_NAME_LENGTH = 4096;
  private static final double LARGEST_COUNT = 1e15;
  private static final Duration LONGEST = Duration.ofDays(30);

  private SoundFacts() {}

  static void check(ResponseFacts facts) {
    require(facts.quotas().size() <= MAX_QUOTAS, "too many quotas", facts.quotas().size());
    checkTime(facts.serverWait());
    checkTime(facts.windowEnd());
    facts.limitKind().ifPresent(SoundFacts::checkKind);
    facts.quotas().forEach(SoundFacts::check);
  }

  private static void check(QuotaSnapshot quota) {
    checkCount(quota.limit());
    checkCount(quota.remaining());
    checkTime(quota.reset().map(Reset::remaining));
    checkTime(quota.reset().map(Reset::slack));
    checkTime(quota.window());
    require(
        quota.remaining().orElse(0) <= quota.limit().orElse(Double.MAX_VALUE),
        "more remaining than the limit",
        quota);
    require(quota.resolution() >= 1 && quota.resolution() <= 1000, "absurd resolution", quota);
    require(
        !quota.name().isBlank() && quota.name().length() <= MAX_NAME_LENGTH, "absurd name", quota);
    require(!quota.source().isBlank(), "no source", quota);
  }

  private static void checkCount(OptionalDouble count) {
    double value = count.orElse(0);
    require(value >= 0 && value <= LARGEST_COUNT, "absurd count", value);
  }

  private static void checkTime(Optional<Duration> time) {
    Duration value = time.orElse(Duration.ZERO);
    require(!value.isNegative() && value.compareTo(LONGEST) <= 0, "absurd duration", value);
  }

  private static void checkKind(String kind) {
    require(
        kind.equals(ResponseFacts.CONCURRENCY)
            || Arrays.stream(Dimension.values()).anyMatch(known -> known.word().equals(kind)),
        "unknown kind",
        kind);
  }

  private static void require(boolean sound, String otherwise, Object what) {
    if (!sound) {
      throw new AssertionError(otherwise + ": " + what);
    }
  }
}
