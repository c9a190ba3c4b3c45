package dev.weir.log;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;

/**
 * What a sample of another program's log asked, as far as its summary tells: enough to see that it
 * is another question now. Weir's own logs have a hash of all of it.
 *
 * @param input a short text for the question; empty if the log does not tell
 * @param targets a short text for what was measured by, likewise
 */
public record Asked(String input, String targets) {

  public static final Asked NOT_TOLD = new Asked("", "");

  /** Summaries cut what is longer, some of them earlier than others. */
  private static final int COMPARED = 1_000;

  private static final int BYTES = 8;

  public static Asked of(String input, List<String> targets) {
    return new Asked(input(input), targets(targets));
  }

  static String input(String text) {
    return hash(List.of(text));
  }

  static String targets(List<String> targets) {
    return hash(targets);
  }

  /** Whether both may ask the same: what one of them does not tell does not count. */
  public boolean mayBe(Asked other) {
    return isSame(input, other.input) && isSame(targets, other.targets);
  }

  private static boolean isSame(String one, String other) {
    return one.isEmpty() || other.isEmpty() || one.equals(other);
  }

  private static String hash(List<String> texts) {
    try {
      var digest = MessageDigest.getInstance("SHA-256");
      for (String text : texts) {
        String compared = text.substring(0, Math.min(text.length(), COMPARED)).strip();
        digest.update(compared.getBytes(StandardCharsets.UTF_8));
        digest.update((byte) 0);
      }
      return HexFormat.of().formatHex(digest.digest(), 0, BYTES);
    } catch (NoSuchAlgorithmException missing) {
      throw new IllegalStateException("each Java has SHA-256", missing);
    }
  }
}
