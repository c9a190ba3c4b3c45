package dev.weir.web;

import dev.weir.time.Time;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Base64;

/** A secret of 256 random bits. Immutable. */
public final class AccessToken {

  private static final int LONGS = 4;

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
