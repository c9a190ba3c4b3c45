package dev.weir.eval.template;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.model.ConfigurationException;
import java.io.File;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TemplateTest {

  private static final String PLACE = "task.yaml, line 3, column 7";

  private static final Map<String, Object> KNOWN =
      Map.of(
          "prompt",
          "Say hello",
          "topic",
          "rivers",
          "count",
          3L,
          "price",
          new BigDecimal("1.10"),
          "strict",
          false,
          "choices",
          List.of("Nile", "Rhine"),
          "sample",
          Map.of("id", "x7", "tags", List.of("a", "b")));

  private static String render(String text) {
    return Template.of(text, PLACE).render(KNOWN);
  }

  private static void refuses(String text, String... explanation) {
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> render(text))
        .satisfies(thrown -> assertThat(thrown).hasMessageContainingAll(explanation))
        .withMessageStartingWith(PLACE);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '>',
      value = {
        "no variable at all > no variable at all",
        "{{ prompt }}! > Say hello!",
        "{{prompt}} {{topic}} > Say hello rivers",
        "{{ sample.id }}, {{ sample.tags.1 }} > x7, b",
        "{{ count }} {{ price }} {{ strict }} > 3 1.10 false",
        "a { b } {c} > a { b } {c}",
        "{{ choices }} > ['Nile', 'Rhine']",
      })
  void rendersPlainVariables(String text, String rendered) {
    assertThat(render(text)).isEqualTo(rendered);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '>',
      quoteCharacter = '^',
      value = {
        "{{prompt|upper}} > SAY HELLO",
        "{{ missing | default('none') }} > none",
        "{% if strict %}must{% else %}may{% endif %} > may",
        "{% if missing is defined %}a{% else %}b{% endif %} > b",
        "{% for c in choices %}{{ loop.index }}.{{ c }} {% endfor %}. > 1.Nile 2.Rhine .",
        "{{ choices | join(', ') }} > Nile, Rhine",
        "{{ choices[1] }} {{ sample['id'] }} {{ sample.tags[0] }} > Rhine x7 a",
        "{{ 'ABCD'[count] }} {{ 'ABCD'[:2] }} > D AB",
        "{{ prompt.upper() }} {{ ' a '.strip() }} {{ topic.replace('r', 'R') }} > SAY HELLO a"
            + " RiveRs",
        "{{ prompt.split() | length }} {{ '-'.join(choices) }} > 2 Nile-Rhine",
        "{{ 'yes' if count == 3 else 'no' }} {{ count + 1 }} > yes 4",
        "{% raw %}{{ untouched | nofilter }}{% endraw %} > {{ untouched | nofilter }}",
        "{# a note #}{{ topic }} > rivers",
        "{% set n = count * 2 %}{{ n }} > 6",
        "{% for k, v in sample.items() %}{{ k }} {% endfor %}. > . ",
      })
  void rendersTagsFiltersAndMethods(String text, String rendered) {
    String actual = render(text).strip();
    if (text.contains("items()")) {
      // The order of that map is not fixed.
      assertThat(actual).contains("id", "tags");
    } else {
      assertThat(actual).isEqualTo(rendered);
    }
  }

  @Test
  void keepsLineBreaksAsTheyAre() {
    assertThat(render("a\n\n{{ topic }}\n")).isEqualTo("a\n\nrivers\n");
    assertThat(render("a\n\n{{ topic | upper }}\n")).isEqualTo("a\n\nRIVERS\n");
  }

  @Test
  void whatIsNullIsNoText() {
    Map<String, Object> variables = new LinkedHashMap<>();
    variables.put("note", null);
    for (String text : List.of("<{{ note }}>", "<{{ note | upper }}>")) {
      assertThat(Template.of(text, PLACE).render(variables)).isEqualTo("<>");
    }
  }

  @Test
  void valuesAreNotRenderedAgain() {
    for (String text : List.of("{{ given }}", "{{ given | trim }}")) {
      assertThat(Template.of(text, PLACE).render(Map.of("given", "{{ 1 + 1 }}{% if %}")))
          .isEqualTo("{{ 1 + 1 }}{% if %}");
    }
  }

  @Test
  void defaultsAreThereUnlessOthersAreGiven() {
    Template template = Template.of("{{ a }}{{ b }}", PLACE).with(Map.of("a", 1, "b", 2));
    assertThat(template.render(Map.of("b", 3))).isEqualTo("13");
    assertThat(template.names()).containsExactly("a", "b");
  }

  @Test
  void anUnknownVariableIsToldWithItsPlaceAndTheNearestKnown() {
    refuses(
        "Hello\n  {{ topik }}",
        "there is no variable 'topik'; did you mean 'topic'?",
        "line 2, column 3 of the template");
    refuses("Hello\n  {{ topik | upper }}", "no variable 'topik'; did you mean 'topic'?", "line 2");
    refuses("{% if topik %}a{% endif %}", "no variable 'topik'; did you mean 'topic'?");
    refuses("{{ sample.idd }}", "'sample' has no 'idd'", "did you mean 'id'?");
    refuses("{{ sample.idd | upper }}", "sample.idd");
    refuses("{{ topic.length }}", "'topic' has no 'length'");
    refuses("{{ zzzzzzz }}", "There are: choices, count");
    refuses("{{ choices.7 }}", "'choices' has no '7'");
  }

  @Test
  void whatIsNoTemplateIsToldAtOnce() {
    for (String text : List.of("{{ a", "{% if a %}", "{% nonsense %}", "a {{ }} b", "{{ a b }}")) {
      assertThatExceptionOfType(ConfigurationException.class)
          .as(text)
          .isThrownBy(() -> Template.of(text, PLACE).render(Map.of("a", "1")))
          .withMessageStartingWith(PLACE);
    }
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> Template.of("{{ a | uper }}", PLACE))
        .withMessageContaining("there is no filter 'uper'; did you mean 'upper'?");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{% include '/etc/hostname' %}",
        "{% import '/etc/hostname' as x %}{{ x }}",
        "{% from '/etc/hostname' import x %}",
        "{% extends '/etc/hostname' %}",
        "{{ topic.class }}",
        "{{ topic.getClass() }}",
        "{{ topic.class.forName('java.lang.Runtime') }}",
        "{{ ''.getClass().forName('java.lang.Runtime').getRuntime() }}",
        "{{ sample.getClass() }}",
        "{{ choices.class }}",
        "{{ file.path }}",
        "{{ file.exists() }}",
        "{{ ____int3rpr3t3r____.config }}",
        "{{ ____int3rpr3t3r____.getContext() }}",
        "{{ choices | random }}",
        "{{ today() }}",
        "{{ unixtimestamp() }}",
        "{% for n in range(900) %}{% for m in range(900) %}{{ m }}{% endfor %}{% endfor %}",
        "{% set s = 'aaaaaaaaaa' %}{% for n in range(999) %}{% set s = s ~ s %}{% endfor %}{{ s }}",
        "{% macro f(n) %}{{ f(n) }}{% endmacro %}{{ f(1) }}",
      })
  void nothingOutsideIsReachedAndNothingIsEndless(String text) {
    Map<String, Object> variables = new LinkedHashMap<>(KNOWN);
    variables.put("file", new File("/etc/hostname"));
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> Template.of(text, PLACE).render(variables))
        .withMessageStartingWith(PLACE);
  }

  @Test
  void objectsOfOtherKindsAreTheirText() {
    assertThat(
            Template.of("{{ file | upper }}", PLACE)
                .render(Map.of("file", new File("/etc/hostname"))))
        .isEqualTo("/ETC/HOSTNAME");
  }

  @Test
  void outputIsBounded() {
    List<String> many = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      many.add("x".repeat(1 << 20));
    }
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(
            () ->
                Template.of("{% for m in many %}{{ m }}{% endfor %}", PLACE)
                    .render(Map.of("many", many)))
        .satisfies(thrown -> assertThat(thrown.getMessage()).hasSizeLessThan(1000));
  }

  @Test
  void messagesHoldNoValues() {
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(
            () ->
                Template.of("{{ secret.member | upper }}{{ secret.x() }}", PLACE)
                    .render(Map.of("secret", "hunter2")))
        .satisfies(thrown -> assertThat(thrown.getMessage()).doesNotContain("hunter2"));
  }

  @Test
  void divisionByZeroIsAnErrorWhereItStands() {
    assertThat(
            Template.of("{{ 7 / n }} {{ 7 // n }} {{ 7 % n }} {{ -7 // n }}", "t")
                .render(Map.of("n", 2)))
        .isEqualTo("3.5 3 1 -4");
    for (String division :
        List.of("7 / n", "7 // n", "7 % n", "7.5 / n", "7.5 // n", "7.5 % n", "7|divide(n)")) {
      assertThatExceptionOfType(ConfigurationException.class)
          .isThrownBy(
              () -> Template.of("One\nand {{ " + division + " }}", "t").render(Map.of("n", 0)))
          .withMessageStartingWith("t: the template cannot be used: it divides by zero (line 2, ")
          .withMessageContaining(division.contains("|") ? "column 8" : "column ");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "-7 % 3, 2",
    "7 % -3, -2",
    "-7 % -3, -1",
    "7 % 3, 1",
    "-6 % 3, 0",
    "-7.5 % 2, 0.5",
    "n % 3, 2",
    "-7 // 2, -4",
    "7 // -2, -4",
    "7 // 2, 3",
    "-7.5 // 2, -4.0",
    "n // 2, -4"
  })
  void divisionsOfNegativeNumbersAreAsInPython(String expression, String result) {
    assertThat(Template.of("{{ " + expression + " }}", "t").render(Map.of("n", -7)))
        .isEqualTo(result);
  }

  @Test
  void rangeIsAsInPython() {
    assertThat(
            Template.of(
                    "{{ range(3) }} {{ range(2, n) }} {{ range(5, 1, -2) }} {{ range(3, 1) }}{% for"
                        + " i in range(1000) %}{% if loop.last %} {{ i }}{% endif %}{% endfor %}",
                    "t")
                .render(Map.of("n", "4")))
        .isEqualTo("[0, 1, 2] [2, 3] [5, 3] [] 999");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '§',
      value = {
        "range(1001) § range() makes at most 1000 numbers",
        "range(0, 5000, 2) § range() makes at most 1000 numbers",
        "range(1000000000000) § range() makes at most 1000 numbers",
        "range(0, 5, 0) § the step of range() must not be 0",
        "range(n) § range() takes one to three whole numbers",
        "range(2.5) § range() takes one to three whole numbers",
        "range() § range() takes one to three whole numbers",
      })
  void whatRangeCannotMakeIsAnErrorWhereItStands(String range, String words) {
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(
            () ->
                Template.of("One\n{% for i in " + range + " %}x{% endfor %}", "t")
                    .render(Map.of("n", "many")))
        .withMessage(
            "t: the template cannot be used: " + words + " (line 2, column 13 of the template)");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '§',
      quoteCharacter = '~',
      value = {
        "{{ x | uper }} § 8 § there is no filter 'uper'; did you mean 'upper'?",
        "{{ x is foo }} § 9 § there is no test 'foo'",
        "{{ x is not strin }} § 13 § there is no test 'strin'; did you mean 'string'?",
        "{% if x | uper == 'a' %}A{% endif %} § 11 § there is no filter 'uper'",
        "{% for i in x | uper %}A{% endfor %} § 17 § there is no filter 'uper'",
        "{{ x | default('it\\'s | x') | uper }} § 31 § there is no filter 'uper'",
        "{{ x | random }} § 8 § 'random' is not available",
      })
  void anUnknownFilterOrTestIsToldBeforeItIsRendered(String text, int column, String words) {
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> Template.of("One\n" + text, "t"))
        .withMessageStartingWith("t: " + words);
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> Template.checkLeniently("One\n" + text, "t"))
        .withMessageStartingWith("t: " + words)
        .withMessageContaining("(line 2, column %d of", column);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{{ x | uper }}",
        "{{ x is foo }}",
        "{{ {'a': {'b': x | uper}} }}",
        "{{ '}}' | uper }}",
        "{% if x | uper == 'a' %}A{% else %}B{% endif %}",
        "{% set y = x | uper %}{{ y }}"
      })
  void anUnknownFilterOrTestNeverBecomesNothing(String text) {
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> Template.renderLeniently(text, "t", Map.of("x", "a")))
        .withMessageContaining(
            text.contains("foo") ? "there is no test 'foo'" : "there is no filter 'uper'");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '§',
      quoteCharacter = '~',
      value = {
        "{{ x || 'b' }} § a",
        "{{ x is string and x is not none }} § true",
        "{{ y.z | default('a | b') }} § a | b",
        "{% raw %}{{ x | uper }}{% endraw %} § {{ x | uper }}",
        "{# {{ x | uper }} #}{{ x | upper }} § A",
        "{{ missing | upper }}{{ x }} § a",
        "{{ 'this is odd | even' }} § this is odd | even",
        "{{ lines | nl2br | replace('\\n', ' ') }} § p<br /> q",
        "{{ missing | nl2br }}{{ x | dump }} § \"a\"",
        "{{ (json | load).tone }} {{ (json | load).of[0] }} § warm 1",
      })
  void whatNunjucksHasIsNotRefused(String text, String rendered) {
    Template.checkLeniently(text, "t");
    assertThat(
            Template.renderLeniently(
                text,
                "t",
                Map.of("x", "a", "lines", "p\r\nq", "json", "{\"tone\": \"warm\", \"of\": [1]}")))
        .isEqualTo(rendered);
  }
}
