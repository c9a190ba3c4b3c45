package dev.weir.scripting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.eval.Evaluation;
import dev.weir.eval.Host;
import dev.weir.eval.option.Settings;
import dev.weir.eval.promptfoo.PromptfooConfig;
import dev.weir.log.RunLogReader;
import dev.weir.log.SampleResult;
import dev.weir.model.ConfigurationException;
import dev.weir.time.Time;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** JavaScript in the assertions of whole configurations. */
class ScriptAssertionsTest {

  private static final String START = "providers: echo\nprompts: [x]\n";

  @TempDir Path directory = Path.of("");

  /** Of each test whether it passed, or its error. */
  private Map<String, String> outcomes(String yaml) throws IOException {
    Path file = Files.writeString(directory.resolve("promptfooconfig.yaml"), START + yaml);
    Evaluation.Finished finished =
        Evaluation.prepare(
                Time.system(),
                PromptfooConfig.read(file, Map.of()),
                Settings.NONE.with("log_dir", directory.resolve("logs")).with("seed", 1),
                new Host(Map.of(), Optional.empty(), (_, _) -> {}))
            .run();
    Map<String, String> outcomes = new TreeMap<>();
    try (var log = RunLogReader.open(finished.runs().getFirst().file().orElseThrow())) {
      for (var next = log.sample(); next.isPresent(); next = log.sample()) {
        SampleResult sample = next.get();
        outcomes.put(
            sample.id(),
            sample
                .error()
                .orElseGet(
                    () ->
                        Objects.requireNonNull(sample.scores().get("pass")).value() == 1
                            ? "pass"
                            : "fail"));
      }
    }
    return outcomes;
  }

  private String problems(String yaml) throws IOException {
    Path file = Files.writeString(directory.resolve("promptfooconfig.yaml"), START + yaml);
    try {
      PromptfooConfig.read(file, Map.of());
      return "";
    } catch (ConfigurationException found) {
      return String.valueOf(found.getMessage());
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '§',
      quoteCharacter = '~',
      value = {
        "javascript § output == '{{k}}' § pass",
        "not-javascript § output == '{{k}}' § fail",
        "javascript § output == {{k}} § pass",
        "javascript § output == {{ k + 1 }} § fail",
        "javascript § {% if k > 3 %}output === '5'{% else %}false{% endif %} § pass",
        "javascript § const n = {{k}}; n === context.vars.k § pass",
        "javascript § output == '{{none}}' § fail",
        "javascript § {{list}}.includes(Number(output)) § pass",
        "javascript § '{{data}}' === 'a {' + '% if %} 5' § pass",
        // Braces of code are no template.
        "javascript § ({a:{b:output}}).a.b === '5' && `${output}}` === '5}' § pass",
      })
  void scriptsAreTemplates(String type, String value, String expected) throws IOException {
    String test =
        """
        tests:
          - vars: {k: 5, list: [1, 5], data: 'a {%% if %%} {{k}}'}
            providerOutput: '5'
            assert:
              - type: %s
                value: |-
                  %s
        """
            .formatted(type, value);
    assertThat(outcomes(test)).containsEntry("1", expected);
  }

  @Test
  void aTemplateThatIsNoJavaScriptIsToldWhenItIsRead() throws IOException {
    String check = "{type: javascript, value: 'output == ({{k}}'}";
    assertThat(problems("tests: [{vars: {k: 5}, assert: [" + check + "]}]"))
        .contains(
            "line 3, column 59: filled with the variables of the test at ",
            "promptfooconfig.yaml, line 3, column 9, this JavaScript cannot be read: ");
    assertThat(
            problems(
                "defaultTest: {assert: [{type: assert-set, assert: ["
                    + check
                    + "]}]}\ntests: [{vars: {k: 5}}, {vars: {k: 6}}]"))
        .containsOnlyOnce("this JavaScript cannot be read");
    assertThat(problems("tests: [{assert: [{type: javascript, value: '{{ k | uper }} == 1'}]}]"))
        .contains("upper");
    // Braces of code that would be filled, and cannot be.
    assertThat(problems("tests: [{assert: [{type: javascript, value: '[{{a:1}}]'}]}]"))
        .contains("line 3, column 45: this cannot be filled with the variables of the test at ");
    assertThat(problems("tests: [{assert: [{type: javascript, value: '/^{#/.test(output)'}]}]"))
        .contains("the template cannot be used")
        .doesNotContain("this JavaScript");
    // Variables that are made later may mend it.
    assertThat(
            problems(
                "tests: [{vars: {k: '('}, options: {transformVars: '({k: 5})'}, assert: [{type:"
                    + " javascript, value: 'output == {{k}}'}]}]"))
        .isEmpty();
  }

  @Test
  void whatOnlyOneTestMakesUnreadableIsItsError() throws IOException {
    Map<String, String> outcomes =
        outcomes(
            """
            defaultTest: {assert: [{type: not-javascript, value: 'output == {{k}}'}]}
            tests:
              - {vars: {k: 4}, providerOutput: '5'}
              - {vars: {k: ''}, providerOutput: '5'}
            """);
    assertThat(outcomes).containsEntry("1", "pass");
    assertThat(outcomes.get("2"))
        .contains("promptfooconfig.yaml, line 3", "this JavaScript cannot be read");
  }

  @Test
  void filesAreNoTemplates() throws IOException {
    Files.writeString(
        directory.resolve("check.js"), "module.exports = output => '{{k}}'.length === 5;");
    assertThat(
            outcomes(
                "tests: [{vars: {k: 5}, providerOutput: a, assert: [{type: javascript, value:"
                    + " 'file://check.js'}]}]"))
        .containsEntry("1", "pass");
  }

  @Test
  void aPromiseThatIsNeverKeptIsNoVerdict() throws IOException {
    Map<String, String> outcomes =
        outcomes(
            """
            tests:
              - {providerOutput: a, assert: [{type: javascript, value: 'Promise.resolve(1)'}]}
              - {providerOutput: a, assert: [{type: not-javascript, value: 'new Promise(() => {})'}]}
            """);
    assertThat(outcomes).containsEntry("1", "pass");
    assertThat(outcomes.get("2")).contains("a promise that is never kept");
  }

  @Test
  void aScriptThatReturnsNothingIsToldWhenItIsRead() {
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(
            () -> outcomes("tests: [{assert: [{type: javascript, value: 'const x = output;'}]}]"))
        .withMessageContaining("line 3, column 45: this JavaScript returns nothing");
  }
}
