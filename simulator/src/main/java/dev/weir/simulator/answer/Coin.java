package dev.weir.simulator.answer;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * Answers that are right as often as they should be.
 *
 * <p>Whether an answer is right depends on the seed and the prompt alone, so a run gives the same
 * scores whatever the timing.
 *
 * @param accuracy how often it is right, from 0 to 1
 */
public record Coin(long seed, double accuracy) {

  private static final List<String> WRONG_ANSWERS =
      List.of("I am not sure.", "That is unknown to me.", "42", "?");

  /** Another coin of the same seed. */
  public Coin of(String name) {
    return new Coin(seed ^ fingerprint(name), accuracy);
  }

  /** The target, or an answer that does not contain it in any case of letters. */
  public String answer(String prompt, Optional<String> target) {
    return answer(prompt, target, Optional.empty());
  }

  /**
   * The target, or the mistake.
   *
   * @param mistake absent for any answer that does not contain the target
   */
  public String answer(String prompt, Optional<String> target, Optional<String> mistake) {
    // Mixed with the prompt, so that each sample has a coin of its own.
    var coin = new SplittableRandom(seed ^ fingerprint(prompt));
    // The target alone is right to every scorer.
    return coin.nextDouble() < accuracy
        ? target.orElse("Yes.")
        : mistake.orElseGet(() -> wrong(target.orElse(""), coin));
  }

  private static String wrong(String target, SplittableRandom coin) {
    String avoided = target.toLowerCase(Locale.ROOT);
    List<String> wrong =
        WRONG_ANSWERS.stream()
            .filter(
                answer -> avoided.isEmpty() || !answer.toLowerCase(Locale.ROOT).contains(avoided))
            .toList();
    // No single character is in all of them, so one is always left.
    return wrong.get(coin.nextInt(wrong.size()));
  }

  /** FNV-1a: String's own hash code has too few bits for a coin per prompt. */
  private static long fingerprint(String text) {
    long hash = 0xcbf29ce484222325L;
    for (int i = 0; i < text.length(); i++) {
      hash = (hash ^ text.charAt(i)) * 0x100000001b3L;
    }
    return hash;
  }
}
