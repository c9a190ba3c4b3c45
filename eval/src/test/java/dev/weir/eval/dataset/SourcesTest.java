package dev.weir.eval.dataset;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.tuple;

import dev.weir.model.ConfigurationException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Folders, standard input, formats that are not built in. */
class SourcesTest {

  @TempDir Path directory;

  private void write(String name, String content) throws IOException {
    Path file = directory.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, content);
  }

  private static InputStream stream(String text) {
    return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
  }

  private void refusesFolder(String... explanation) {
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> DatasetFile.read(directory))
        .satisfies(thrown -> assertThat(thrown).hasMessageContainingAll(explanation));
  }

  @Test
  void eachFileOfAFolderIsASample() throws IOException {
    write("france.txt", "What is the capital of France?\n");
    write("france.target", "Paris\n");
    write("easy/peru.yaml", "input: What is the capital of Peru?\ntarget: [Lima, City of Kings]\n");
    write(
        "easy/oman.json", "{\"input\": \"And of Oman?\", \"target\": \"Muscat\", \"id\": \"om\"}");
    write("easy/notes.pdf", "no sample");
    write(".hidden/x.txt", "no sample");
    assertThat(DatasetFile.read(directory).samples())
        .extracting(Sample::id, Sample::input, Sample::target)
        .containsExactly(
            tuple("om", "And of Oman?", "Muscat"),
            tuple("easy/peru", "What is the capital of Peru?", "Lima\nCity of Kings"),
            tuple("france", "What is the capital of France?", "Paris"));
  }

  @Test
  void aBadFileOfAFolderIsNamed() throws IOException {
    refusesFolder("no file in the folder is a sample", ".txt");
    write("a.txt", "What?");
    refusesFolder("file a.txt", "has no `target`");
    write("a.target", "x");
    write("b.yaml", "- input: a\n");
    refusesFolder("b.yaml", "must hold one sample");
    write("b.yaml", "input: [a\n");
    refusesFolder("b.yaml", "line 2, column 1", "not YAML");
    write("b.yaml", "input: a\ninput: b\n");
    refusesFolder("b.yaml, line 2, column 1", "there twice");
    write("b.yaml", "input: " + "[".repeat(20_000));
    refusesFolder("b.yaml, line 1", "nested more than 100 levels");
    write("b.yaml", "input: &a [*a]\n");
    refusesFolder("b.yaml", "line 1, column 12", "aliases are not read here");
    Files.delete(directory.resolve("b.yaml"));
    write("c.json", "[{\"input\": \"a\"}, {\"input\": \"b\"}]");
    refusesFolder("c.json", "must hold one sample");
  }

  @Test
  void streamsAreReadByTheirFormat() {
    DatasetSpec csv = DatasetSpec.DEFAULT.withFormat("csv");
    assertThat(
            DatasetFile.read(stream("\uFEFFinput,target\né,b\n"), "standard input", csv, directory)
                .samples())
        .containsExactly(NumberedSample.of("1", "é", "b"));
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> DatasetFile.read(stream("input\na\n"), "standard input", csv, directory))
        .withMessageContainingAll("standard input, line 2", "has no `target`");
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(
            () -> DatasetFile.read(stream("x"), "standard input", DatasetSpec.DEFAULT, directory))
        .withMessageContaining("the format of standard input is not known; set `format` to csv");
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(
            () ->
                DatasetFile.read(
                    stream("x"),
                    "standard input",
                    DatasetSpec.DEFAULT.withFormat("parquet"),
                    directory))
        .withMessageContaining("cannot be read as 'parquet'");
  }

  @Test
  void theFormatWinsOverTheEnding() throws IOException {
    write("data.txt", "{\"input\": \"a\", \"target\": \"b\"}\n");
    assertThat(
            DatasetFile.read(directory.resolve("data.txt"), DatasetSpec.DEFAULT.withFormat("jsonl"))
                .samples())
        .containsExactly(NumberedSample.of("1", "a", "b"));
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> DatasetFile.read(directory.resolve("data.txt")))
        .withMessageContaining("`format` tells which");
  }

  @Test
  void theModuleThatReadsParquetIsNamed() throws IOException {
    write("a.parquet", "PAR1");
    ClassLoader usual = Thread.currentThread().getContextClassLoader();
    // No module is found here, whatever else is on the class path.
    Thread.currentThread().setContextClassLoader(ClassLoader.getPlatformClassLoader());
    try {
      assertThatExceptionOfType(ConfigurationException.class)
          .isThrownBy(() -> DatasetFile.read(directory.resolve("a.parquet")))
          .withMessageContainingAll("a.parquet", "weir-datasets-parquet", "duckdb_jdbc");
    } finally {
      Thread.currentThread().setContextClassLoader(usual);
    }
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> DatasetFile.read(directory.resolve("gone.parquet")))
        .withMessageContaining("there is no such file");
  }
}
