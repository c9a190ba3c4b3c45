package dev.weir.eval.scorer;

import java.util.regex.Matcher;

/**
 * A text that can be looked at only so often: a pattern that tries too many ways ends with an error
 * instead of holding up the run. Not thread-safe.
 */
final class BoundedText implements CharSequence {

  /** About a tenth of a second. */
  private static final int MOST_LOOKS = 20_000_000;

  private final String text;
  private int looks;

  BoundedText(String text) {
    this.text = text;
  }

  /**
   * The next match in this text.
   *
   * @throws NoScoreException if the pattern tries too many ways, or goes too deep
   */
  boolean find(Matcher matcher) {
    try {
      return matcher.find();
    } catch (StackOverflowError _) {
      // Repeated groups take a piece of the stack each time.
      throw tooMuch();
    }
  }

  private NoScoreException tooMuch() {
    return new NoScoreException(
        "the pattern tries too many ways to match an output of %d characters; make it simpler"
            .formatted(text.length()));
  }

  @Override
  public char charAt(int index) {
    if (++looks > MOST_LOOKS) {
      throw tooMuch();
    }
    return text.charAt(index);
  }

  @Override
  public int length() {
    return text.length();
  }

  @Override
  public CharSequence subSequence(int start, int end) {
    return text.substring(start, end);
  }

  @Override
  public String toString() {
    return text;
  }
}
