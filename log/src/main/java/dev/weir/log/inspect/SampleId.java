package dev.weir.log.inspect;

/**
 * The id of a sample: a text or a whole number. Inspect tells {@code 1} from {@code "1"} when it
 * matches samples, and not when it names members.
 *
 * @param text the text, or the digits
 */
public record SampleId(String text, boolean isNumber) {

  public static SampleId of(String text) {
    return new SampleId(text, false);
  }

  public static SampleId of(long number) {
    return new SampleId(Long.toString(number), true);
  }

  /**
   * The member that holds the sample: the id stands there as it is, also with slashes; but other
   * programs take a name to end at NUL.
   */
  String member(int epoch) {
    return "samples/" + text.replace('\0', '\u2400') + "_epoch_" + epoch + ".json";
  }

  @Override
  public String toString() {
    return text;
  }
}
