package dev.weir.eval.option;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SecretsTest {

  private final Secrets secrets =
      new Secrets(
          Map.of(
              "SOME_API_KEY", "sk-0123456789",
              "OTHER_TOKEN", "sk-0123456789-and-more",
              "DB_PASSWD", "tell-nobody",
              "LANG", "en_GB.UTF-8"));

  @Test
  void pairsLoseCredentialsByValueAndByName() {
    assertThat(
            secrets.hidden(
                Map.of(
                    "team", "red en_GB.UTF-8",
                    "note", "made with sk-0123456789!",
                    "db", "tell-nobody",
                    "api_key", "short",
                    "tokens", "5")))
        .containsOnly(
            entry("team", "red en_GB.UTF-8"),
            entry("note", "made with …!"),
            entry("db", "…"),
            entry("api_key", "…"),
            entry("tokens", "5"));
  }

  @Test
  void ofTwoThatBeginAlikeNothingIsLeft() {
    assertThat(secrets.hidden("x sk-0123456789-and-more y")).isEqualTo("x … y");
  }

  @Test
  void jsonLosesCredentialsAndStaysJson() {
    assertThat(
            secrets.hidden(
                """
                {"api_key": "with \\" quote", "n": 1.50, "token": ["a", "b"], "in": {"db": "tell-nobody"}}\
                """))
        .isEqualTo("{\"api_key\":\"…\",\"n\":1.50,\"token\":\"…\",\"in\":{\"db\":\"…\"}}");
    assertThat(secrets.hidden("{\"n\": 1.50 }")).isEqualTo("{\"n\": 1.50 }");
  }

  @Test
  void argumentsLoseCredentialsAtAnyDepth() {
    Map<String, Object> server =
        Map.of(
            "command", List.of("server", "--token=literal", "sk-0123456789"),
            "env", Map.of("GITHUB_TOKEN", "literal", "MY_KEY", "literal", "LANG", "C"),
            "tools", List.of("read"));
    assertThat(secrets.hiddenArguments(Map.of("tools", List.of(Map.of("mcp", server)))))
        .isEqualTo(
            Map.of(
                "tools",
                List.of(
                    Map.of(
                        "mcp",
                        Map.of(
                            "command", List.of("server", "--token=…", "…"),
                            "env", Map.of("GITHUB_TOKEN", "…", "MY_KEY", "…", "LANG", "C"),
                            "tools", List.of("read"))))));
  }

  @Test
  void sentencesThatAModelIsAskedStayAsTheyAre() {
    Map<String, Object> prompt =
        Map.of(
            "template", "Say the password: swordfish", "schema", Map.of("token", Map.of("n", 1)));
    assertThat(secrets.hiddenArguments(prompt)).isEqualTo(prompt);
  }

  @Test
  void whatAFileTookFromAVariableIsHiddenAtAnyLength() {
    var filledIn =
        Secrets.filledIn(
            Map.of("A_KEY", "ab", "B_TOKEN", "none", "PASSWORD_OF_C", "1234", "LANG", "C"));
    assertThat(filledIn.hidden("ab")).isEqualTo("…");
    assertThat(filledIn.hidden("cab")).isEqualTo("cab");
    assertThat(filledIn.hidden("k=ab,l=abc")).isEqualTo("k=…,l=abc");
    assertThat(filledIn.hidden("{\"k\":\"ab\",\"n\":1234,\"m\":123}"))
        .isEqualTo("{\"k\":\"…\",\"n\":\"…\",\"m\":123}");
    assertThat(filledIn.hidden("is it none?")).isEqualTo("is it …?");
    assertThat(filledIn.hidden("C")).isEqualTo("C");
    assertThat(Secrets.NONE.and(filledIn).hidden("ab")).isEqualTo("…");
  }

  @Test
  void ordinaryWordsThatOtherVariablesHaveStay() {
    var other =
        new Secrets(
            Map.of(
                "OPENAI_API_KEY", "none",
                "SOME_TOKEN", "abc12",
                "MY_KEY", "ab1",
                "TOKENIZERS_PARALLELISM", "False1"));
    assertThat(other.hidden("none abc12 ab1 False1")).isEqualTo("none … ab1 False1");
  }

  @Test
  void theValueOfAPairIsHiddenToItsEnd() {
    assertThat(Secrets.NONE.hidden("api_key=two words,with a comma,n=1"))
        .isEqualTo("api_key=…,n=1");
  }
}
