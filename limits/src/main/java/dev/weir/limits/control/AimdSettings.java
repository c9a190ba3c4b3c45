package dev.weir.limits.control;

import java.time.Duration;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Bounds and response curve of {@link Aimd}.
 *
 * @param min the floor no refusal cuts below, at least 1
 * @param start the first window
 * @param max the ceiling
 * @param cooldown the least time between two cuts
 * @param decreaseFactor what a cut leaves of the window, between 0 and 1
 * @param scaleUpPercent the share of the window that a clean round adds, as a fraction: 0.05 is 5 %
 * @param roundToFives whether windows from 10 up are rounded to multiples of five, up when growing
 *     and down when cut. Inspect does so, its documentation does not say so
 */
public record AimdSettings(
    int min,
    int start,
    int max,
    Duration cooldown,
    double decreaseFactor,
    double scaleUpPercent,
    boolean roundToFives) {

  private static final int DEFAULT_MIN = 4;
  private static final int DEFAULT_START = 20;
  private static final int DEFAULT_MAX = 200;

  /** At most nine digits: always an int. */
  private static final Pattern BOUNDS =
      Pattern.compile("(?:(?<min>\\d{1,9})-)?(?:(?<start>\\d{1,9})-)?(?<max>\\d{1,9})");

  public AimdSettings {
    Window.checkMax(max);
    if (min < 1) {
      throw new IllegalArgumentException("`min` must be >= 1, was " + min);
    }
    if (max < min) {
      throw new IllegalArgumentException("`max` must be >= `min` (" + min + "), was " + max);
    }
    if (start < min || start > max) {
      throw new IllegalArgumentException(
          "`start` must be >= `min` (" + min + ") and <= `max` (" + max + "), was " + start);
    }
    if (cooldown.isNegative()) {
      throw new IllegalArgumentException("`cooldown` must be >= 0, was " + cooldown);
    }
    if (!(decreaseFactor > 0 && decreaseFactor < 1)) {
      throw new IllegalArgumentException(
          "`decreaseFactor` must be > 0 and < 1, was " + decreaseFactor);
    }
    if (!(scaleUpPercent > 0 && scaleUpPercent <= 1)) {
      throw new IllegalArgumentException(
          "`scaleUpPercent` must be > 0 and <= 1, was " + scaleUpPercent);
    }
  }

  /** 4-20-200, cooldown 15 s, ×0.8, +5 %, as published; no rounding to fives. */
  public static AimdSettings defaults() {
    return new AimdSettings(
        DEFAULT_MIN, DEFAULT_START, DEFAULT_MAX, Duration.ofSeconds(15), 0.8, 0.05, false);
  }

  /**
   * Reads the value of the option: {@code true} for the defaults, {@code false} for a static window
   * (empty), {@code 80} for the ceiling alone, {@code 4-80} for floor and ceiling, {@code 4-40-80}
   * with the first window between them. What is left out is the default, clamped into the range.
   */
  public static Optional<AimdSettings> parse(String text) {
    return switch (text) {
      case "true" -> Optional.of(defaults());
      case "false" -> Optional.empty();
      default -> Optional.of(parseBounds(text));
    };
  }

  private static AimdSettings parseBounds(String text) {
    Matcher bounds = BOUNDS.matcher(text);
    if (!bounds.matches()) {
      throw new IllegalArgumentException(
          "adaptive connections must be `true`, `false`, a maximum such as `80`, `min-max` such as"
              + " `4-80` or `min-start-max` such as `4-40-80`, was `"
              + text
              + "`");
    }
    int max = Integer.parseInt(bounds.group("max"));
    String minText = bounds.group("min");
    String startText = bounds.group("start");
    int min = minText == null ? Math.min(DEFAULT_MIN, max) : Integer.parseInt(minText);
    int start =
        startText == null
            ? Math.max(min, Math.min(DEFAULT_START, max))
            : Integer.parseInt(startText);
    return defaults().withBounds(min, start, max);
  }

  public AimdSettings withBounds(int min, int start, int max) {
    return new AimdSettings(
        min, start, max, cooldown, decreaseFactor, scaleUpPercent, roundToFives);
  }

  public AimdSettings withCooldown(Duration cooldown) {
    return new AimdSettings(
        min, start, max, cooldown, decreaseFactor, scaleUpPercent, roundToFives);
  }

  public AimdSettings withDecreaseFactor(double decreaseFactor) {
    return new AimdSettings(
        min, start, max, cooldown, decreaseFactor, scaleUpPercent, roundToFives);
  }

  public AimdSettings withScaleUpPercent(double scaleUpPercent) {
    return new AimdSettings(
        min, start, max, cooldown, decreaseFactor, scaleUpPercent, roundToFives);
  }

  public AimdSettings withRoundToFives(boolean roundToFives) {
    return new AimdSettings(
        min, start, max, cooldown, decreaseFactor, scaleUpPercent, roundToFives);
  }
}
