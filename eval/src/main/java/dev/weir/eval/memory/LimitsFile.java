package dev.weir.eval.memory;

import dev.weir.limits.pace.PaceMemory;
import dev.weir.model.Printable;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * The text of a file of learned limits.
 *
 * <pre>
 *   weir-limits 1
 *   scope openai@3f9a0c51d2e7/gpt-4o
 *   model openai/gpt-4o
 *   host api.openai.com
 *   weir-pace version=1 learned=1791806400000 requests_per_second=8.25 cap=40
 *   crc32c 9d0e3a51
 * </pre>
 *
 * <p>The checksum is over all bytes before its line, so a file that was cut off or altered is never
 * taken for one with other numbers.
 */
final class LimitsFile {

  /** The ending of a file name. */
  static final String ENDING = ".limits";

  /** More than any that is written. */
  static final int MOST_BYTES = 8_192;

  private static final String FORMAT = "weir-limits";
  private static final String FIRST_LINE = FORMAT + " 1";
  private static final String SCOPE = "scope ";
  private static final String MODEL = "model ";
  private static final String HOST = "host ";
  private static final String CHECKSUM = "crc32c ";
  private static final int LINES = 6;
  private static final int NAME_BYTES = 16;

  private LimitsFile() {}

  /** The text is not what {@link #encode} writes. */
  static final class UnusableException extends Exception {

    private static final long serialVersionUID = 1;

    UnusableException(String why) {
      super(why);
    }
  }

  /** The name of the file of a scope, which reveals nothing. */
  static String name(String scope) {
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256").digest(scope.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(hash, 0, NAME_BYTES) + ENDING;
    } catch (NoSuchAlgorithmException missing) {
      throw new IllegalStateException("every Java has SHA-256", missing);
    }
  }

  static byte[] encode(LearnedLimits limits) {
    String body =
        String.join(
            "\n",
            FIRST_LINE,
            SCOPE + limits.scope(),
            MODEL + limits.model(),
            HOST + limits.host(),
            limits.memory().encode(),
            "");
    return (body + CHECKSUM + checksum(body) + "\n").getBytes(StandardCharsets.UTF_8);
  }

  /**
   * Reads what {@link #encode} wrote.
   *
   * @throws UnusableException if it is anything else
   */
  static LearnedLimits parse(byte[] bytes) throws UnusableException {
    String text = text(bytes);
    if (!text.startsWith(FIRST_LINE + "\n")) {
      throw new UnusableException(
          text.startsWith(FORMAT + " ")
              ? "was written by another version of Weir"
              : "is not a file of learned limits");
    }
    List<String> lines = text.lines().toList();
    int end = text.lastIndexOf(CHECKSUM);
    if (lines.size() != LINES
        || end < 0
        || !text.substring(end).equals(CHECKSUM + checksum(text.substring(0, end)) + "\n")) {
      throw new UnusableException("is damaged (checksum mismatch)");
    }
    String scope = value(lines.get(1), SCOPE);
    String model = value(lines.get(2), MODEL);
    String host = value(lines.get(3), HOST);
    PaceMemory memory =
        PaceMemory.parse(lines.get(4))
            .orElseThrow(() -> new UnusableException("was written by another version of Weir"));
    try {
      return new LearnedLimits(scope, model, host, memory);
    } catch (IllegalArgumentException malformed) {
      throw new UnusableException("is damaged (" + malformed.getMessage() + ")");
    }
  }

  private static String text(byte[] bytes) throws UnusableException {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException malformed) {
      throw new UnusableException("is not a file of learned limits");
    }
  }

  private static String value(String line, String name) throws UnusableException {
    if (!line.startsWith(name)) {
      throw new UnusableException(
          "is damaged (expected '%s', found '%s')".formatted(name.strip(), Printable.line(line)));
    }
    return line.substring(name.length());
  }

  private static String checksum(String body) {
    var sum = new CRC32C();
    sum.update(body.getBytes(StandardCharsets.UTF_8));
    return HexFormat.of().toHexDigits((int) sum.getValue());
  }
}
