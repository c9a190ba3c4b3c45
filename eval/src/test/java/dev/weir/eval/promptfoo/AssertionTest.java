package dev.weir.eval.promptfoo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.within;

import dev.weir.eval.sample.Used;
import dev.weir.eval.scorer.NoScoreException;
import dev.weir.model.Message;
import dev.weir.model.price.Spend;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Each type of assertion, as promptfoo documents it. */
class AssertionTest {

  @TempDir Path directory;
  private Bench bench = new Bench(Path.of(""));

  @BeforeEach
  void open() {
    bench.close();
    bench = new Bench(directory);
  }

  @AfterEach
  void close() {
    bench.close();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{type: equals, value: Paris} | Paris | true",
        "{type: equals, value: Paris} | Paris. | false",
        "{type: not-equals, value: Paris} | Paris. | true",
        "{type: equals, value: 42} | 42 | true",
        "{type: equals, value: {a: 1, b: [x]}} | {\"b\": [\"x\"], \"a\": 1.0} | true",
        "{type: equals, value: {a: 1}} | {\"a\": 2} | false",
        "{type: equals, value: {a: 1}} | no JSON | false",
        "{type: contains, value: arc} | Jeanne d'arc | true",
        "{type: contains, value: ARC} | Jeanne d'arc | false",
        "{type: contains, value: 7} | 17 apples | true",
        "{type: not-contains, value: sorry} | Sure! | true",
        "{type: not-contains, value: sorry} | I am sorry | false",
        "{type: icontains, value: ARC} | Jeanne d'arc | true",
        "{type: not-icontains, value: ARC} | Jeanne d'arc | false",
        "{type: contains-any, value: [cat, dog]} | a dog | true",
        "{type: contains-any, value: [cat, dog]} | a Dog | false",
        "{type: contains-any, value: 'cat, dog'} | a dog | true",
        "{type: contains-any, value: '\"a, b\", c'} | here: a, b | true",
        "{type: contains-any, value: '\"a, b\", c'} | here: a and b | false",
        "{type: icontains-any, value: [cat, dog]} | a Dog | true",
        "{type: contains-all, value: [cat, dog]} | dog and cat | true",
        "{type: contains-all, value: [cat, dog]} | dog and Cat | false",
        "{type: icontains-all, value: 'cat,dog'} | dog and Cat | true",
        "{type: not-contains-all, value: [cat, dog]} | dog | true",
        "{type: starts-with, value: 'Yes'} | Yes, sir | true",
        "{type: starts-with, value: 'Yes'} | yes, sir | false",
        "{type: regex, value: '\\d{4}'} | in 1989 | true",
        "{type: regex, value: '^\\d{4}$'} | in 1989 | false",
        "{type: not-regex, value: '\\d'} | none | true",
        "{type: regex, value: '{\"a\": \\d+}'} | {\"a\": 12} | true",
        "{type: regex, value: '^\\p{Lu}{2}{$'} | AB{ | true",
        "{type: is-json} | {\"a\": [1]} | true",
        "{type: is-json} | {\"a\": } | false",
        "{type: is-json} | {} and more | false",
        "{type: not-is-json} | text | true",
        "{type: is-json, value: {type: object, required: [a], properties: {a: {type: integer}}}} |"
            + " {\"a\": 1.0} | true",
        "{type: is-json, value: {type: object, required: [a], properties: {a: {type: integer}}}} |"
            + " {\"a\": \"1\"} | false",
        "{type: is-json, value: '{\"type\": \"array\"}'} | [1] | true",
        "{type: is-json, value: '{\"type\": \"array\"}'} | {} | false",
        "{type: contains-json} | Here you are: {\"a\": 1}. Enjoy! | true",
        "{type: contains-json} | Here you are: {a}. Enjoy! | false",
        "{type: contains-json, value: {required: [b]}} | {\"a\": 1} then {\"b\": 1} | true",
        "{type: contains-json, value: {required: [c]}} | {\"a\": 1} then {\"b\": 1} | false",
        "{type: is-xml} | <a><b/></a> | true",
        "{type: is-xml} | <a><b></a> | false",
        "{type: is-xml} | text | false",
        "{type: is-xml, value: 'a.b, a.c.d'} | <a><b/><c><d/></c></a> | true",
        "{type: is-xml, value: [a.b, a.d]} | <a><b/><c><d/></c></a> | false",
        "{type: is-xml, value: {requiredElements: [a.b]}} | <a><b>1</b></a> | true",
        "{type: word-count, value: 3} | one  two three | true",
        "{type: word-count, value: {min: 2, max: 3}} | one | false",
        "{type: word-count, value: {min: 2}} | one two | true",
        "{type: word-count, value: {max: 2}} | one two three | false",
        "{type: not-word-count, value: 3} | one | true",
        "{type: levenshtein, value: kitten, threshold: 3} | sitting | true",
        "{type: levenshtein, value: kitten, threshold: 2} | sitting | false",
        "{type: levenshtein, value: kitten} | sitting | true",
      })
  void textsAndDataAreRightOrWrong(String assertion, String output, boolean pass) throws Exception {
    Verdict verdict = bench.check(assertion, output);
    assertThat(verdict.pass()).isEqualTo(pass);
    assertThat(verdict.score()).isEqualTo(pass ? 1 : 0);
    assertThat(verdict.reason().isEmpty()).isEqualTo(pass);
  }

  @Test
  void valuesAreTemplates() throws Exception {
    assertThat(
            bench
                .check("{type: contains, value: '{{city}}'}", "Paris", Map.of("city", "Paris"))
                .pass())
        .isTrue();
    assertThat(
            bench
                .check(
                    "{type: contains-all, value: ['{{city}}', '{{ country | upper }}']}",
                    "Paris, FRANCE",
                    Map.of("city", "Paris", "country", "France"))
                .pass())
        .isTrue();
    assertThat(
            bench
                .check("{type: equals, value: {a: '{{x}}'}}", Map.of("a", "1"), Map.of("x", 1))
                .pass())
        .isTrue();
  }

  @Test
  void valuesMayBeInFiles() throws Exception {
    Files.writeString(directory.resolve("schema.json"), "{\"required\": [\"name\"]}");
    Files.writeString(directory.resolve("text.txt"), "Paris");
    assertThat(bench.check("{type: is-json, value: 'file://schema.json'}", "{\"name\": 1}").pass())
        .isTrue();
    assertThat(bench.check("{type: is-json, value: 'file://schema.json'}", "{}").pass()).isFalse();
    assertThat(bench.check("{type: contains, value: 'file://text.txt'}", "In Paris").pass())
        .isTrue();
  }

  @Test
  void nothingOutsideIsReadForXml() throws Exception {
    String bomb = "<!DOCTYPE a [<!ENTITY x SYSTEM \"file:///etc/passwd\">]><a>&x;</a>";
    assertThat(bench.check("{type: is-xml}", bomb).pass()).isFalse();
  }

  @Test
  void aRegularExpressionThatNeverEndsIsEnded() {
    assertThatExceptionOfType(NoScoreException.class)
        .isThrownBy(() -> bench.check("{type: regex, value: '(x+x+)+\\1y'}", "x".repeat(60)))
        .withMessageContaining("takes too long");
  }

  @Test
  void shareOfCommonWordsIsAScore() throws Exception {
    Verdict rouge = bench.check("{type: rouge-n, value: the cat sat}", "The cat stood");
    assertThat(rouge.score()).isCloseTo(2.0 / 3, within(1e-9));
    assertThat(rouge.pass()).isFalse();
    assertThat(
            bench
                .check("{type: rouge-n, value: the cat sat, threshold: 0.6}", "The cat stood")
                .pass())
        .isTrue();
    String text = "the quick brown fox jumps over the dog";
    assertThat(bench.check("{type: bleu, value: %s}".formatted(text), text).score())
        .isCloseTo(1, within(1e-9));
    // Seven of eight words; of pairs, triples and fours those that the last word does not touch.
    assertThat(
            bench
                .check(
                    "{type: bleu, value: %s}".formatted(text),
                    "the quick brown fox jumps over the cat")
                .score())
        .isCloseTo(Math.pow(7.0 / 8 * 6 / 7 * 5 / 6 * 4 / 5, 0.25), within(1e-9));
    assertThat(
            bench
                .check("{type: bleu, value: [unrelated words only here, %s]}".formatted(text), text)
                .pass())
        .isTrue();
  }

  @Test
  void costAndLatencyAreThoseOfTheCallAlone() throws Exception {
    bench.used(new Used(Duration.ofMillis(1500), new Spend(new BigDecimal("0.0021"), 1, 0)));
    assertThat(bench.check("{type: latency, threshold: 1500}", "x").pass()).isTrue();
    assertThat(bench.check("{type: latency, threshold: 1499}", "x").reason()).contains("1500 ms");
    assertThat(bench.check("{type: cost, threshold: 0.003}", "x").pass()).isTrue();
    assertThat(bench.check("{type: cost, threshold: 0.002}", "x").reason()).contains("$0.0021");
    bench.used(new Used(Duration.ZERO, new Spend(BigDecimal.ZERO, 0, 1)));
    assertThatExceptionOfType(NoScoreException.class)
        .isThrownBy(() -> bench.check("{type: cost, threshold: 1}", "x"))
        .withMessageContaining("--prices");
  }

  @Test
  void callsOfFunctionsMustFitWhatWasOffered() throws Exception {
    bench.tools(
        """
        tools:
          - type: function
            function:
              name: weather
              parameters: {type: object, required: [city], properties: {city: {type: string}}}
        """);
    Map<String, Object> right = Map.of("name", "weather", "arguments", "{\"city\": \"Rome\"}");
    Map<String, Object> wrong = Map.of("name", "weather", "arguments", "{\"city\": 1}");
    Map<String, Object> unknown = Map.of("name", "whether", "arguments", "{}");
    for (String one : List.of("is-valid-openai-function-call", "is-valid-function-call")) {
      assertThat(bench.check("{type: %s}".formatted(one), right).pass()).isTrue();
      assertThat(bench.check("{type: %s}".formatted(one), wrong).reason()).contains("/city");
      assertThat(bench.check("{type: %s}".formatted(one), unknown).reason())
          .contains("whether", "weather");
      assertThat(bench.check("{type: %s}".formatted(one), "just text").pass()).isFalse();
    }
    for (String many : List.of("is-valid-openai-tools-call", "is-valid-function-call")) {
      assertThat(
              bench.check("{type: %s}".formatted(many), List.of(call(right), call(right))).pass())
          .isTrue();
      assertThat(
              bench.check("{type: %s}".formatted(many), List.of(call(right), call(wrong))).pass())
          .isFalse();
      assertThat(
              bench
                  .check(
                      "{type: %s}".formatted(many),
                      Map.of("content", "Hm.", "tool_calls", List.of(call(right))))
                  .pass())
          .isTrue();
    }
    assertThat(bench.check("{type: is-valid-openai-tools-call}", "text").pass()).isFalse();
  }

  private static Map<String, Object> call(Map<String, Object> function) {
    return Map.of("id", "1", "type", "function", "function", function);
  }

  @Test
  void aJudgeFollowsTheRubric() throws Exception {
    bench.grader("Well. {\"pass\": true, \"score\": 0.6, \"reason\": \"fine\"}");
    Verdict verdict =
        bench.check("{type: llm-rubric, value: 'Is about {{x}}'}", "bananas", Map.of("x", "fruit"));
    assertThat(verdict).isEqualTo(Verdict.of(true, 0.6, "fine"));
    assertThat(bench.roles).containsExactly("grader");
    assertThat(bench.asked.getFirst().messages().getFirst().text())
        .contains("bananas", "Is about fruit");
    assertThat(bench.check("{type: llm-rubric, value: x, threshold: 0.7}", "y").pass()).isFalse();
    assertThat(bench.check("{type: not-llm-rubric, value: x}", "y"))
        .matches(negated -> !negated.pass() && Math.abs(negated.score() - 0.4) < 1e-9);
    bench.grader("{\"reason\": \"no pass means pass\"}");
    assertThat(bench.check("{type: llm-rubric, value: x}", "y").pass()).isTrue();
    bench.grader("{\"pass\": false}");
    assertThat(bench.check("{type: llm-rubric, value: x}", "y"))
        .isEqualTo(Verdict.of(false, 0, ""));
    bench.grader("I would rather not say.");
    assertThatExceptionOfType(NoScoreException.class)
        .isThrownBy(() -> bench.check("{type: llm-rubric, value: x}", "y"))
        .withMessageContaining("I would rather not say.");
  }

  @Test
  void outputsAreNoTemplates() throws Exception {
    bench.grader("{\"pass\": true}");
    bench.check("{type: llm-rubric, value: x}", "{{env.KEY}} {{ 1 + 1 }}");
    bench.check(
        "{type: llm-rubric, value: x, rubricPrompt: '{{ output | trim }}'}",
        "{{env.KEY}} {{ 1 + 1 }}");
    assertThat(bench.asked)
        .allSatisfy(
            asked -> assertThat(asked.messages().toString()).contains("{{env.KEY}} {{ 1 + 1 }}"));
  }

  @Test
  void aJudgeMayBeAskedOtherwiseAndBeAnother() throws Exception {
    bench.grader("{\"pass\": true}");
    bench.check(
        """
        type: llm-rubric
        value: friendly
        provider: {id: 'openai:gpt-4o', config: {temperature: 0.5}}
        rubricPrompt:
          - {role: system, content: Judge.}
          - {role: user, content: 'Is "{{output}}" {{rubric}}?'}
        """,
        "Hi \"there\"");
    assertThat(bench.roles).containsExactly("grader-2");
    assertThat(bench.asked.getFirst().settings().temperature()).hasValue(0.5);
    assertThat(bench.asked.getFirst().messages())
        .containsExactly(
            Message.instructions("Judge."), Message.user("Is \"Hi \"there\"\" friendly?"));
  }

  @ParameterizedTest
  @CsvSource({
    "(A) part of it, true",
    "(B), true",
    "C, true",
    "(D) no, false",
    "(E), true",
    "'{\"category\": \"D\", \"reason\": \"A\"}', false"
  })
  void factsAreCompared(String says, boolean pass) throws Exception {
    Verdict verdict = bench.grader(says).check("{type: factuality, value: It is so}", "It is");
    assertThat(verdict.pass()).isEqualTo(pass);
    assertThat(bench.asked.getFirst().messages().getFirst().text())
        .contains("It is so", "What is it?");
  }

  @Test
  void aCriterionIsMetOrNot() throws Exception {
    assertThat(
            bench
                .grader("Yes, it is.\nY")
                .check("{type: model-graded-closedqa, value: polite}", "x")
                .pass())
        .isTrue();
    assertThat(
            bench
                .grader("Y? No.\nN")
                .check("{type: model-graded-closedqa, value: polite}", "x")
                .pass())
        .isFalse();
    bench.grader("perhaps");
    assertThatExceptionOfType(NoScoreException.class)
        .isThrownBy(() -> bench.check("{type: model-graded-closedqa, value: polite}", "x"));
  }

  @Test
  void severalCriteriaAreAveraged() throws Exception {
    bench.grader("1. Look.\n{\"score\": 8, \"reason\": \"good\"}");
    Verdict verdict = bench.check("{type: g-eval, value: [clear, short]}", "x");
    assertThat(verdict).isEqualTo(Verdict.of(true, 0.8, "good; good"));
    assertThat(bench.asked).hasSize(2);
    assertThat(bench.check("{type: g-eval, value: clear, threshold: 0.9}", "x").pass()).isFalse();
  }

  @Test
  void similarIsTheCosineToTheNearest() {
    var check =
        new SimilarCheck(
            Bench.yaml("[up, right]"),
            0.75,
            text ->
                switch (text) {
                  case "up" -> new float[] {0, 1};
                  case "right" -> new float[] {2, 0};
                  default -> new float[] {1, 1};
                });
    var answer =
        new Answer(
            "diagonal",
            "",
            TestCases.EMPTY,
            java.util.Optional.empty(),
            TestCases.TARGET,
            Templates.WITHOUT_ENVIRONMENT);
    Verdict verdict = check.check(answer, TestCases.NO_CONTEXT);
    assertThat(verdict.score()).isCloseTo(Math.sqrt(0.5), within(1e-6));
    assertThat(verdict.pass()).isFalse();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "len(output) > 3 | true | 1",
        "0 | false | 0",
        "str('{\"pass\": true, \"score\": 0.5}') | true | 0.5",
        "{'pass': False, 'score': 0.5} | false | 0.5",
        "context['vars']['x'] == 'y' | true | 1",
        "1 / 0 | false | 0",
        "print('noise') or True | true | 1",
      })
  void pythonJudgesInline(String code, boolean pass, double score) throws Exception {
    Verdict verdict =
        bench.check("type: python\nvalue: |\n  " + code + "\n", "hello", Map.of("x", "y"));
    assertThat(verdict.pass()).isEqualTo(pass);
    assertThat(verdict.score()).isEqualTo(score);
  }

  @Test
  void pythonJudgesByABodyOrAFile() throws Exception {
    String body =
        """
        type: python
        threshold: 0.5
        value: |
          import math
          words = output.split()
          return math.sqrt(len(words)) / 10
        """;
    assertThat(bench.check(body, "one two three four"))
        .isEqualTo(Verdict.of(false, 0.2, "the script returned 0.2"));
    Files.writeString(directory.resolve("helper.py"), "LIMIT = 3\n");
    Files.writeString(
        directory.resolve("check.py"),
        """
        import os
        from helper import LIMIT

        def get_assert(output, context):
            return {"pass": len(output) > LIMIT, "score": 0.9, "reason": context["prompt"]}

        def secrets(output, context):
            return "OPENAI_API_KEY" not in os.environ and "HOME" in os.environ
        """);
    assertThat(bench.check("{type: python, value: 'file://check.py'}", "hello"))
        .isEqualTo(Verdict.of(true, 0.9, "What is it?"));
    assertThat(bench.check("{type: python, value: 'file://check.py:secrets'}", "hello").pass())
        .isTrue();
    assertThatExceptionOfType(NoScoreException.class)
        .isThrownBy(() -> bench.check("{type: python, value: 'file://check.py:missing'}", "x"))
        .withMessageContaining("missing");
    assertThat(directory.resolve("__pycache__")).doesNotExist();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "int(output) == {{k}} | true",
        "int(output) == {{ k + 1 }} | false",
        "output == '{{k}}' | true",
        "{'a': {'b': output}}['a']['b'] == '5' | true",
        "f'{output}}}' == '5}' | true",
        "{% raw %}f'{{{output}}}'{% endraw %} == '{5}' | true",
      })
  void pythonIsATemplate(String code, boolean pass) throws Exception {
    String assertion = "type: python\nvalue: |-\n  " + code + "\n";
    assertThat(bench.check(assertion, "5", Map.of("k", 5)).pass()).isEqualTo(pass);
  }

  @Test
  void anUnknownFilterInPythonIsTold() {
    assertThat(bench.problem("{type: python, value: '{{ k | uper }} == 1'}")).contains("upper");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "import math; math.sqrt(9) == 3 | true",
        "n = len(output); {'pass': n > 3, 'score': 0.5} | false",
        "n = 1; (lambda: n)() | true",
        "json.loads(output)['a'] == 1 | true",
        "d = json.loads(output); d['a'] == 2 | false",
      })
  void pythonGivesItsLastExpression(String code, boolean pass) throws Exception {
    for (String lines : List.of(code, code.replace("; ", "\n"))) {
      String assertion = "type: python\nvalue: |\n" + lines.indent(2);
      assertThat(
              bench.check(assertion, "{\"a\": 1}".substring(code.contains("n >") ? 7 : 0)).pass())
          .isEqualTo(pass);
    }
  }

  @Test
  void pythonThatReturnsNothingIsAnErrorAndNoVerdict() {
    for (String code : List.of("x = 1", "'# nothing'", "'def f(): return 1'")) {
      assertThatExceptionOfType(NoScoreException.class)
          .isThrownBy(() -> bench.check("{type: not-python, value: " + code + "}", "x"))
          .withMessageContaining("it returns nothing");
    }
  }

  @Test
  void textsOverSeveralLinesAreLeftAloneInPython() throws Exception {
    String assertion = "type: python\nvalue: |\n  x = \"\"\"a\n  b\"\"\"\n  return x == 'a\\nb'\n";
    assertThat(bench.check(assertion, "x").pass()).isTrue();
  }

  @Test
  void pythonMustSayWhatItThinks() {
    assertThatExceptionOfType(NoScoreException.class)
        .isThrownBy(() -> bench.check("{type: python, value: 'None'}", "x"))
        .withMessageContaining("must return");
  }

  @Test
  void aSetHasAThresholdOfItsOwn() throws Exception {
    String set =
        """
        type: assert-set
        threshold: 0.5
        metric: quality
        assert:
          - {type: contains, value: a, metric: '{{name}}'}
          - {type: contains, value: z, weight: 3}
        """;
    Graded low = bench.grade(set, "a", Map.of("name", "first")).getFirst();
    assertThat(low.verdict().pass()).isFalse();
    assertThat(low.verdict().score()).isEqualTo(0.25);
    Graded high = bench.grade(set, "z", Map.of("name", "first")).getFirst();
    assertThat(high.verdict().pass()).isTrue();
    assertThat(Graded.namedScores(List.of(high))).isEqualTo(Map.of("quality", 0.75, "first", 0.0));
    Verdict strict =
        bench.check(
            "{type: assert-set, assert: [{type: contains, value: a}, {type: contains, value: z}]}",
            "a");
    assertThat(strict.pass()).isFalse();
    assertThat(strict.reason()).contains("contains", "'z'");
  }

  @Test
  void whatHasNoWeightAlwaysPasses() throws Exception {
    List<Graded> parts =
        bench.grade(
            "[{type: contains, value: z, weight: 0}, {type: contains, value: a}]", "a", Map.of());
    assertThat(parts.getFirst().verdict().pass()).isTrue();
    Verdict together = Graded.together(parts, java.util.OptionalDouble.empty());
    assertThat(together.pass()).isTrue();
    assertThat(together.score()).isEqualTo(1);
  }

  @Test
  void aThresholdReplacesTheRuleThatAllMustPass() throws Exception {
    List<Graded> parts =
        bench.grade("[{type: contains, value: z}, {type: contains, value: a}]", "a", Map.of());
    assertThat(Graded.together(parts, java.util.OptionalDouble.empty()).pass()).isFalse();
    assertThat(Graded.together(parts, java.util.OptionalDouble.of(0.5)).pass()).isTrue();
    assertThat(Graded.together(parts, java.util.OptionalDouble.of(0.6)).pass()).isFalse();
    assertThat(Graded.together(List.of(), java.util.OptionalDouble.empty()))
        .isEqualTo(Verdict.of(true, 1, "no assertions"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{type: cost}",
        "{type: latency}",
        "{type: contains}",
        "{type: assert-set}",
        "{value: x}",
        "{type: contains, value: [x]}",
        "{type: contains, value: x, weight: heavy}",
        "{type: contains, value: x, wieght: 2}"
      })
  void whatIsIncompleteIsTold(String assertion) {
    assertThat(bench.problem(assertion)).startsWith("test.yaml, line 1, column ");
  }

  @Test
  void whatIsUnknownIsTold() {
    assertThat(bench.problem("{type: contians, value: x}")).contains("did you mean 'contains'?");
    assertThat(bench.problem("{type: webhook, value: x}")).contains("'webhook' is not supported");
    assertThat(bench.problem("{type: similar, value: x}")).contains("weir-embeddings");
    assertThat(bench.problem("{type: javascript, value: 'true'}")).contains("weir-scripting");
    assertThat(bench.problem("{type: contains, value: 'file://none.txt'}"))
        .contains("there is no file");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '§',
      quoteCharacter = '~',
      value = {
        "{type: regex, value: '('} § 22 § `value`: /(/ cannot be used as a regular expression: Un",
        "{type: not-regex, value: '('} § 26 § `value`: /(/ cannot be used",
        "{type: not-is-json, value: {type: nonsense}} § 28 § `value`: the schema cannot be used:"
            + " /type",
        "{type: not-contains-json, value: {type: nonsense}} § 34 § `value`: the schema cannot be"
            + " used",
        "{type: is-json, value: 5} § 24 § `value`: the schema cannot be used: it must be a mapping",
        "{type: is-json, value: '{'} § 24 § `value`: the schema cannot be used: it is neither YAML",
        "{type: is-json, value: {pattern: '('}} § 24 § `value`: the schema cannot be used: /(/ is"
            + " no",
        "{type: is-json, value: {anyOf: [{patternProperties: {'(': {}}}]}} § 24 § `value`: the"
            + " schema",
        "{type: is-json, value: {items: {$ref: '#/$defs/a'}}} § 24 § `value`: the schema cannot be"
            + " used: $ref #/$defs/a leads nowhere",
        "{type: contains-any, value: [[x]]} § 29 § the `value` of contains-any must be a text or a"
            + " list",
        "{type: contains-all, value: []} § 29 § the `value` of contains-all must be a text or a"
            + " list",
        "{type: not-levenshtein, value: {a: b}} § 32 § the `value` of levenshtein must be a text"
            + " or",
        "{type: g-eval, value: []} § 23 § the `value` of g-eval must be a text or a list of texts",
        "{type: not-python, value: {a: b}} § 27 § the `value` of python must be code",
        "{type: is-xml, value: {requiredElement: a}} § 24 § unknown key 'requiredElement' in the"
            + " `value` of is-xml; did you mean 'requiredElements'?",
        "{type: is-xml, value: [[a]]} § 23 § the elements that is-xml wants must be a text or a"
            + " list",
        "{type: not-contains, value: ''} § 29 § the `value` of contains is empty",
        "{type: contains-all, value: ' '} § 29 § the `value` of contains-all is empty",
        "{type: word-count, value: ten} § 27 § the `value` of word-count must be a whole number >="
            + " 0",
        "{type: word-count, value: -1} § 27 § the `value` of word-count must be a whole number >="
            + " 0",
        "{type: word-count, value: [1]} § 27 § the `value` of word-count must be a whole number >="
            + " 0",
        "{type: word-count, value: {min: many}} § 33 § `min` must be a whole number >= 0",
        "{type: word-count, value: {mn: 50}} § 28 § unknown key 'mn' in the `value` of word-count;"
            + " did you mean 'min'?",
        "{type: word-count, value: {}} § 27 § the `value` of word-count needs `min` or `max`",
        "{type: word-count, value: {min: 3, max: 2}} § 27 § `min` must not be above `max`",
      })
  void whatCannotBeJudgedIsRefusedWhenItIsRead(String assertion, int column, String words) {
    assertThat(bench.problem(assertion))
        .startsWith("test.yaml, line 1, column %d: %s".formatted(column, words));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '§',
      quoteCharacter = '~',
      value = {
        "{type: regex, value: '{{x}}'} § /(/ cannot be used",
        "{type: not-regex, value: '{{x}}'} § /(/ cannot be used",
        "{type: not-is-json, value: {type: '{{x}}'}} § the schema cannot be used",
        "{type: not-contains-json, value: {type: '{{x}}'}} § the schema cannot be used",
        "{type: not-contains-json, value: {pattern: '{{x}}'}} § the schema cannot be used",
        "{type: contains, value: '{{none}}'} § what must be contained is empty",
        "{type: not-icontains, value: '{{none}}'} § what must be contained is empty",
        "{type: starts-with, value: '{{none}}'} § what must be contained is empty",
        "{type: contains-all, value: '{{none}}'} § what must be contained is empty",
        "{type: contains-any, value: ['{{none}}', b]} § what must be contained is empty",
        "{type: not-word-count, value: '{{x}}'} § must be a whole number >= 0, was '('",
        "{type: word-count, value: {min: '{{x}}'}} § must be a whole number >= 0, was '('",
      })
  void whatVariablesMakeUnusableIsAnErrorAndNoVerdict(String assertion, String words) {
    assertThatExceptionOfType(NoScoreException.class)
        .isThrownBy(() -> bench.check(assertion, "{\"a\": 1}", Map.of("x", "(")))
        .withMessageStartingWith("test.yaml, line 1, column ")
        .withMessageContaining(words);
  }

  @Test
  void aSchemaThatRefersToNothingIsAnErrorAndNoVerdict() {
    assertThatExceptionOfType(NoScoreException.class)
        .isThrownBy(
            () ->
                bench.check(
                    "{type: not-is-json, value: {$ref: 'https://localhost/none.json'}}", "{}"))
        .withMessageContaining("the schema cannot be used");
  }

  @Test
  void codeThatIsNoneIsAnErrorAndNoVerdict() {
    assertThatExceptionOfType(NoScoreException.class)
        .isThrownBy(() -> bench.check("{type: not-python, value: 'return (('}", "x"))
        .withMessageStartingWith("test.yaml, line 1, column 27: the Python code cannot be used: ")
        .withMessageContaining("SyntaxError");
  }

  @Test
  void codeThatFailsNeverPasses() throws Exception {
    for (String assertion :
        List.of(
            "{type: python, value: 1 / 0}",
            "{type: not-python, value: 1 / 0}",
            "{type: not-assert-set, assert: [{type: python, value: 1 / 0}]}")) {
      Verdict verdict = bench.check(assertion, "x");
      assertThat(verdict.pass()).isFalse();
      assertThat(verdict.score()).isEqualTo(0);
      assertThat(verdict.reason()).contains("ZeroDivisionError");
    }
  }

  @Test
  void aJudgeWhoSaysNonsenseIsAnErrorAndNoVerdict() {
    for (String nonsense : List.of("{\"pass\": \"maybe\"}", "{\"score\": \"high\"}")) {
      assertThatExceptionOfType(NoScoreException.class)
          .isThrownBy(() -> bench.grader(nonsense).check("{type: not-llm-rubric, value: x}", "y"))
          .withMessageContaining("no verdict");
    }
  }
}
