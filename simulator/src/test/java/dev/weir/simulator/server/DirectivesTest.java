package dev.weir.simulator.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DirectivesTest {

  private static Directives in(String text) {
    return Directives.in(text, Set.of("echo", "tool", "cut"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "say [[echo: a b ]] c           | a b",
        "[[echo: a]] [[echo: b]]        | b",
        "[[echo: a [[echo: b]]          | b",
        "[[echo: a]] [[echo:]]          | a",
        "[[echo: {\"a\": [[1]]}]] x     | {\"a\": [[1]]}",
        "[[echo: {\"a\": \"}]]\"}]]     | {\"a\": \"}]]\"}",
        "[[echo: {\"a\": \"\\\"]]\"}]]  | {\"a\": \"\\\"]]\"}",
        "[[echo: {a]] b                 | {a",
        "[[echo: }a]] b]]               | }a",
      })
  void valuesEndWhereTheyShould(String text, String value) {
    assertThat(in(text).last("echo")).contains(value);
  }

  @Test
  void whatIsNoDirectiveIsLeftAlone() {
    Directives none = in("[[1, 2], [3]] [[other: x]] [[echo x]] [[echo: without end [[");
    assertThat(none.has("echo")).isFalse();
    assertThat(in("[[cut]]").has("cut")).isTrue();
    assertThat(in("[[tool: a]] and [[tool: b]]").values("tool")).containsExactly("a", "b");
  }
}
