package dev.weir.eval.dataset;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.weir.model.ConfigurationException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is wrong in a dataset is told with line, column and key, in plain words. */
class WrongDataTest {

  @TempDir Path directory;

  private void says(String name, String content, String message) {
    Path file = directory.resolve(name);
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> DatasetFile.read(Files.writeString(file, content)))
        .withMessageStartingWith(file + ", " + message);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '~',
      quoteCharacter = '^',
      textBlock =
          """
          id,input,target|1,a,b|#2#,c,d|1,e,f ~ line 4, column 1: `id`: the id '1' is taken by line 2
          input,target,id|a,b,x|#c, ##d###,e, x ~ line 3, column 14: `id`: the id 'x' is taken by line 2
          input,target,id|a,b,x|#c|d#,e,x ~ line 4, column 6: `id`: the id 'x' is taken by line 2
          input,target|a,b|c,d,e ~ line 3, column 5: the row has 3 values for 2 columns
          input,target|a,b|c ~ line 3, column 2: the row has no `target`
          input,target|a,b|,c ~ line 3, column 1: the row has no `input`
          input,traget|a,b ~ line 2, column 1: the row has no `target`; it has 'traget': did you mean 'target'?
          question,answer|a,b ~ line 2, column 1: the row has no `input`. Its columns are: question, answer; rename one, or name it under `dataset`: `fields: {input: COLUMN}`
          input;target|a;b ~ line 2, column 1: the row has no `input`; its only column is 'input;target': the columns must be separated by commas, not by semicolons
          input,x,target,x|a,b,c,d ~ line 1, column 16: the column 'x' is there twice
          input,target,choices|a,b,#['x', 'y']# ~ line 2, column 5: `choices` is in brackets, but no list in JSON
          input,target,metadata|a,b,level 3 ~ line 2, column 5: `metadata` must be a mapping
          input,target,setup|a,b,file:nowhere.sh ~ line 2, column 5: `setup`: there is no such file
          """)
  void aCsvFileWithLineAndColumn(String written, String message) {
    String rows = written.replace('#', '"');
    says("a.csv", rows.replace('|', '\n'), message);
    says("b.csv", rows.replace("|", "\r\n"), message);
    says("c.csv", rows.replace('|', '\r'), message);
  }

  @Test
  void theNinetyThousandthRowOfACsvFileToo() {
    String rows = "a question,\"an answer, or \"\"two\"\"\",1\n".repeat(90_000);
    says(
        "a.csv",
        "input,target,note\n" + rows + "\nb,c,2,d\n",
        "line 90003, column 7: the row has 4 values for 3 columns, 'note' the last");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '~',
      quoteCharacter = '^',
      textBlock =
          """
          {"input": "a", "target": "b", "choices": 7} ~ line 2, column 42: 'choices' must be a list of texts
          {"input": "a"} ~ line 2, column 1: the row has no 'target'
          {"input": "a", "target": } ~ line 2, column 26, at 'target': the file is not usable JSON: a value is missing before }
          {"input": "a", "target": "b",} ~ line 2, column 30, at 'target': the file is not usable JSON: there is a comma before the }; remove it
          {"input": 'a', "target": "b"} ~ line 2, column 11, at 'input': the file is not usable JSON: no value begins with '; texts are written in double quotes
          {input: "a", "target": "b"} ~ line 2, column 2: the file is not usable JSON: a key must be in double quotes, but here is i
          {"input": “a”, "target": "b"} ~ line 2, column 11, at 'input': the file is not usable JSON: no value begins with “; texts are written in double quotes
          {"input": "a" "target": "b"} ~ line 2, column 15, at 'input': the file is not usable JSON: a comma is missing before "
          {"input" "a"} ~ line 2, column 10, at 'input': the file is not usable JSON: a colon is missing between a key and its value
          {"input": yes, "target": "b"} ~ line 2, column 11, at 'input': the file is not usable JSON: 'yes' is no value
          {"input": "a\\x"} ~ line 2, column 14, at 'input': the file is not usable JSON: \\x means nothing in a text; write \\\\x
          {"input": "a", "target": NaN} ~ line 2, column 29, at 'target': the file is not usable JSON: NaN and Infinity are no values
          {"input": "a", "target": 007} ~ line 2, column 27, at 'target': the file is not usable JSON: a number must not begin with 0
          {"input": "a", "target": ["b"} ~ line 2, column 30, at 'target': the file is not usable JSON: there is a } where a list [ is to be closed first
          {"input": "a", "target": "b" ~ line 2, column 29, at 'target': the file is not usable JSON: it ends within a value
          {"input": "a", "target": "b ~ line 2, column 28, at 'target': the file is not usable JSON: it ends within a value
          [] ~ line 2, column 1: each row must be an object with 'input' and 'target'
          ^ [{"input": "a", "target": "b"}]^ ~ line 2, column 2: each row must be an object with 'input' and 'target'
          ["a", "b"] ~ line 2, column 1: each row must be an object with 'input' and 'target'
          """)
  void jsonLinesWithLineColumnAndKey(String line, String message) {
    says(
        "a.jsonl",
        "{\"input\": \"x\", \"target\": \"y\"}\n" + line + "\n",
        message.replaceAll("'(input|target|choices)'", "`$1`"));
  }

  @Test
  void aJsonArrayWithLineColumnItemAndKey() {
    says(
        "a.json",
        """
        [
          {"input": "a", "target": "b"},
          {"input": "a",
           "target": {"b": 1}}
        ]
        """,
        "line 4, column 14: `target` must be text or a list of texts");
    says(
        "b.json",
        "[{\"input\": \"a\", \"target\": \"b\"},\n{\"input\": \"a\nb\"}]",
        "line 2, column 13 (item 2), at `input`: the file is not usable JSON: a line ends within a"
            + " text");
  }

  @Test
  void aFileOfAFolderWithLineAndColumn() throws IOException {
    Path folder = Files.createDirectory(directory.resolve("samples"));
    Files.writeString(folder.resolve("a.yaml"), "input: x\ntarget: y\nmetadata: high\n");
    refusesFolder(folder, "file a.yaml, line 3, column 11: `metadata` must be a mapping");
    Files.writeString(folder.resolve("a.yaml"), "target: y\n");
    refusesFolder(folder, "file a.yaml, line 1, column 1: the row has no `input`");
    Files.writeString(folder.resolve("a.yaml"), "input: x\ntarget: y\n");
    Files.writeString(folder.resolve("b.json"), "{\"input\": \"x\",\n\"target\": [null]}");
    refusesFolder(folder, "file b.json, line 2, column 11: `target` must be text");
    Files.writeString(
        folder.resolve("b.json"), "{\"input\": \"x\",\n\"target\": 1, \"id\": \"a\"}");
    refusesFolder(
        folder, "file b.json, line 2, column 20: `id`: the id 'a' is taken by file a.yaml");
  }

  private static void refusesFolder(Path folder, String message) {
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> DatasetFile.read(folder))
        .withMessageStartingWith(folder + ", " + message);
  }

  @Test
  void halfACharacterInAnIdOrAKey() {
    String first = "{'input': 'a', 'target': 'b', 'id': 'whole'}\n".replace('\'', '"');
    says(
        "a.jsonl",
        first + "{'id': 'half\\ud800', 'input': 'a', 'target': 'b'}\n".replace('\'', '"'),
        "line 2, column 8: `id` has half a character, as \\ud83d without its other half; write");
    says(
        "b.jsonl",
        first + "{'input': 'a', 'target': 'b', 'k\\udc00': 1}\n".replace('\'', '"'),
        "line 2");
    says(
        "c.jsonl",
        first
            + "{'input': 'a', 'target': 'b', 'm': {'k\\udc00': 1, 'k\\udc01': 1}}\n"
                .replace('\'', '"'),
        "line 2, column 45, at `m`: the file is not usable JSON: a key has half a character");
    says(
        "d.jsonl",
        first
            + "{'input': 'a', 'target': 'b', 'm': {'k\\ud800': 1, 'k\\ud801': 1}}\n"
                .replace('\'', '"'),
        "line 2");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Dataset.of(new Sample("half\ud800", "a", "b")))
        .withMessageContaining("the id 'half\uFFFD' has half a character");
  }

  @Test
  void halvesOfCharactersInOtherTextsBecomeMarks() throws IOException {
    Path file = directory.resolve("a.jsonl");
    Files.writeString(
        file,
        "{'id': '\\ud83d\\ude00', 'input': 'cut \\ud83d', 'target': ['\\ude00b'], 'metadata': {'k': ['\\ud83d\\ude00\\ud83d']}}"
            .replace('\'', '"'));
    Sample sample = DatasetFile.read(file).samples().getFirst();
    assertThat(sample.id()).isEqualTo("\ud83d\ude00");
    assertThat(sample.input()).isEqualTo("cut \uFFFD");
    assertThat(sample.targets()).containsExactly("\uFFFDb");
    assertThat(sample.metadata()).isEqualTo(Map.of("k", List.of("\ud83d\ude00\uFFFD")));
  }
}
