package dev.weir.model.batch;

import dev.weir.limits.LimitKey;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;

/**
 * The name of a request by its content, the same in every process: 40 hexadecimal digits. With a
 * tag before it, it is still no longer than the 64 characters that both APIs take as a custom id.
 */
final class ContentKey {

  /** 160 bits: no two requests of any run will ever have the same. */
  private static final int LENGTH = 40;

  private ContentKey() {}

  /**
   * Who is asked what, and in which repetition. Not: on whose account, so that a run goes on under
   * a new credential.
   */
  static String of(LimitKey key, String endpoint, byte[] body, int epoch) {
    MessageDigest hash = sha256();
    for (String part : List.of(key.engine(), key.model(), endpoint)) {
      add(hash, part.getBytes(StandardCharsets.UTF_8));
    }
    add(hash, body);
    hash.update(ByteBuffer.allocate(Integer.BYTES).putInt(epoch).array());
    return HexFormat.of().formatHex(hash.digest());
  }

  /** Tells requests of the same content apart. */
  static String numbered(String content, int number) {
    MessageDigest hash = sha256();
    hash.update((content + " " + number).getBytes(StandardCharsets.UTF_8));
    return HexFormat.of().formatHex(hash.digest()).substring(0, LENGTH);
  }

  /** With its length, so that no two lists of parts come to the same. */
  private static void add(MessageDigest hash, byte[] part) {
    hash.update(ByteBuffer.allocate(Integer.BYTES).putInt(part.length).array());
    hash.update(part);
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException("every Java has SHA-256", impossible);
    }
  }
}
