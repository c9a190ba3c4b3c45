package dev.weir.eval.task;

import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.weir.eval.dataset.Dataset;
import dev.weir.eval.dataset.Sample;
import dev.weir.eval.scorer.Scorers;
import dev.weir.eval.solver.Solvers;
import java.util.List;
import org.junit.jupiter.api.Test;

class TaskDefinitionTest {

  private static final Dataset DATASET = new Dataset(List.of(new Sample("1", "a", "b")));

  @Test
  void namesAreOneVisibleLine() {
    for (String name : List.of("", "  ", "a\nb", "a\u001b[2J")) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> task(name).scorer("exact", Scorers.exact()).build())
          .withMessageContaining("`name` must be one line");
    }
  }

  @Test
  void scorersHaveDistinctNames() {
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                task("t")
                    .scorer("exact", Scorers.exact())
                    .scorer("exact", Scorers.includes())
                    .build())
        .withMessageContaining("'exact' is there twice");
    assertThatIllegalArgumentException().isThrownBy(() -> task("t").build());
  }

  private static TaskDefinition.Builder task(String name) {
    return TaskDefinition.named(name).dataset(DATASET).solver(Solvers.generate());
  }
}
