package dev.weir.log.inspect;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** An array is cut into what stands between its commas, whatever stands in texts. */
class ArraySplitterTest {

  private static final List<String> OBJECTS =
      List.of(
          "{}",
          "{\"a\":{\"b\":[{\"c\":1}, {}]}}",
          "{\"text\":\"}]{,\\\"}\\\\\"}",
          "{ \"é…\" : NaN ,\n\"deep\" : {\"x\":\"\\u007d\"} }");

  private static List<String> split(InputStream in) throws IOException {
    List<String> objects = new ArrayList<>();
    try (var splitter = new ArraySplitter("here", in)) {
      for (byte[] next = splitter.next(); next != null; next = splitter.next()) {
        objects.add(new String(next, UTF_8));
      }
      assertThat(splitter.next()).isNull();
    }
    return objects;
  }

  private static List<String> split(String json) throws IOException {
    return split(new ByteArrayInputStream(json.getBytes(UTF_8)));
  }

  @Test
  void eachObjectIsAsItStandsThere() throws IOException {
    assertThat(split("[" + String.join(",", OBJECTS) + "]")).isEqualTo(OBJECTS);
    assertThat(split(" [\n" + String.join("\t,\r\n ", OBJECTS) + " ]\n")).isEqualTo(OBJECTS);
    assertThat(split("[]")).isEmpty();
  }

  @Test
  void itDoesNotMatterHowManyBytesComeAtOnce() throws IOException {
    byte[] json = ("[" + String.join(",", OBJECTS) + "]").getBytes(UTF_8);
    var slow =
        new ByteArrayInputStream(json) {
          @Override
          public synchronized int read(byte[] into, int offset, int length) {
            return super.read(into, offset, 1);
          }
        };
    assertThat(split(slow)).isEqualTo(OBJECTS);
  }

  @Test
  void anArrayThatBreaksOffIsDamaged() {
    String json = "[" + String.join(",", OBJECTS) + "]";
    for (int length = 0; length < json.length(); length++) {
      String part = json.substring(0, length);
      assertThatExceptionOfType(DamagedException.class)
          .as(part)
          .isThrownBy(() -> split(part))
          .withMessage("here ends before its JSON does");
    }
  }

  @Test
  void whatIsNoArrayOfObjectsIsDamaged() {
    for (String other : List.of("null", "{}", "[1]", "[{}]]", "[{} {}]", "[,,{}]", "[null]")) {
      assertThatExceptionOfType(DamagedException.class)
          .as(other)
          .isThrownBy(() -> split(other))
          .withMessageStartingWith("here ");
    }
  }
}
