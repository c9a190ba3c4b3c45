package dev.weir.model.batch;

import dev.weir.limits.LimitKey;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;

/**
 * The name of a request by its content, the same in every process: 64 hexadecimal digits, which is
 * what both APIs take as a custom id.
 */
final class ContentKey {

  private ContentKey() {}

  /** Who is asked what, and in which repetition. */
  static String of(LimitKey key, String endpoint, byte[] body, int epoch) {
    MessageDigest hash = sha256();
    for (String part : List.of(key.engine(), key.account(), key.model(), endpoint)) {
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
    return HexFormat.of().formatHex(hash.digest());
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
