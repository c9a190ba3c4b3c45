package dev.weir.limits.header;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Whatever a server sends: no exception, and facts that hold together. */
class ResponseFactsFuzzTest {

  private static final int INPUTS = 200_000;
  private static final long FIRST_SEED = 20_261_021;

  private static final List<Map.Entry<String, List<String>>> REAL_HEADERS =
      ProviderHeadersTest.examples()
          .flatMap(example -> Reading.headers(example.headers()).entrySet().stream())
          .toList();

  private static final List<String> REAL_TEXTS =
      List.of(
          "17ms",
          "6m0s",
          "2m59.56s",
          "1h2m3s",
          "-1",
          "86400",
          "NaN",
          "1e308",
          "1792567740000",
          "2592000",
          "9999999999999999999999",
          "2026-10-21T07:28:01Z",
          "Wed, 21 Oct 2026 07:28:00 GMT",
          "Wednesday, 21-Oct-26 07:28:00 GMT",
          "Wed Oct 21 07:28:00 2026",
          "1000, 1000;w=1, 60000;w=60",
          "\"burst\";q=10;w=1,\"daily\";q=1000;w=86400",
          "\"burst\";r=5;t=1",
          "45.837906927s",
          "on tokens per min (TPM): Limit 15000, Used 11972, Requested 4351."
              + " Please try again in 5.289s.",
          "Concurrency limit reached for requests, limit: 25, please wait 2 minutes",
          "GenerateContentInputTokensPerModelPerMinute-FreeTier");

  private static final List<String> MORE_NAMES =
      List.of(
          "date",
          "retry-after",
          "retry-after-ms",
          "x-ms-retry-after-ms",
          "ratelimit",
          "ratelimit-policy",
          "ratelimit-limit",
          "ratelimit-remaining",
          "ratelimit-reset");

  @Test
  void anythingGivesFactsThatHoldTogether() {
    int withFacts = 0;
    for (long seed = FIRST_SEED; seed < FIRST_SEED + INPUTS; seed++) {
      Input input = Input.random(new SplittableRandom(seed));
      try {
        ResponseFacts facts =
            ResponseFactsParser.parse(input.headers(), input.hints(), input.now());
        check(facts);
        withFacts += facts.equals(ResponseFacts.NONE) ? 0 : 1;
      } catch (RuntimeException | AssertionError broken) {
        throw new AssertionError("seed " + seed + ": " + input, broken);
      }
    }
    // Else the inputs would be too far from real ones to test much.
    assertThat(withFacts).isGreaterThan(INPUTS / 4);
  }

  private static void check(ResponseFacts facts) {
    if (facts.quotas().size() > 32) {
      throw new AssertionError("too many quotas: " + facts.quotas().size());
    }
    facts.serverWait().ifPresent(ResponseFactsFuzzTest::check);
    for (QuotaSnapshot quota : facts.quotas()) {
      check(quota.limit());
      check(quota.remaining());
      quota.reset().ifPresent(ResponseFactsFuzzTest::check);
      quota.window().ifPresent(ResponseFactsFuzzTest::check);
      if (quota.remaining().orElse(0) > quota.limit().orElse(Double.MAX_VALUE)) {
        throw new AssertionError("more remaining than the limit: " + quota);
      }
    }
  }

  private static void check(OptionalDouble count) {
    if (!(count.orElse(0) >= 0 && count.orElse(0) <= 1e15)) {
      throw new AssertionError("absurd count " + count);
    }
  }

  private static void check(Duration duration) {
    if (duration.isNegative() || duration.compareTo(Duration.ofDays(30)) > 0) {
      throw new AssertionError("absurd duration " + duration);
    }
  }

  /** Real headers and bodies, damaged. */
  private record Input(Map<String, List<String>> headers, BodyHints hints, Instant now) {

    static Input random(SplittableRandom random) {
      Map<String, List<String>> headers = new HashMap<>();
      for (int i = random.nextInt(8); i > 0; i--) {
        Map.Entry<String, List<String>> real = pick(random, REAL_HEADERS);
        String name = random.nextInt(3) == 0 ? pick(random, MORE_NAMES) : real.getKey();
        String value =
            random.nextInt(3) == 0 ? pick(random, REAL_TEXTS) : real.getValue().getFirst();
        headers
            .computeIfAbsent(
                random.nextInt(10) == 0 ? damage(random, name) : name, _ -> new ArrayList<>())
            .add(random.nextBoolean() ? damage(random, value) : value);
      }
      BodyHints hints =
          new BodyHints(
              maybe(random),
              maybe(random),
              maybe(random),
              maybe(random)
                  .map(id -> List.of(new BodyHints.Violation(id, maybe(random).orElse(""))))
                  .orElse(List.of()));
      return new Input(headers, hints, Reading.NOW.plusSeconds(random.nextInt(-100, 100)));
    }

    private static Optional<String> maybe(SplittableRandom random) {
      return random.nextInt(3) == 0
          ? Optional.of(damage(random, pick(random, REAL_TEXTS)))
          : Optional.empty();
    }

    private static String damage(SplittableRandom random, String text) {
      StringBuilder damaged = new StringBuilder(text);
      for (int i = random.nextInt(4); i > 0; i--) {
        int at = random.nextInt(damaged.length() + 1);
        int to = Math.min(damaged.length(), at + random.nextInt(4));
        switch (random.nextInt(6)) {
          case 0 -> damaged.delete(at, to);
          case 1 -> damaged.insert(at, damaged.substring(at, to));
          case 2 -> damaged.insert(at, "0123456789.,;=\"\\-+:eE smhd".charAt(random.nextInt(26)));
          case 3 -> damaged.insert(at, pick(random, REAL_TEXTS));
          case 4 -> damaged.insert(at, (char) random.nextInt(Character.MAX_VALUE + 1));
          default -> damaged.insert(at, bytes(random));
        }
      }
      return damaged.toString();
    }

    private static String bytes(SplittableRandom random) {
      byte[] bytes = new byte[random.nextInt(random.nextInt(100) == 0 ? 6000 : 12)];
      random.nextBytes(bytes);
      return new String(bytes, StandardCharsets.ISO_8859_1);
    }

    private static <T> T pick(SplittableRandom random, List<T> list) {
      return list.get(random.nextInt(list.size()));
    }
  }
}
