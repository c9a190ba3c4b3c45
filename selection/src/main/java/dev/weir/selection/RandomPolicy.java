package dev.weir.selection;

import java.util.SplittableRandom;
import java.util.stream.IntStream;

/** A random share of the arms, each on all datapoints. */
final class RandomPolicy implements Policy {

  private final Selector.RandomSearch selector;
  private boolean asked;

  RandomPolicy(Selector.RandomSearch selector) {
    this.selector = selector;
  }

  @Override
  public Round next(Field field, long remaining) {
    if (asked) {
      return Round.FINISHED;
    }
    asked = true;
    int wanted = (int) Math.ceil(selector.sampleFraction() * field.arms());
    int affordable = (int) Math.min(wanted, Math.max(1, remaining / field.datapoints()));
    int datapoints = (int) Math.min(field.datapoints(), remaining);
    var round = new Round(field.arms());
    int[] drawn = shuffled(field.arms(), new SplittableRandom(~field.plan().seed()));
    IntStream.of(drawn).limit(affordable).forEach(arm -> round.upTo(arm, datapoints));
    return round;
  }

  static int[] shuffled(int count, SplittableRandom random) {
    int[] numbers = IntStream.range(0, count).toArray();
    for (int i = count - 1; i > 0; i--) {
      int other = random.nextInt(i + 1);
      int number = numbers[i];
      numbers[i] = numbers[other];
      numbers[other] = number;
    }
    return numbers;
  }

  @Override
  public boolean looksAtAll() {
    return false;
  }
}
