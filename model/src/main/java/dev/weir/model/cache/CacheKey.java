package dev.weir.model.cache;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.regex.Pattern;

/**
 * What an entry is found by.
 *
 * @param hex the SHA-256 of all that shapes the answer, in 64 small hexadecimal digits
 */
public record CacheKey(String hex) {

  private static final Pattern FORM = Pattern.compile("[0-9a-f]{64}");

  public CacheKey {
    if (!FORM.matcher(hex).matches()) {
      throw new IllegalArgumentException(
          "`hex` must be 64 small hexadecimal digits, was '%s'".formatted(hex));
    }
  }

  /**
   * @param canonical all that shapes the answer, always written in the same way
   */
  public static CacheKey of(byte[] canonical) {
    return new CacheKey(sha256(canonical));
  }

  static String sha256(byte[] bytes) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException impossible) {
      throw new AssertionError("every Java has SHA-256", impossible);
    }
  }
}
