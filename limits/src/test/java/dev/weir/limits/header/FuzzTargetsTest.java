package dev.weir.limits.header;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** The targets of the fuzzer reach what they are meant to reach, on bytes of no fuzzer. */
class FuzzTargetsTest {

  private static final int INPUTS = 20_000;
  private static final long SEED = 20_261_115;

  @Test
  void headersAreReadDeeply() {
    assertThat(inputsWithFacts(HeadersFuzzTarget::read)).isGreaterThan(INPUTS / 4);
  }

  @Test
  void bodiesAreReadDeeply() {
    assertThat(inputsWithFacts(BodyFuzzTarget::read)).isGreaterThan(INPUTS / 4);
  }

  @Test
  void noBytesAreNoFacts() {
    assertThat(HeadersFuzzTarget.read(new byte[0])).isEqualTo(ResponseFacts.NONE);
    assertThat(BodyFuzzTarget.read(new byte[0])).isEqualTo(ResponseFacts.NONE);
  }

  private static int inputsWithFacts(Function<byte[], ResponseFacts> target) {
    var random = new SplittableRandom(SEED);
    int withFacts = 0;
    for (int i = 0; i < INPUTS; i++) {
      byte[] bytes = new byte[random.nextInt(300)];
      random.nextBytes(bytes);
      ResponseFacts facts = target.apply(bytes);
      SoundFacts.check(facts);
      withFacts += facts.equals(ResponseFacts.NONE) ? 0 : 1;
    }
    return withFacts;
  }
}
