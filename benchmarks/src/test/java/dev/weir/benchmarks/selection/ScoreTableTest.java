package dev.weir.benchmarks.selection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.model.ConfigurationException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ScoreTableTest {

  @Test
  void readsPublishedTables() throws IOException {
    List<ScoreTable> tables = ScoreTable.published();
    assertThat(tables).extracting(ScoreTable::name).containsExactly("gpqa", "hotpotqa");
    assertThat(tables.getFirst().arms().size()).isEqualTo(9);
    assertThat(tables.getFirst().best()).isBetween(0.7474, 0.7475);
    assertThat(tables.getLast().arms().size()).isEqualTo(68);
    assertThat(tables.getLast().best()).isBetween(0.7426, 0.7427);
  }

  @Test
  void failuresCountAsWrong() {
    var table = ScoreTable.read("t", "t.csv", List.of("c,q0,q1", "a=x,1,"), List.of());
    assertThat(table.mean(0)).isEqualTo(0.5);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "a=x,1|t.csv, line 2: 2 columns, but the header has 3",
        "a=x,1,0,1|t.csv, line 2: 4 columns, but the header has 3",
        "a=x,1,NaN|t.csv, line 2, column 3: a score must be from 0 to 1, was NaN",
        "a=x,1.5,0|t.csv, line 2, column 2: a score must be from 0 to 1, was 1.5",
        "a=x,1,yes|t.csv, line 2, column 3: 'yes' is not a number",
        "x,1,0|t.csv, line 2, column 1: 'x' is not of the form node=model + node=model"
      })
  void badTablesAreToldWithLineAndColumn(String row, String message) {
    assertThatThrownBy(() -> ScoreTable.read("t", "t.csv", List.of("c,q0,q1", row), List.of()))
        .isInstanceOf(ConfigurationException.class)
        .hasMessage(message);
  }

  @Test
  void aTableInWhichAllFailedIsTold() {
    assertThatThrownBy(
            () -> ScoreTable.read("t", "t.csv", List.of("c,q0,q1", "a=x,,", "a=y,,"), List.of()))
        .isInstanceOf(ConfigurationException.class)
        .hasMessage("t.csv: no cell has a score, so no row can be the best");
  }

  /** Selectors that try only some may try nothing but the row that always failed. */
  @Test
  void whoFindsNoCombinationIsAsWrongAsTheWorst(@TempDir Path directory) throws IOException {
    Files.writeString(directory.resolve("score.csv"), "c,q0,q1\na=x,,\na=y,1,1\n");
    var report = new SelectionBenchmark(10).run(directory);
    assertThat(report.text()).containsPattern("random +[1-9][0-9.]+ ± +[0-9.]+ +100.00 +100.00");
  }

  @Test
  void combinationsThatAreThereTwiceOrNotAtAllAreTold() {
    assertThatThrownBy(
            () -> ScoreTable.read("t", "t.csv", List.of("c,q0", "a=x,1", "a=x,0"), List.of()))
        .hasMessage("t.csv: combination [x] is there twice");
    assertThatThrownBy(
            () -> ScoreTable.read("t", "t.csv", List.of("c,q0", "a=x,1", "b=x,0"), List.of()))
        .hasMessage("t.csv, line 3, column 1: the nodes are [b], but [a] before");
    assertThatThrownBy(
            () -> ScoreTable.read("t", "t.csv", List.of("c,q0", "a=x,1"), List.of("a=y")))
        .hasMessage("t.csv has no row 'a=y', which is named as complete");
  }

  @Test
  void readsTheTablesOfADirectory(@TempDir Path directory) throws IOException {
    assertThatThrownBy(() -> ScoreTable.in(directory))
        .hasMessageStartingWith("there is no score.csv");
    Files.createDirectory(directory.resolve("mine"));
    Files.writeString(directory.resolve("mine/score.csv"), "c,q0,q1\r\na=x,1,0\r\na=y,1,1\r\n");
    List<ScoreTable> tables = ScoreTable.in(directory);
    assertThat(tables).extracting(ScoreTable::name).containsExactly("mine");
    assertThat(new SelectionBenchmark(3).run(directory).text())
        .startsWith("mine: 2 combinations, 2 datapoints, best 100.00 %; 3 seeds");
  }
}
