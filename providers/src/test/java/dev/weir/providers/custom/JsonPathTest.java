package dev.weir.providers.custom;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.model.ConfigurationException;
import dev.weir.providers.http.ConfigFile;
import dev.weir.providers.http.Json;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JsonPathTest {

  private static final String JSON =
      """
      {"a": {"b-c": [{"d": 1}, {"d": 2}], "the text": "x", "$k_1": true}, "e": [[3, 4]], "n": null}
      """;

  @TempDir Path folder;

  private JsonPath path(String text) throws Exception {
    Path file = Files.writeString(folder.resolve("c.yaml"), "path: \"" + text + "\"");
    ConfigFile.Value root = ConfigFile.read(file, "a path");
    return JsonPath.of(Objects.requireNonNull(root.mapping("the file").get("path")), "`path`");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "$.a.b-c[0].d | 1",
        "$.a.b-c[1].d | 2",
        "$.a.b-c[-1].d | 2",
        "$['a']['the text'] | \"x\"",
        "$.a['$k_1'] | true",
        "$.a.$k_1 | true",
        "$.e[0][1] | 4",
        "$.e[0] | [3,4]",
        "$.e[7] | null",
        "$.e[-7] | null",
        "$.e.a | null",
        "$.a[0] | null",
        "$.a.the.text.is.absent | null",
        "$.n | null",
        "$.n.m | null",
      })
  void leadsToAValue(String text, String value) throws Exception {
    assertThat(path(text).in(Json.parse(JSON))).hasToString(value);
    assertThat(path(text)).hasToString(text);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "a", "a.b", ".a", "$a", "$.", "$..a", "$.a[", "$.a[x]", "$.a[*]", "$.a b", "$['']"
      })
  void refusesWhatIsNoPath(String text) {
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> path(text))
        .withMessageContaining("c.yaml, line 1, column 7: `path` must be a path such as $.choices")
        .withMessageContaining("'" + text + "'");
  }
}
