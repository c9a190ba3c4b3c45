package dev.weir.eval.solver;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.eval.dataset.Dataset;
import dev.weir.eval.dataset.Sample;
import dev.weir.eval.sample.Outset;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ForesightTest {

  private static final Outset NOTHING = new Outset(Optional.empty(), _ -> true, Optional.empty());

  private static final Dataset DATASET =
      Dataset.of(new Sample("1", "a", "b"), new Sample("2", "7", "b"), new Sample("3", "c", "d"));

  @Test
  void templatesThatTakeTooLongAreNotTriedOnTheRest() {
    var seconds = new AtomicLong();
    var slow =
        new Foresight(
            NOTHING, DATASET, () -> TimeUnit.SECONDS.toNanos(2 * seconds.getAndIncrement()));

    // The third cannot be used; by then the time is over.
    Solvers.promptTemplate("{{ prompt | replace('c', 1/0) if id == '3' else 'x' }}").foresee(slow);

    assertThat(slow.leftOut().orElseThrow()).contains("not tried on all samples").contains("5 s");
  }

  @Test
  void whatWasTriedOnAllIsNotMentioned() {
    var task = new Foresight(NOTHING, DATASET, () -> 0);

    Solvers.promptTemplate("{{ prompt | upper }}").foresee(task);

    assertThat(task.leftOut()).isEmpty();
  }
}
