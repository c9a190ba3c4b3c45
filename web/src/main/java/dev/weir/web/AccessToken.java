package dev.weir.web;

import dev.weir.time.Time;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.Optional;
import java.util.regex.Pattern;

/** A secret: 256 random bits, or what was configured. Immutable. */
public final class AccessToken {

  private static final int LONGS = 4;
  private static final Pattern WORD = Pattern.compile("[!-~]{32,1024}");

  private final byte[] word;

  private AccessToken(String word) {
    this.word = word.getBytes(StandardCharsets.US_ASCII);
  }

  /**
   * @param time the system's, whose seeds nobody can predict
   */
  public static AccessToken fresh(Time time) {
    var bits = ByteBuffer.allocate(LONGS * Long.BYTES);
    for (int i = 0; i < LONGS; i++) {
      bits.putLong(time.freshSeed());
    }
    return new AccessToken(Base64.getUrlEncoder().withoutPadding().encodeToString(bits.array()));
  }

  /**
   * One that was agreed on elsewhere.
   *
   * @return empty if it is too short, or has other signs than a header can have in one word
   */
  public static Optional<AccessToken> of(String word) {
    return WORD.matcher(word).matches() ? Optional.of(new AccessToken(word)) : Optional.empty();
  }

  /** Whether that is the secret; takes the same time wherever it differs. */
  public boolean isSame(String given) {
    return MessageDigest.isEqual(word, given.getBytes(StandardCharsets.UTF_8));
  }

  /** The secret, to be shown once. */
  public String reveal() {
    return new String(word, StandardCharsets.US_ASCII);
  }

  @Override
  public String toString() {
    return "AccessToken[…]";
  }
}
