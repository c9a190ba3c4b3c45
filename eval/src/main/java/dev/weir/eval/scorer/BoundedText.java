package dev.weir.eval.scorer;

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

  @Override
  public char charAt(int index) {
    if (++looks > MOST_LOOKS) {
      throw new NoScoreException(
          "the pattern tries too many ways to match an output of %d characters; make it simpler"
              .formatted(text.length()));
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
