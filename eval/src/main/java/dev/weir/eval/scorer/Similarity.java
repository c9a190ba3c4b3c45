package dev.weir.eval.scorer;

import static dev.weir.eval.component.Parameter.optional;

import dev.weir.eval.component.Arguments;
import dev.weir.eval.component.Component;
import dev.weir.eval.component.Parameter.Kind;
import dev.weir.eval.sample.SampleContext;
import dev.weir.eval.sample.SampleState;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * How close the output is in meaning to the nearest target: the cosine of the angle between their
 * vectors, about 0 for texts that have nothing to do with each other, 1 for the same.
 *
 * @param threshold from which on it is right; absent if the cosine itself is the score
 */
record Similarity(Embedder embedder, Optional<Double> threshold) implements Scorer {

  static final Component<Scorer> COMPONENT =
      new Component<>(
          "similarity",
          "How close the output is in meaning to a target, from -1 to 1 (module weir-embeddings).",
          List.of(
              optional(
                  "threshold",
                  Kind.NUMBER,
                  "From which nearness on it is right (1), else wrong (0). Default: none, the"
                      + " nearness is the score.")),
          Similarity::make);

  private static Scorer make(Arguments arguments) {
    Optional<Double> threshold = arguments.number("threshold", -1, 1);
    Embedder found =
        Embedder.find()
            .orElseThrow(
                () ->
                    arguments.wrong(
                        "similarity",
                        "needs the module weir-embeddings, which is not there; add"
                            + " dev.weir:weir-embeddings to the class path, for ./weir with the"
                            + " variable WEIR_CLASSPATH"));
    return new Similarity(found, threshold);
  }

  @Override
  public Score score(SampleState state, SampleContext context) {
    List<String> targets = Targets.of(state);
    String output = Targets.output(state);
    if (output.isBlank()) {
      return Score.WRONG.withExplanation("the output is empty");
    }
    float[] said = embedder.embed(output);
    double nearest = -1;
    for (String target : targets) {
      nearest = Math.max(nearest, cosine(said, embedder.embed(target)));
    }
    if (threshold.isEmpty()) {
      return Score.of(nearest);
    }
    return Score.of(nearest >= threshold.get())
        .withExplanation(String.format(Locale.ROOT, "nearness %.3f", nearest));
  }

  private static double cosine(float[] left, float[] right) {
    double product = 0;
    double lefts = 0;
    double rights = 0;
    for (int i = 0; i < left.length; i++) {
      product += (double) left[i] * right[i];
      lefts += (double) left[i] * left[i];
      rights += (double) right[i] * right[i];
    }
    double lengths = Math.sqrt(lefts) * Math.sqrt(rights);
    // A text without meaning points nowhere; rounding must not lead beyond 1.
    return lengths == 0 ? 0 : Math.clamp(product / lengths, -1, 1);
  }
}
