package dev.weir.eval.option;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

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
}
