package dev.weir.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class SpellingTest {

  private static final List<String> KNOWN = List.of("dataset", "solver", "scorer", "task", "model");

  @Test
  void findsTheNearestWord() {
    assertThat(Spelling.nearest("datset", KNOWN)).contains("dataset");
    assertThat(Spelling.nearest("sovler", KNOWN)).contains("solver");
    assertThat(Spelling.nearest("Scorers", KNOWN)).contains("scorer");
    assertThat(Spelling.nearest("modle", KNOWN)).contains("model");
  }

  @Test
  void staysSilentAboutWordsThatAreFarFromAll() {
    assertThat(Spelling.nearest("temperature", KNOWN)).isEmpty();
    assertThat(Spelling.nearest("x", List.of("a", "b"))).isEmpty();
    assertThat(Spelling.nearest("", KNOWN)).isEmpty();
  }

  @Test
  void hintsNameTheNearestOrAll() {
    assertThat(Spelling.hint("taks", KNOWN)).isEqualTo("; did you mean 'task'?");
    assertThat(Spelling.hint("temperature", KNOWN))
        .isEqualTo("; known are: dataset, model, scorer, solver, task");
  }
}
