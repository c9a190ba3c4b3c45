package dev.weir.parquet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.eval.dataset.Dataset;
import dev.weir.eval.dataset.DatasetFile;
import dev.weir.eval.dataset.DatasetSpec;
import dev.weir.eval.dataset.Fields;
import dev.weir.eval.dataset.Sample;
import dev.weir.model.ConfigurationException;
import dev.weir.model.Message;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.duckdb.DuckDBDriver;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real files, written by the database and found through the service loader. */
class ParquetSourceTest {

  @TempDir Path directory;

  private Path write(String name, String query) throws SQLException, IOException {
    Path file = directory.resolve("written.parquet");
    try (Connection database = new DuckDBDriver().connect("jdbc:duckdb:", new Properties());
        Statement statement = database.createStatement()) {
      statement.execute("COPY (%s) TO '%s' (FORMAT parquet)".formatted(query, file));
    }
    return Files.move(file, directory.resolve(name));
  }

  @Test
  void columnsOfAllKindsAreRead() throws SQLException, IOException {
    Path file =
        write(
            "a.parquet",
            """
            SELECT 7 AS id, 'Which river?' AS question, ['Nile', 'Rhine'] AS choices, 'A' AS target,
              {'topic': 'rivers', 'level': 2, 'deep': {'x': [1, 2]}} AS info, 0.25::DOUBLE AS weight,
              1.50::DECIMAL(5, 2) AS price, true AS easy, DATE '2026-01-02' AS day,
              NULL::VARCHAR AS note, 'bytes'::BLOB AS image, MAP {'a': 1} AS counts
            """);
    Fields fields =
        Fields.DEFAULT
            .with("input", List.of("question"))
            .with("metadata", List.of(Fields.ALL_OTHERS));
    Sample sample =
        DatasetFile.read(file, DatasetSpec.DEFAULT.withFields(fields)).samples().getFirst();
    assertThat(sample.id()).isEqualTo("7");
    assertThat(sample.input()).isEqualTo("Which river?");
    assertThat(sample.choices()).containsExactly("Nile", "Rhine");
    assertThat(sample.target()).isEqualTo("A");
    assertThat(sample.metadata())
        .containsEntry(
            "info", Map.of("topic", "rivers", "level", 2L, "deep", Map.of("x", List.of(1L, 2L))))
        .containsEntry("weight", new BigDecimal("0.25"))
        .containsEntry("price", new BigDecimal("1.50"))
        .containsEntry("easy", true)
        .containsEntry("day", "2026-01-02")
        .containsEntry("note", null)
        .containsEntry("counts", Map.of("a", 1L))
        .doesNotContainKey("image");
  }

  @Test
  void conversationsAreRead() throws SQLException, IOException {
    Path file =
        write(
            "b.parquet",
            "SELECT [{'role': 'system', 'content': 'Be brief.'}, {'role': 'user', 'content': 'Hi'}]"
                + " AS input, 'x' AS target");
    assertThat(DatasetFile.read(file).samples().getFirst().messages())
        .containsExactly(Message.instructions("Be brief."), Message.user("Hi"));
  }

  @Test
  void manyRowsKeepTheirOrderAndABadOneIsNamed() throws SQLException, IOException {
    Path file =
        write(
            "c [1].parquet",
            "SELECT 'question ' || i AS input, 'answer ' || i AS target FROM range(1, 100001) t(i)"
                + " ORDER BY i");
    Dataset dataset = DatasetFile.read(file);
    assertThat(dataset.samples()).hasSize(100_000);
    for (int i : new int[] {0, 1, 49_999, 99_999}) {
      Sample sample = dataset.samples().get(i);
      assertThat(sample.id()).isEqualTo(String.valueOf(i + 1));
      assertThat(sample.input()).isEqualTo("question " + (i + 1));
      assertThat(sample.targets()).containsExactly("answer " + (i + 1));
    }
    Path broken =
        write(
            "d.parquet",
            "SELECT CASE WHEN i = 90000 THEN NULL ELSE 'q' END AS input, 'a' AS target"
                + " FROM range(1, 100001) t(i) ORDER BY i");
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> DatasetFile.read(broken))
        .withMessageContainingAll("d.parquet, row 90000", "has no `input`");
  }

  @Test
  void whatIsNoParquetIsTold() throws IOException {
    Path file = Files.writeString(directory.resolve("e.parquet"), "input,target\na,b\n");
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> DatasetFile.read(file))
        .withMessageContainingAll("e.parquet", "cannot be read as parquet");
  }
}
