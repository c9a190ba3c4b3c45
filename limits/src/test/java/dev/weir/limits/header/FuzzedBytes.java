package dev.weir.limits.header;

import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * The bytes of a fuzzer, as a sequence of choices. When they run out every further choice is the
 * first one, so that each array of bytes is an input.
 *
 * <p>Written by hand, so that targets compile without the fuzzer. Not thread-safe.
 */
final class FuzzedBytes {

  private final byte[] bytes;
  private int at;

  FuzzedBytes(byte[] bytes) {
    this.bytes = bytes;
  }

  boolean isEmpty() {
    return at >= bytes.length;
  }

  /** From 0 to {@code bound - 1}; the bound is at most 256. */
  int choice(int bound) {
    return isEmpty() ? 0 : (bytes[at++] & 0xff) % bound;
  }

  <T> T pick(List<T> list) {
    return list.get(choice(list.size()));
  }

  /** Latin-1 mostly, as headers are, and UTF-16 at times; of up to 63 bytes or all that is left. */
  String text() {
    int shape = choice(256);
    int rest = bytes.length - at;
    int length = shape >= 250 ? rest : Math.min(rest, shape & 63);
    String text =
        new String(
            bytes,
            at,
            length,
            (shape & 64) == 0 ? StandardCharsets.ISO_8859_1 : StandardCharsets.UTF_16BE);
    at += length;
    return text;
  }

  /** A real text, as it is or with a text put somewhere into it, or a text of the fuzzer's. */
  String textLike(List<String> realTexts) {
    return switch (choice(4)) {
      case 0 -> text();
      case 1 -> pick(realTexts);
      default -> {
        String real = pick(realTexts);
        int from = Math.min(choice(256), real.length());
        int to = Math.min(from + choice(8), real.length());
        yield real.substring(0, from) + text() + real.substring(to);
      }
    };
  }
}
