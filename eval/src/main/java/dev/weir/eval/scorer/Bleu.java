package dev.weir.eval.scorer;

import static dev.weir.eval.component.Parameter.optional;

import dev.weir.eval.component.Arguments;
import dev.weir.eval.component.Component;
import dev.weir.eval.component.Parameter.Kind;
import dev.weir.eval.sample.SampleContext;
import dev.weir.eval.sample.SampleState;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * How near a translation is to the targets: BLEU [1] of one sentence.
 *
 * <pre>
 *   BLEU = BP · (p1 · p2 · … · pN)^(1/N)      N = 4
 *   pn   = runs of n words that a target has, each at most as often as there, / runs of the output
 *   pn   = (matches + 1) / (runs + 1) for n > 1: one missing run must not make it 0 [2]
 *   BP   = exp(1 - r/c) if the output has fewer words (c) than the target nearest in length (r)
 * </pre>
 *
 * <p>[1] Papineni et al. 2002; [2] Lin and Och 2004.
 *
 * @param longest N
 */
record Bleu(int longest) implements Scorer {

  private static final int USUAL = 4;
  private static final int MOST = 9;

  static final Component<Scorer> COMPONENT =
      new Component<>(
          "bleu",
          "How close the output is to the targets, as a translation is judged: smoothed BLEU, from"
              + " 0 to 1.",
          List.of(
              optional("max_n", Kind.WHOLE, "The longest runs of words that count. Default: 4.")),
          Bleu::make);

  private static Scorer make(Arguments arguments) {
    int longest = arguments.whole("max_n", 1).orElse(USUAL);
    if (longest > MOST) {
      throw arguments.wrong("max_n", "must be at most %d, was %d".formatted(MOST, longest));
    }
    return new Bleu(longest);
  }

  @Override
  public Score score(SampleState state, SampleContext context) {
    List<List<String>> targets = Targets.of(state).stream().map(Tokens::of).toList();
    List<String> said = Tokens.of(Targets.output(state));
    return Score.of(said.isEmpty() ? 0 : compare(said, targets));
  }

  private double compare(List<String> said, List<List<String>> targets) {
    double logs = 0;
    for (int n = 1; n <= longest; n++) {
      int added = n == 1 ? 0 : 1;
      int matches = Tokens.common(Tokens.runs(said, n), most(targets, n)) + added;
      int runs = Math.max(0, said.size() - n + 1) + added;
      if (matches == 0) {
        return 0;
      }
      logs += Math.log((double) matches / runs);
    }
    return brevity(said.size(), targets) * Math.exp(logs / longest);
  }

  /** Each run as often as in the target that has most of it. */
  private static Map<List<String>, Integer> most(List<List<String>> targets, int n) {
    if (targets.size() == 1) {
      return Tokens.runs(targets.getFirst(), n);
    }
    Map<List<String>, Integer> most = new HashMap<>();
    for (List<String> target : targets) {
      Tokens.runs(target, n).forEach((run, count) -> most.merge(run, count, Math::max));
    }
    return most;
  }

  private static double brevity(int said, List<List<String>> targets) {
    int nearest = targets.getFirst().size();
    for (List<String> target : targets) {
      int distance = Math.abs(target.size() - said);
      int best = Math.abs(nearest - said);
      if (distance < best || (distance == best && target.size() < nearest)) {
        nearest = target.size();
      }
    }
    return said >= nearest ? 1 : Math.exp(1 - (double) nearest / said);
  }
}
