package dev.weir.limits.header;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.Stream;
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
      Stream.of(RealTexts.VALUES, RealTexts.MESSAGES, RealTexts.QUOTA_IDS)
          .flatMap(List::stream)
          .toList();

  @Test
  void anythingGivesFactsThatHoldTogether() {
    int withFacts = 0;
    for (long seed = FIRST_SEED; seed < FIRST_SEED + INPUTS; seed++) {
      Input input = Input.random(new SplittableRandom(seed));
      try {
        ResponseFacts facts =
            ResponseFactsParser.parse(input.headers(), input.hints(), input.now());
        SoundFacts.check(facts);
        withFacts += facts.equals(ResponseFacts.NONE) ? 0 : 1;
      } catch (RuntimeException | AssertionError broken) {
        throw new AssertionError("seed " + seed + ": " + input, broken);
      }
    }
    // Else the inputs would be too far from real ones to test much.
    assertThat(withFacts).isGreaterThan(INPUTS / 4);
  }

  /** Real headers and bodies, damaged. */
  private record Input(Map<String, List<String>> headers, BodyHints hints, Instant now) {

    static Input random(SplittableRandom random) {
      Map<String, List<String>> headers = new HashMap<>();
      for (int i = random.nextInt(8); i > 0; i--) {
        Map.Entry<String, List<String>> real = pick(random, REAL_HEADERS);
        String name = random.nextInt(3) == 0 ? pick(random, RealTexts.NAMES) : real.getKey();
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
