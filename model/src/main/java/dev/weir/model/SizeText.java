package dev.weir.model;

import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Numbers of bytes as people write them: {@code 65536}, {@code 512KB}, {@code 64m}. */
public final class SizeText {

  /** What {@link #parse} understands, to complete a sentence that begins with "must be". */
  public static final String RULE = "a size such as 65536, 512KB, 64MB or 2GB";

  private static final Pattern SIZE = Pattern.compile("(\\d{1,12}) ?([KMGT]?)(?:I?B)?");

  private SizeText() {}

  /** Empty if the text is no size, or more than a number has room for. */
  public static Optional<Long> parse(String text) {
    Matcher matcher = SIZE.matcher(text.strip().toUpperCase(Locale.ROOT));
    if (!matcher.matches()) {
      return Optional.empty();
    }
    // As in the tools that such limits are handed to: each step is 1,024.
    int steps = " KMGT".indexOf(matcher.group(2).isEmpty() ? " " : matcher.group(2));
    long bytes = Long.parseLong(matcher.group(1));
    long largest = Long.MAX_VALUE >> (10 * steps);
    return bytes > largest ? Optional.empty() : Optional.of(bytes << (10 * steps));
  }

  /** The same in words: {@code 64 MB}. */
  public static String told(long bytes) {
    int steps = 0;
    for (long rest = bytes; rest > 0 && rest % 1024 == 0 && steps < 4; rest /= 1024) {
      steps++;
    }
    return "%d %s"
        .formatted(bytes >> (10 * steps), steps == 0 ? "bytes" : "KMGT".charAt(steps - 1) + "B");
  }
}
