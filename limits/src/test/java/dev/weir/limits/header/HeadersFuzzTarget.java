package dev.weir.limits.header;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Any headers at all give facts that hold together. Run by the profile {@code fuzz}. */
public final class HeadersFuzzTarget {

  /** So that lists with too many lines and texts that are too long are met, and no more. */
  private static final int MAX_LINES = 64;

  private static final List<String> NAMES =
      Stream.concat(
              RealTexts.NAMES.stream(),
              ProviderHeadersTest.examples()
                  .flatMap(example -> Reading.headers(example.headers()).keySet().stream()))
          .distinct()
          .toList();

  private static final List<String> VALUES =
      Stream.concat(
              RealTexts.VALUES.stream(),
              ProviderHeadersTest.examples()
                  .flatMap(
                      example ->
                          Reading.headers(example.headers()).values().stream()
                              .flatMap(List::stream)))
          .distinct()
          .limit(256)
          .toList();

  private HeadersFuzzTarget() {}

  /** The name is Jazzer's. */
  public static void fuzzerTestOneInput(byte[] bytes) {
    SoundFacts.check(read(bytes));
  }

  static ResponseFacts read(byte[] bytes) {
    var fuzzed = new FuzzedBytes(bytes);
    Map<String, List<String>> headers = new HashMap<>();
    for (int line = 0; line < MAX_LINES && !fuzzed.isEmpty(); line++) {
      String name =
          fuzzed.choice(8) == 0
              ? fuzzed.pick(RealTexts.PREFIXES) + fuzzed.textLike(RealTexts.BUCKETS)
              : fuzzed.pick(NAMES);
      headers.computeIfAbsent(name, _ -> new ArrayList<>()).add(fuzzed.textLike(VALUES));
    }
    return ResponseFactsParser.parse(headers, BodyHints.NONE, Reading.NOW);
  }
}
