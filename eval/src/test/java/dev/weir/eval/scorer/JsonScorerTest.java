package dev.weir.eval.scorer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.model.ConfigurationException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JsonScorerTest {

  @TempDir Path directory;

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "{\"a\": 1}; 1; 1",
        "[1, 2]; 1; 1",
        "{\"a\": 1; 0; 0",
        "{\"a\": 1} and more; 0; 0",
        "'Here:\n```json\n{\"a\": 1}\n```\nDone.'; 1; 0",
        "'```python\nx = 1\n```\n```\n[1]\n```'; 1; 0",
        "'```json\n{\"a\": 1}'; 0; 0",
        "''; 0; 0",
        "plain text; 0; 0",
      })
  void theOutputMustBeJson(String output, double lenient, double strict) throws Exception {
    assertThat(Scoring.value("json", Map.of(), output, "unused")).isEqualTo(lenient);
    assertThat(Scoring.value("json", Map.of("strict", true), output, "unused")).isEqualTo(strict);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "/name; Ada; 1",
        "$.name; ada; 0",
        "$['first name']; Lovelace; 1",
        "$[\"first name\"]; Lovelace; 1",
        "/tags/1; two; 1",
        "$.tags[-1]; two; 1",
        "$.tags[5]; two; 0",
        "$.tags[*]; two; 1",
        "$.tags.*; three; 0",
        "$.age; 36.0; 1",
        "$.age; 37; 0",
        "$.alive; false; 1",
        "$.none; null; 1",
        "$.missing; null; 0",
        "/a~1b/0; 7; 1",
        "$.tags; [\"one\", \"two\"]; 1",
        "$.tags; [\"two\", \"one\"]; 0",
        "$.deep; {\"y\": [2.0], \"x\": 1}; 1",
        "$.deep; {\"x\": 1}; 0",
        "$.deep.y[0]; 2; 1",
      })
  void aPathLeadsToTheTarget(String path, String target, double value) throws Exception {
    String output =
        """
        {"name": "Ada", "first name": "Lovelace", "tags": ["one", "two"], "age": 36,
         "alive": false, "none": null, "a/b": [7], "deep": {"x": 1, "y": [2]}}
        """;
    assertThat(Scoring.value("json", Map.of("path", path), output, target)).isEqualTo(value);
  }

  @Test
  void theWholeDocumentCanBeCompared() throws Exception {
    assertThat(Scoring.value("json", Map.of("path", "$"), "[1, 2.50]", "[1.0,2.5]")).isEqualTo(1);
    assertThat(Scoring.value("json", Map.of("path", "$"), "[1, 2]", "[1]")).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"name", "$.a..b", "$[?(@.a)]", "$[1:2]", "$.a[", "$a"})
  void aPathThatIsNoneIsRefused(String path) {
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> Scorers.of("json", Map.of("path", path)))
        .withMessageStartingWith("`path` must be a pointer such as /users/0/name")
        .withMessageEndingWith("was '%s'", path);
  }

  private static final Map<String, Object> PERSON =
      Map.of(
          "type",
          "object",
          "required",
          List.of("name", "age"),
          "properties",
          Map.of(
              "name", Map.of("type", "string", "minLength", 2),
              "age", Map.of("type", "integer", "minimum", 0),
              "kind", Map.of("enum", List.of("human", 1)),
              "tags", Map.of("type", "array", "uniqueItems", true)));

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "{\"name\": \"Ada\", \"age\": 36}; 1",
        "{\"name\": \"Ada\", \"age\": 36.0}; 1",
        "{\"name\": \"Ada\", \"age\": 36.5}; 0",
        "{\"name\": \"A\", \"age\": 36}; 0",
        "{\"name\": \"Ada\"}; 0",
        "{\"name\": \"Ada\", \"age\": -1}; 0",
        "{\"name\": \"Ada\", \"age\": 1, \"kind\": \"human\"}; 1",
        "{\"name\": \"Ada\", \"age\": 1, \"kind\": 1.0}; 1",
        "{\"name\": \"Ada\", \"age\": 1, \"kind\": \"robot\"}; 0",
        "{\"name\": \"Ada\", \"age\": 1, \"tags\": [1, 2]}; 1",
        "{\"name\": \"Ada\", \"age\": 1, \"tags\": [1, 1.0]}; 0",
        "[]; 0",
      })
  void theOutputMustFitTheSchema(String output, double value) throws Exception {
    assertThat(Scoring.value("json", Map.of("schema", PERSON), output, "unused")).isEqualTo(value);
  }

  @Test
  void saysWhatDoesNotFit() throws Exception {
    Score score =
        Scoring.score(
            Scorers.of("json", Map.of("schema", PERSON)), "{\"name\": \"Ada\", \"age\": \"x\"}");
    assertThat(score.explanation().orElseThrow())
        .startsWith("the output does not fit the schema: /age: ");
  }

  @Test
  void schemaAndPathHoldTogether() throws Exception {
    Map<String, Object> both = Map.of("schema", PERSON, "path", "/name");
    assertThat(Scoring.value("json", both, "{\"name\": \"Ada\", \"age\": 1}", "Ada")).isEqualTo(1);
    assertThat(Scoring.value("json", both, "{\"name\": \"Bob\", \"age\": 1}", "Ada")).isZero();
    assertThat(Scoring.value("json", both, "{\"name\": \"Ada\"}", "Ada")).isZero();
  }

  @Test
  void aSchemaMayBeAFile() throws Exception {
    Path file = Files.writeString(directory.resolve("schema.json"), "{\"type\": \"array\"}");
    Map<String, Object> given = Map.of("schema", file.toString());
    assertThat(Scoring.value("json", given, "[]", "unused")).isEqualTo(1);
    assertThat(Scoring.value("json", given, "{}", "unused")).isZero();
    Files.writeString(file, "{");
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> Scorers.of("json", given))
        .withMessage("`schema` is not JSON: " + file);
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> Scorers.of("json", Map.of("schema", "nowhere.json")))
        .withMessage("`schema` cannot be used: nowhere.json: there is no such file");
  }

  @Test
  void aSchemaThatIsNoneIsRefused() {
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> Scorers.of("json", Map.of("schema", Map.of("type", "strin"))))
        .withMessageStartingWith("`schema` is no usable JSON schema: ");
  }
}
