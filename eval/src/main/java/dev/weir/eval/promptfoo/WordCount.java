package dev.weir.eval.promptfoo;

import dev.weir.eval.sample.SampleContext;
import dev.weir.eval.scorer.NoScoreException;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The assertion {@code word-count}: words between white space, a number of them, or from {@code
 * min} to {@code max}.
 */
record WordCount(Optional<Value> exact, Optional<Value> least, Optional<Value> most)
    implements Check {

  private static final Pattern SPACE = Pattern.compile("\\s+");
  private static final String RULE = "must be a whole number >= 0";

  /** Tells of what is no number of words. */
  static Check read(Value value, Problems problems) {
    if (!value.isMapping()) {
      require(value, "the `value` of word-count", problems);
      return new WordCount(Optional.of(value), Optional.empty(), Optional.empty());
    }
    var section = new Section(value, "the `value` of word-count", problems);
    Optional<Value> least = section.value("min");
    Optional<Value> most = section.value("max");
    section.finish();
    if (least.isEmpty() && most.isEmpty()) {
      problems.add(value.place(), "the `value` of word-count needs `min` or `max`");
    }
    least.ifPresent(given -> require(given, "`min`", problems));
    most.ifPresent(given -> require(given, "`max`", problems));
    if (least.flatMap(WordCount::constant).orElse(0L)
        > most.flatMap(WordCount::constant).orElse(Long.MAX_VALUE)) {
      problems.add(value.place(), "`min` must not be above `max`");
    }
    return new WordCount(Optional.empty(), least, most);
  }

  private static void require(Value value, String what, Problems problems) {
    Optional<String> text = value.text();
    if (text.isEmpty() || (Templates.isConstant(text.get()) && count(text.get()).isEmpty())) {
      problems.add(value.place(), "%s %s".formatted(what, RULE));
    }
  }

  private static Optional<Long> constant(Value value) {
    return value.text().flatMap(WordCount::count);
  }

  private static Optional<Long> count(String text) {
    return Rubrics.number(text.strip())
        .filter(number -> number >= 0 && number == Math.rint(number) && number <= 1e15)
        .map(Double::longValue);
  }

  @Override
  public Verdict check(Answer answer, SampleContext context) {
    long words = SPACE.splitAsStream(answer.text().strip()).filter(word -> !word.isEmpty()).count();
    Optional<Long> wanted = exact.map(given -> filled(given, answer));
    Optional<Long> from = least.map(given -> filled(given, answer));
    Optional<Long> to = most.map(given -> filled(given, answer));
    boolean pass =
        wanted.orElse(words) == words && from.orElse(words) <= words && to.orElse(words) >= words;
    String rule =
        wanted
            .map(String::valueOf)
            .orElseGet(
                () ->
                    "%s to %s"
                        .formatted(
                            from.orElse(0L), to.map(String::valueOf).orElse("any number of")));
    return Verdict.of(pass, "have %s words, has %d".formatted(rule, words));
  }

  private static long filled(Value value, Answer answer) {
    String text = answer.fill(value.text().orElse(""));
    return count(text)
        .orElseThrow(
            () ->
                new NoScoreException(
                    "%s: a number of words %s, was '%s'".formatted(value.place(), RULE, text)));
  }
}
