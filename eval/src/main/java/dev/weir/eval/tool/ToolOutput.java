package dev.weir.eval.tool;

import dev.weir.eval.component.Arguments;
import dev.weir.eval.component.Parameter;
import java.time.Duration;
import java.util.Locale;

/** How much, and for how long, tools may say. */
final class ToolOutput {

  /** The published limit of Inspect for what a tool says: 16 KiB. */
  static final int DEFAULT_LIMIT = 16 << 10;

  static final Parameter LIMIT =
      Parameter.optional(
          "max_output",
          Parameter.Kind.WHOLE,
          "characters that the model is shown at most, from the beginning and the end (%d)"
              .formatted(DEFAULT_LIMIT));

  private static final int LOWEST_LIMIT = 100;
  private static final double SHORTEST_SECONDS = 0.001;
  private static final double LONGEST_SECONDS = 86_400;

  private ToolOutput() {}

  static Parameter timeoutParameter(Duration otherwise) {
    return Parameter.optional(
        "timeout",
        Parameter.Kind.NUMBER,
        "seconds that a call may take (%d)".formatted(otherwise.toSeconds()));
  }

  static Duration timeout(Arguments arguments, Duration otherwise) {
    return arguments
        .number("timeout", SHORTEST_SECONDS, LONGEST_SECONDS)
        .map(seconds -> Duration.ofNanos(Math.round(seconds * 1e9)))
        .orElse(otherwise);
  }

  static int limit(Arguments arguments) {
    return arguments.whole("max_output", LOWEST_LIMIT).orElse(DEFAULT_LIMIT);
  }

  /** A text that is too long loses its middle, and says so. */
  static String limited(String text, int limit) {
    if (text.length() <= limit) {
      return text;
    }
    int head = limit / 2;
    int tail = text.length() - (limit - head);
    // No character is cut in two.
    if (Character.isLowSurrogate(text.charAt(head))) {
      head--;
    }
    if (Character.isLowSurrogate(text.charAt(tail))) {
      tail++;
    }
    return "%s\n[… %s characters are left out here …]\n%s"
        .formatted(
            text.substring(0, head),
            String.format(Locale.ROOT, "%,d", tail - head),
            text.substring(tail));
  }

  /** For people and models: {@code 90 s}, {@code 1.5 s}. */
  static String seconds(Duration duration) {
    String text = String.format(Locale.ROOT, "%.3f", duration.toMillis() / 1e3);
    return text.replaceAll("\\.?0+$", "") + " s";
  }
}
