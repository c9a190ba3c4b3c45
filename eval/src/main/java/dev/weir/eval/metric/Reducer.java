package dev.weir.eval.metric;

import dev.weir.model.ConfigurationException;
import dev.weir.model.Printable;
import dev.weir.model.Spelling;
import dev.weir.statistics.Attempts;
import dev.weir.statistics.Summary;
import java.util.Arrays;
import java.util.OptionalDouble;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;

/**
 * Makes one score of the scores that the epochs of a sample have.
 *
 * <ul>
 *   <li>{@code mean}, {@code median}, {@code max}
 *   <li>{@code mode}: the score that most epochs have, the lowest of several
 *   <li>{@code at_least_K}: 1 if K epochs or more are right, else 0
 *   <li>{@code pass_at_K}: how likely at least one of K epochs is right
 *   <li>{@code pass_k_K}: how likely all of K epochs are right
 * </ul>
 *
 * <p>An epoch is right when its score is 1 or more. An epoch that failed has no score, and is not
 * taken for a wrong one: the result is over those that have a score, and there is none when they do
 * not tell it. So {@code pass_at_K} and {@code pass_k_K} need K scores; {@code at_least_K} needs
 * none that cannot change it, and {@code max} is the highest that was seen.
 */
public final class Reducer {

  private enum Kind {
    MEAN("mean"),
    MEDIAN("median"),
    MODE("mode"),
    MAX("max"),
    AT_LEAST("at_least_"),
    PASS_AT("pass_at_"),
    PASS_K("pass_k_");

    private final String prefix;

    Kind(String prefix) {
      this.prefix = prefix;
    }

    boolean counts() {
      return prefix.endsWith("_");
    }

    String word(String k) {
      return counts() ? prefix + k : prefix;
    }
  }

  /** What a task has that names no other. */
  public static final Reducer MEAN = new Reducer(Kind.MEAN, 0);

  private static final double RIGHT = 1;
  private static final Pattern NUMBER = Pattern.compile("_(\\d{1,6})$");
  private static final String EXAMPLE = "3";

  private final Kind kind;
  private final int k;

  private Reducer(Kind kind, int k) {
    this.kind = kind;
    this.k = k;
  }

  /**
   * The reducer of a word, such as {@code median} or {@code pass_at_3}.
   *
   * @throws ConfigurationException if it is none
   */
  public static Reducer parse(String word) {
    Matcher number = NUMBER.matcher(word);
    String given = number.find() ? number.group(1) : "";
    for (Kind kind : Kind.values()) {
      if (word.equals(kind.word(given)) && (!kind.counts() || !given.isEmpty())) {
        return new Reducer(kind, kind.counts() ? atLeastOne(word, given) : 0);
      }
      if (kind.counts() && isWithoutNumber(word, kind)) {
        throw new ConfigurationException(
            "reducer '%s' needs a number of epochs, such as %s"
                .formatted(word, kind.word(EXAMPLE)));
      }
    }
    String k = given.isEmpty() ? EXAMPLE : given;
    throw new ConfigurationException(
        "unknown reducer '%s'%s"
            .formatted(
                Printable.line(word),
                Spelling.hint(word, Stream.of(Kind.values()).map(kind -> kind.word(k)).toList())));
  }

  private static boolean isWithoutNumber(String word, Kind kind) {
    return word.equals(kind.prefix)
        || word.equals(kind.word("k"))
        || (word + "_").equals(kind.prefix);
  }

  private static int atLeastOne(String word, String number) {
    int k = Integer.parseInt(number);
    if (k < 1) {
      throw new ConfigurationException("reducer '%s' must count at least 1 epoch".formatted(word));
    }
    return k;
  }

  /** The word it is parsed from. */
  public String word() {
    return kind.word(String.valueOf(k));
  }

  /**
   * Refuses too few epochs, for which there would never be a score.
   *
   * @throws ConfigurationException saying what to do
   */
  public void requireEpochs(int epochs) {
    if (epochs < k) {
      throw new ConfigurationException(
          "reducer '%s' needs at least %s epochs, was %s; raise epochs or take %s"
              .formatted(word(), k, epochs, kind.word(String.valueOf(epochs))));
    }
  }

  /**
   * One score of several; empty when those there are do not tell it.
   *
   * @param scores of the epochs that have one
   * @param epochs how many there are, those without a score included
   */
  public OptionalDouble reduce(double[] scores, int epochs) {
    int n = scores.length;
    if (epochs < n) {
      throw new IllegalArgumentException(
          "`epochs` must be >= the number of scores (%s), was %s".formatted(n, epochs));
    }
    if (n == 0) {
      return OptionalDouble.empty();
    }
    int right = (int) DoubleStream.of(scores).filter(score -> score >= RIGHT).count();
    return switch (kind) {
      case MEAN -> Summary.of(scores).mean();
      case MEDIAN -> OptionalDouble.of(median(scores));
      case MODE -> OptionalDouble.of(mode(scores));
      case MAX -> DoubleStream.of(scores).max();
      case AT_LEAST -> Attempts.atLeast(n, right, k, epochs - n);
      case PASS_AT ->
          n < k ? OptionalDouble.empty() : OptionalDouble.of(Attempts.passAt(n, right, k));
      case PASS_K ->
          n < k ? OptionalDouble.empty() : OptionalDouble.of(Attempts.allPass(n, right, k));
    };
  }

  /**
   * As {@link #reduce}, but epochs that failed are taken for wrong ones.
   *
   * @param failed how many ended without a score
   */
  public OptionalDouble reduceWithFailures(double[] scores, int failed, int epochs) {
    return reduce(Arrays.copyOf(scores, scores.length + failed), epochs);
  }

  private static double median(double[] scores) {
    double[] sorted = scores.clone();
    Arrays.sort(sorted);
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }

  private static double mode(double[] scores) {
    double[] sorted = scores.clone();
    Arrays.sort(sorted);
    double mode = sorted[0];
    int most = 0;
    int run = 0;
    for (int i = 0; i < sorted.length; i++) {
      run = i > 0 && sorted[i] == sorted[i - 1] ? run + 1 : 1;
      if (run > most) {
        most = run;
        mode = sorted[i];
      }
    }
    return mode;
  }

  @Override
  public String toString() {
    return word();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Reducer that && kind == that.kind && k == that.k;
  }

  @Override
  public int hashCode() {
    return word().hashCode();
  }
}
