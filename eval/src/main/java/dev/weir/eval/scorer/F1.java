package dev.weir.eval.scorer;

import static dev.weir.eval.component.Parameter.optional;

import dev.weir.eval.component.Component;
import dev.weir.eval.component.Parameter.Kind;
import dev.weir.eval.sample.SampleContext;
import dev.weir.eval.sample.SampleState;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * How many words the output shares with a target: the harmonic mean of the share of its words that
 * are in the target and of the target's words that are in it. The best of several targets counts.
 */
record F1(Set<String> stopWords) implements Scorer {

  private static final Set<String> ARTICLES = Set.of("a", "an", "the");

  static final Component<Scorer> COMPONENT =
      new Component<>(
          "f1",
          "How many words the output shares with the best target, from 0 to 1.",
          List.of(
              optional(
                  "stop_words",
                  Kind.TEXTS,
                  "Words that do not count, besides a, an and the. Default: none.")),
          arguments -> {
            Set<String> words = new HashSet<>(ARTICLES);
            arguments.texts("stop_words").forEach(word -> words.add(word.toLowerCase(Locale.ROOT)));
            return new F1(Set.copyOf(words));
          });

  @Override
  public Score score(SampleState state, SampleContext context) {
    List<String> said = words(Targets.output(state));
    double best = 0;
    for (String target : Targets.of(state)) {
      best = Math.max(best, compare(said, words(target)));
    }
    return Score.of(best);
  }

  private List<String> words(String text) {
    // An apostrophe does not part a word: don't.
    return Tokens.of(text.replace("'", "").replace("’", "")).stream()
        .filter(word -> !stopWords.contains(word))
        .toList();
  }

  private static double compare(List<String> said, List<String> wanted) {
    if (said.isEmpty() && wanted.isEmpty()) {
      return 1;
    }
    int common = Tokens.common(Tokens.runs(said, 1), Tokens.runs(wanted, 1));
    return Tokens.f1(common, said.size(), wanted.size());
  }
}
