package dev.weir.eval.task;

import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.weir.eval.dataset.Dataset;
import dev.weir.eval.dataset.Sample;
import dev.weir.eval.solver.Solver;
import dev.weir.eval.solver.Solvers;
import java.util.List;
import org.junit.jupiter.api.Test;

class TaskDefinitionTest {

  private static final Dataset DATASET = new Dataset(List.of(new Sample("1", "a", "b")));
  private static final List<Solver> SOLVERS = List.of(Solvers.find("generate").orElseThrow());

  @Test
  void aScoreThatIsNoneFails() {
    var task = new TaskDefinition("t", DATASET, SOLVERS, (_, _) -> 17, TaskOptions.NONE);
    assertThatIllegalStateException().isThrownBy(() -> task.scorer().score("a", "b"));
  }

  @Test
  void namesAreOneVisibleLine() {
    for (String name : List.of("", "  ", "a\nb", "a\u001b[2J")) {
      assertThatIllegalArgumentException()
          .isThrownBy(
              () -> new TaskDefinition(name, DATASET, SOLVERS, (_, _) -> 1, TaskOptions.NONE))
          .withMessageContaining("`name` must be one line");
    }
  }
}
