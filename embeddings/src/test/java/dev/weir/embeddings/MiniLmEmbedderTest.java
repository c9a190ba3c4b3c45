package dev.weir.embeddings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.weir.eval.dataset.Sample;
import dev.weir.eval.sample.SampleContext;
import dev.weir.eval.sample.SampleState;
import dev.weir.eval.scorer.Embedder;
import dev.weir.eval.scorer.Scorer;
import dev.weir.eval.scorer.Scorers;
import java.lang.reflect.Proxy;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The real model. */
class MiniLmEmbedderTest {

  private static final SampleContext NO_CONTEXT =
      (SampleContext)
          Proxy.newProxyInstance(
              MiniLmEmbedderTest.class.getClassLoader(),
              new Class<?>[] {SampleContext.class},
              (_, method, _) -> {
                throw new AssertionError(method);
              });

  private static double nearness(Scorer scorer, String output, String target) throws Exception {
    var state = new SampleState(new Sample("1", "question", target), 1);
    state.setOutput(output);
    return scorer.score(state, NO_CONTEXT).value();
  }

  @Test
  void isFoundByTheScorer() {
    assertThat(Embedder.find()).containsInstanceOf(MiniLmEmbedder.class);
  }

  @Test
  void textsOfOneMeaningAreNear() throws Exception {
    Scorer similarity = Scorers.similarity();
    double same = nearness(similarity, "A cat sat on the mat.", "A cat sat on the mat.");
    double similar = nearness(similarity, "A kitten rests on a rug.", "A cat sat on the mat.");
    double unrelated =
        nearness(similarity, "Interest rates rose by two percent.", "A cat sat on the mat.");
    assertThat(same).isEqualTo(1, within(1e-5));
    assertThat(similar).isBetween(0.4, 0.95);
    assertThat(unrelated).isLessThan(0.2);
  }

  @Test
  void aThresholdMakesItRightOrWrong() throws Exception {
    Scorer strict = Scorers.of("similarity", Map.of("threshold", 0.4));
    assertThat(nearness(strict, "A kitten rests on a rug.", "A cat sat on the mat.")).isEqualTo(1);
    assertThat(nearness(strict, "Interest rates rose.", "A cat sat on the mat.")).isZero();
  }

  @Test
  void longTextIsNoProblem() {
    assertThat(new MiniLmEmbedder().embed("The cat sat on the mat. ".repeat(500))).hasSize(384);
  }
}
