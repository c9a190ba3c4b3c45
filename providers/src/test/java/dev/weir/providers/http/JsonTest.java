package dev.weir.providers.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "1.5",
        "1e400",
        "-1e400",
        "123456789012345678901234567890",
        "1e999999",
        "true",
        "\"7\"",
        "[]",
        "{}",
        "null",
        "-3"
      })
  void whateverANumberIsItIsReadOrAbsent(String value) throws Exception {
    Json json = Json.parse("{\"a\": %s}".formatted(value));
    assertThat(json.count("a")).isZero();
    json.whole("a");
    json.number("a");
    json.scalar("a");
    json.text("a");
    json.flag("a");
    json.list("a");
    json.names();
  }

  @Test
  void numbersAreRead() throws Exception {
    Json json = Json.parse("{\"a\": 7, \"b\": 7.0, \"c\": 1.5}");
    assertThat(json.whole("a")).hasValue(7);
    assertThat(json.number("c")).hasValue(1.5);
    assertThat(json.whole("c")).isEmpty();
  }

  @Test
  void whatIsNotOneValueIsUnreadable() {
    for (String text : new String[] {"{", "{}{}", "[1,", "hello", "{'a': 1}", "[".repeat(5_000)}) {
      assertThatThrownBy(() -> Json.parse(text)).isInstanceOf(UnreadableException.class);
      assertThatThrownBy(() -> Json.parse(text.getBytes(StandardCharsets.UTF_8)))
          .isInstanceOf(UnreadableException.class);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0x80, 0xC3, 0xE2, 0xF0, 0xFF})
  void whatIsNotUtf8IsReadAsFarAsItIs(int wrong) throws Exception {
    byte[] bytes = "{\"a\": \"x?y\"}".getBytes(StandardCharsets.UTF_8);
    bytes[8] = (byte) wrong;
    assertThat(Json.parse(bytes).text("a")).hasValueSatisfying(a -> assertThat(a).startsWith("x"));
  }
}
