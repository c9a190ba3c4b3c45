package dev.weir.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

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

  @Test
  void noneIsLikeNone() {
    assertThat(Secret.all(List.of())).isEqualTo(Secret.NONE);
    assertThat(Secret.all(List.of()).redact("text")).isEqualTo("text");
  }
}
