package dev.weir.log;

/**
 * Tokens of answers.
 *
 * @param input all that was read
 * @param output all that was written
 * @param cacheRead the part of the input that the provider had in its cache
 * @param cacheWrite the part of the input that it put there
 * @param reasoning the part of the output that was thought
 */
public record Tokens(long input, long output, long cacheRead, long cacheWrite, long reasoning) {

  public static final Tokens NONE = new Tokens(0, 0);

  public Tokens(long input, long output) {
    this(input, output, 0, 0, 0);
  }

  public Tokens plus(Tokens other) {
    return new Tokens(
        input + other.input,
        output + other.output,
        cacheRead + other.cacheRead,
        cacheWrite + other.cacheWrite,
        reasoning + other.reasoning);
  }
}
