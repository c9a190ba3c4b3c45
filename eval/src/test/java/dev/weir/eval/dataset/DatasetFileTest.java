package dev.weir.eval.dataset;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.model.ConfigurationException;
import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DatasetFileTest {

  @TempDir Path directory;

  private Dataset read(String name, String content) throws IOException {
    return DatasetFile.read(Files.writeString(directory.resolve(name), content));
  }

  private void refuses(String name, String content, String... explanation) {
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> read(name, content))
        .satisfies(thrown -> assertThat(thrown).hasMessageContainingAll(explanation))
        .withMessageContaining(name);
  }

  @Test
  void readsCsvWithQuotesBlankLinesAndOtherColumns() throws IOException {
    Dataset dataset =
        read(
            "a.csv",
            "id, input ,target,note\r\n"
                + "x,\"Say \"\"hi\"\", please\",hi,ignored\r\n"
                + "\r\n"
                + "y,\"two\nlines\",b,\r\n");
    assertThat(dataset.samples())
        .containsExactly(
            new Sample("x", "Say \"hi\", please", "hi"), new Sample("y", "two\nlines", "b"));
  }

  @Test
  void readsSpreadsheetsWithAByteOrderMarkAndNumbersRowsWithoutAnId() throws IOException {
    assertThat(read("a.csv", "\uFEFFinput,target\na,b\nc,d\n").samples())
        .containsExactly(NumberedSample.of("1", "a", "b"), NumberedSample.of("2", "c", "d"));
  }

  @Test
  void readsJsonAndJsonLinesAlike() throws IOException {
    List<Sample> expected =
        List.of(NumberedSample.of("7", "2+2?", "4"), NumberedSample.of("2", "é", "x"));
    assertThat(
            read(
                    "a.jsonl",
                    """
                    {"id": 7, "input": "2+2?", "target": 4, "tags": ["a", {"b": 1}]}

                    {"input": "é", "target": "x"}
                    """)
                .samples())
        .isEqualTo(expected);
    assertThat(
            read(
                    "a.json",
                    """
                    [{"id": 7, "input": "2+2?", "target": 4}, {"input": "é", "target": "x"}]
                    """)
                .samples())
        .isEqualTo(expected);
  }

  @Test
  void digitsAreATextWhereTheyAreWrittenAsOne() throws IOException {
    assertThat(read("a.csv", "id,input,target\n7,a,b\n").samples())
        .containsExactly(new Sample("7", "a", "b"));
    assertThat(read("a.jsonl", "{\"id\": \"7\", \"input\": \"a\", \"target\": \"b\"}").samples())
        .containsExactly(new Sample("7", "a", "b"));
  }

  @Test
  void saysWhichRowHasNoInput() {
    refuses("a.csv", "id,input,target\nx,a,b\ny,,c\n", "line 3", "has no `input`");
    refuses("a.csv", "id,input,target\nx,a,b\ny\n", "line 3", "has no `input`");
    refuses("b.csv", "id,inptu,target\nx,a,b\n", "line 2", "no `input`", "'inptu'");
    refuses("a.jsonl", "{\"input\":\"a\",\"target\":\"b\"}\n{\"target\":\"c\"}\n", "line 2");
    refuses("a.json", "[\n{\"input\":\"a\"}]", "line 2", "has no `target`");
    refuses("c.jsonl", "{\"input\":null,\"target\":\"b\"}", "line 1", "has no `input`");
  }

  @Test
  void saysWhatElseIsWrong() {
    refuses("a.csv", "", "the dataset is empty");
    refuses("b.csv", "id,input,target\n", "the dataset is empty");
    refuses("a.json", "[]", "the dataset is empty");
    refuses("c.csv", "id,input,target\nx,a,b\nx,c,d\n", "line 3", "'x' is taken by line 2");
    refuses("b.json", "[{\"input\": \"a\",}]", "line 1, column");
    refuses("c.json", "\"text\"", "line 1", "must be an object");
    refuses("d.json", "[{\"input\":[1],\"target\":\"a\"}]", "`input` must be text");
    refuses("a.xlsx", "x", "must be a .csv, .json or .jsonl file");
    refuses("d.csv", "input,target\n1,000,c\n", "line 2", "3 values for 2 columns");
    refuses("e.csv", "\ninput,input,target\na,b,c\n", "line 2", "'input' is there twice");
    refuses("f.csv", "input,target,,\na,b,,\n", "line 1", "two columns have no name");
    refuses(
        "g.csv",
        "input,target\na,b\n\"c\"d,e\n",
        "line 3, column 4: the file is not CSV",
        "quotes within a value twice");
    refuses(
        "h.csv",
        "input,target\n" + ",".repeat(20_000),
        "line 2, column 1: the file is not CSV: the row has more than 16384 values");
  }

  @Test
  void aQuoteThatIsNeverClosedDoesNotSwallowRows() throws IOException {
    refuses(
        "a.csv",
        "input,target\nq1,a1\r\nq2,\"a2\nq3,a3\nq4,a4\n",
        "line 3, column 4: the quote that is opened here is never closed");
    refuses("b.csv", "input,\"target\na,b\n", "line 1", "never closed");
    refuses("c.csv", "input,target\n\"two\n\nlines\",x\nc,  \"d\"\"", "line 5", "never closed");
    refuses("d.csv", "input,target\na,\"", "line 2", "never closed");
    String manyRows = "a,b\n".repeat(20_000);
    refuses(
        "e.csv", "input,target\n" + manyRows + "c,\"d\n" + manyRows, "line 20002", "never closed");
    assertThat(
            read(
                    "f.csv",
                    "input,target\na \"b,\"\"\"c\"\"\"\n 5\" disc , \"x\" \n\"\nz\",\"y\"\"\"")
                .samples())
        .containsExactly(
            NumberedSample.of("1", "a \"b", "\"c\""),
            NumberedSample.of("2", "5\" disc", "x"),
            NumberedSample.of("3", "z", "y\""));
  }

  @Test
  void valuesMayBeLongButNotEndless() throws IOException {
    String book = "x".repeat(20 << 20);
    assertThat(read("a.csv", "input,target\n" + book + ",a\n").samples())
        .singleElement()
        .satisfies(sample -> assertThat(sample.input()).hasSameSizeAs(book));
    String longer = "input,target\na,b\nc," + "x".repeat(100_000);
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(
            () ->
                new CsvSource("b.csv", 50_000)
                    .read(
                        new StringReader(longer),
                        new Rows("b.csv", DatasetSpec.DEFAULT, directory)))
        .withMessageContainingAll("b.csv, line 3", "longer than 50000 characters");
  }

  @Test
  void jsonThatCannotBeUsedIsToldWithoutTheParsersJargon() {
    refuses(
        "a.jsonl",
        "{\"input\":\"a\",\"target\":\"b\"}\n{\"input\":\"a\",\"input\":\"c\",\"target\":\"b\"}",
        "line 2, column",
        "the key 'input' is there twice");
    for (String cut : List.of("[{\"input\":\"a\",", "[{\"input\":\"a", "[", "{\"input\":\"a\"")) {
      refuses("b.json", cut, "line 1, column", "it ends within a value");
    }
    refuses(
        "c.json",
        "{\"input\":\"a\",\n\"x\":" + "[".repeat(20_000),
        "c.json, line 2, column",
        "nested too deeply");
    for (String broken : List.of("[{\"input\":\"a\",}]", "[", "{\"a\":" + "[".repeat(2_000))) {
      assertThatExceptionOfType(ConfigurationException.class)
          .isThrownBy(() -> read("d.json", broken))
          .satisfies(
              thrown ->
                  assertThat(thrown.getMessage())
                      .doesNotContain("Source", "REDACTED", "StreamRead", "\n"));
    }
  }

  @Test
  void saysThatAFileIsMissingOrNotText() throws IOException {
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> DatasetFile.read(directory.resolve("nowhere.csv")))
        .withMessageContaining("nowhere.csv")
        .withMessageContaining("no such");
    for (String name : List.of("latin.csv", "latin.json")) {
      Path latin = directory.resolve(name);
      Files.write(latin, "[\"input,target\nä,ö\n".getBytes(StandardCharsets.ISO_8859_1));
      assertThatExceptionOfType(ConfigurationException.class)
          .isThrownBy(() -> DatasetFile.read(latin))
          .withMessageContaining("line 2, column 1: this is not UTF-8");
    }
  }
}
