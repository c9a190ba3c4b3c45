package dev.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class GridTest {

  private static List<String> lines(int width, String... models) {
    List<Grid.Column> columns =
        List.of(Grid.Column.name("model", 9, 8), Grid.Column.right("a number", 1));
    List<List<String>> rows = List.of(models).stream().map(model -> List.of(model, "1")).toList();
    return new Grid(columns, rows).lines(width, Grid.Style.PLAIN);
  }

  @Test
  void namesAreCutBeforeColumnsGo() {
    assertThat(lines(18, "a-very-long-name", "b-very-long-name"))
        .containsExactly("model     a number", "a-very-…         1", "b-very-…         1");
  }

  @Test
  void namesThatDifferStillDo() {
    assertThat(lines(18, "openai/gpt-4o", "openai/gpt-4o-mini"))
        .containsExactly("model", "openai/gpt-4o", "openai/gpt-4o-mini");
    assertThat(lines(26, "openai/gpt-4o", "openai/gpt-4o-mini-of-july"))
        .containsExactly(
            "model             a number",
            "openai/gpt-4o            1",
            "openai/gpt-4o-m…         1");
  }

  @Test
  void namesThatBeginAlikeAreCutInside() {
    String same = "x".repeat(40);
    assertThat(lines(18, same + "1", same + "2"))
        .containsExactly("model     a number", "xxxx…xx1         1", "xxxx…xx2         1");
    assertThat(lines(18, same + "1" + same, same + "2" + same))
        .as("all the same")
        .containsExactly("model     a number", "xxxx…xxx         1", "xxxx…xxx         1");
  }

  @Test
  void whereAWideColumnGoesNarrowOnesMayStay() {
    var grid =
        new Grid(
            List.of(
                Grid.Column.left("name", 9),
                Grid.Column.left("least", 1),
                Grid.Column.left("a column that is wide", 5),
                Grid.Column.left("last", 7)),
            List.of(List.of("n", "1", "2", "3")));
    assertThat(grid.lines(20, Grid.Style.PLAIN))
        .containsExactly("name  least  last", "n     1      3");
    assertThat(grid.leftOut(20, 0)).containsExactly("a column that is wide 2");
  }
}
