package dev.weir.providers.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.model.ConfigurationException;
import dev.weir.model.ModelName;
import dev.weir.model.spi.Surroundings;
import dev.weir.time.Time;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BaseUrlTest {

  private static final ModelName MODEL = new ModelName("plain", "one");

  private static Surroundings told(String variable, Optional<URI> option) {
    return new Surroundings(Time.system(), 1, Map.of("PLAIN_BASE_URL", variable), option);
  }

  private static String of(Surroundings surroundings) {
    return BaseUrl.of(MODEL, surroundings, "PLAIN_BASE_URL", "https://usual.example/v1");
  }

  @Test
  void theOptionWinsOverTheVariableOverTheUsual() {
    assertThat(of(told("", Optional.empty()))).isEqualTo("https://usual.example/v1");
    assertThat(of(told(" http://127.0.0.1:8000/v1/ ", Optional.empty())))
        .isEqualTo("http://127.0.0.1:8000/v1");
    assertThat(of(told("http://a.example", Optional.of(URI.create("http://b.example//")))))
        .isEqualTo("http://b.example");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "127.0.0.1:8000",
        "ftp://a.example",
        "http://",
        "http:///v1",
        "http://a b",
        "hello",
        "http://me:hidden@a.example",
        "http://a.example/v1?key=hidden",
        "http://a.example/v1#hidden",
        "http://a.example:0",
        "http://a.example:65536",
        "http://a.example:-1",
        "http://a.example:99999999999",
        "me:hidden@a.example",
        "ftp://me:hid/hidden@a.example",
        "http://me:hidden@half@a.example",
        "HTTPS//me:hidden@a.example",
      })
  void whatIsNoAddressIsRefused(String text) {
    assertThatThrownBy(() -> of(told(text, Optional.empty())))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("model 'plain/one': PLAIN_BASE_URL must be an address such as")
        .satisfies(refused -> assertThat(refused.getMessage()).doesNotContain("hidden"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "http://my_host:8000/v1",
        "http://[::1]:8000/v1",
        "https://models.example:65535",
        "http://_"
      })
  void whatCanBeAskedIsTaken(String text) {
    assertThat(of(told(text, Optional.empty()))).isEqualTo(text);
  }

  @Test
  void anAddressIsShownWithoutWhatMayBeAPassword() {
    assertThat(BaseUrl.withoutCredentials("https://me:a/b@c@host/v1?key=k#f"))
        .isEqualTo("https://…@host/v1?…");
    assertThat(BaseUrl.withoutCredentials("me:pass@host")).isEqualTo("…@host");
    assertThat(BaseUrl.withoutCredentials("http://host:1/v1")).isEqualTo("http://host:1/v1");
  }

  @Test
  void argumentsAreChecked() {
    assertThatThrownBy(() -> Arguments.of(MODEL, Map.of("latnecy", "1"), List.of("latency")))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("has no argument 'latnecy'")
        .hasMessageContaining("latency");
    Arguments given =
        Arguments.of(
            MODEL,
            Map.of("n", "0", "flag", "yes", "mode", "c", "empty", " "),
            List.of("n", "flag", "mode", "empty"));
    assertThatThrownBy(() -> given.whole("n", 1)).hasMessageContaining("at least 1, was '0'");
    assertThatThrownBy(() -> given.flag("flag", true)).hasMessageContaining("true or false");
    assertThatThrownBy(() -> given.choice("mode", List.of("a", "b")))
        .hasMessageContaining("one of a, b, was 'c'");
    assertThat(given.text("empty")).isEmpty();
  }
}
