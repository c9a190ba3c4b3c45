package dev.weir.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeout;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SecretTest {

  private static final Secret ID = new Secret("id-of-nobody");
  private static final Secret PASSWORD = new Secret("password-of-nobody");

  @Test
  void severalAreRedactedEach() {
    Secret both = Secret.all(List.of(ID, PASSWORD));
    assertThat(both.redact("id-of-nobody said password-of-nobody to X"))
        .isEqualTo("[redacted] said [redacted] to X");
    assertThat(both).hasToString("[redacted]");
  }

  @Test
  void severalAreAnAccountOfTheirOwn() {
    String both = Secret.all(List.of(ID, PASSWORD)).fingerprint("here");
    assertThat(both)
        .isNotEqualTo(ID.fingerprint("here"))
        .isNotEqualTo(Secret.all(List.of(PASSWORD, ID)).fingerprint("here"))
        .isNotEqualTo(Secret.all(List.of(ID, PASSWORD)).fingerprint("there"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "k/y\"of\\nobody",
        // In JSON, escaped as much as needed, or more, and in JSON within JSON.
        "k/y\\\"of\\\\nobody",
        "k\\/y\\\"of\\\\nobody",
        "\\u006b\\u002Fy\\u0022of\\\\nobody",
        "k/y\\\\\\\"of\\\\\\\\nobody",
        // In an address, and in base 64.
        "k%2Fy%22of%5Cnobody",
        "ay95Im9mXG5vYm9keQ",
      })
  void isFoundHoweverItIsWritten(String written) {
    assertThat(new Secret("k/y\"of\\nobody").redact("a \\ b " + written + " c"))
        .isEqualTo("a \\ b [redacted] c");
  }

  @Test
  void escapesWithoutEndAreNoWork() {
    String text = "\\".repeat(1 << 20);
    assertThat(assertTimeout(Duration.ofSeconds(20), () -> PASSWORD.redact(text))).isEqualTo(text);
  }

  @Test
  void noneIsLikeNone() {
    assertThat(Secret.all(List.of())).isEqualTo(Secret.NONE);
    assertThat(Secret.all(List.of()).redact("text")).isEqualTo("text");
  }
}
