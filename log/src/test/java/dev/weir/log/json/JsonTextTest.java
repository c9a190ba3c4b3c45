package dev.weir.log.json;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import tools.jackson.core.io.JsonStringEncoder;
import tools.jackson.databind.json.JsonMapper;

class JsonTextTest {

  private static final int TRIES = 20_000;

  private static final DateTimeFormatter MICROSECONDS =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSSSS'+00:00'", Locale.ROOT)
          .withZone(ZoneOffset.UTC);

  private static final JsonMapper JSON = new JsonMapper();

  /** As the library quotes it; half a character becomes a question mark. */
  private static byte[] quoted(String text) {
    var out = new StringBuilder("\"");
    JsonStringEncoder.getInstance().quoteAsString(text, out);
    return out.append('"').toString().getBytes(UTF_8);
  }

  private static String text(Random random) {
    var text = new StringBuilder();
    int most = random.nextInt(10) == 0 ? 6_000 : 40;
    int kinds = 1 + random.nextInt(6);
    for (int left = random.nextInt(most); left > 0; left--) {
      switch (random.nextInt(kinds)) {
        case 0 -> text.append((char) (' ' + random.nextInt(96)));
        case 1 -> text.append((char) random.nextInt(' '));
        case 2 -> text.append((char) (0x80 + random.nextInt(0x80)));
        case 3 -> text.append((char) random.nextInt(0x10000));
        case 4 -> text.appendCodePoint(0x10000 + random.nextInt(0x100000));
        default -> text.append((char) (0xd800 + random.nextInt(0x800)));
      }
    }
    return text.toString();
  }

  @Test
  void textsAreWrittenAsTheLibraryWritesThem() {
    var random = new Random(11);
    for (int i = 0; i < TRIES; i++) {
      String text = text(random);
      assertThat(new JsonText(random.nextInt(64)).text(text).bytes()).isEqualTo(quoted(text));
    }
  }

  @Test
  void eachCharacterThatMustBeEscapedIs() {
    for (char c = 0; c < 0x100; c++) {
      String text = "a" + c + "b";
      assertThat(new JsonText().text(text).bytes()).isEqualTo(quoted(text));
    }
  }

  @Test
  void numbersAreWrittenAsJavaWritesThem() {
    var random = new Random(12);
    for (int i = 0; i < TRIES; i++) {
      long whole = random.nextLong() >> random.nextInt(64);
      assertThat(new JsonText().number("", whole)).hasToString(Long.toString(whole));
      double fraction = Double.longBitsToDouble(random.nextLong());
      if (Double.isFinite(fraction)) {
        assertThat(new JsonText().number("", fraction)).hasToString(Double.toString(fraction));
      }
      double small = random.nextInt(20_000_000);
      assertThat(new JsonText().number("", small)).hasToString(Double.toString(small));
    }
    for (long edge : new long[] {0, 9, 10, 99, 100, Integer.MAX_VALUE, Long.MIN_VALUE}) {
      assertThat(new JsonText().number("", edge)).hasToString(Long.toString(edge));
    }
    for (double edge : new double[] {0.0, -0.0, -1.0, 1e7, 9_999_999, 0.1, Double.MIN_VALUE}) {
      assertThat(new JsonText().number("", edge)).hasToString(Double.toString(edge));
    }
    assertThat(new JsonText().number("", Double.NaN)).hasToString("\"NaN\"");
    assertThat(new JsonText().number("", new BigDecimal("1.50"))).hasToString("1.50");
  }

  @Test
  void secondsAreReadAsTheSameNumber() {
    var random = new Random(13);
    for (int i = 0; i < TRIES; i++) {
      double seconds = (random.nextLong() >>> (8 + random.nextInt(56))) / 1e9;
      String written = new JsonText().seconds("", seconds).toString();
      assertThat(Double.parseDouble(written)).isEqualTo(seconds);
    }
    assertThat(new JsonText().seconds("", 0)).hasToString("0.0");
    assertThat(new JsonText().seconds("", 12.000_000_25)).hasToString("12.00000025");
    assertThat(new JsonText().seconds("", -0.5)).hasToString("-0.5");
    assertThat(new JsonText().seconds("", 1e-10)).hasToString("1.0E-10");
    assertThat(new JsonText().seconds("", Double.POSITIVE_INFINITY)).hasToString("\"Infinity\"");
  }

  @Test
  void timesAreWrittenAsJavaWritesThem() {
    var random = new Random(14);
    var first = Instant.parse("0000-01-01T00:00:00Z").getEpochSecond();
    var last = Instant.parse("9999-12-31T23:59:59Z").getEpochSecond();
    for (int i = 0; i < TRIES; i++) {
      long second = random.nextLong(first, last);
      var out = new JsonText(random.nextInt(64));
      var expected = new StringBuilder();
      // Several with one date, and then another.
      for (int j = 0; j < 4; j++) {
        long nano = random.nextInt(1_000_000_000);
        int step = List.of(1, 1_000, 1_000_000, 1_000_000_000).get(random.nextInt(4));
        var at = Instant.ofEpochSecond(second + j * 30_000L, nano / step * step);
        out.time("", at).instant("", at);
        expected.append('"').append(MICROSECONDS.format(at)).append('"');
        expected.append('"').append(at).append('"');
      }
      assertThat(out).hasToString(expected.toString());
    }
    for (Instant far : List.of(Instant.MIN, Instant.MAX, Instant.ofEpochSecond(last + 1))) {
      assertThat(new JsonText().instant("", far)).hasToString("\"" + far + "\"");
    }
  }

  /** ISO 8601 wants a sign there, and so do those who read it. */
  @Test
  void yearsThatHaveNoFourDigitsHaveASign() {
    assertThat(new JsonText().time("", Instant.parse("+10000-01-01T00:00:00.000001999Z")))
        .hasToString("\"+10000-01-01T00:00:00.000001+00:00\"");
    assertThat(new JsonText().time("", Instant.parse("-0001-12-31T23:59:59Z")))
        .hasToString("\"-0001-12-31T23:59:59+00:00\"");
    assertThat(new JsonText().time("", Instant.MIN))
        .hasToString("\"-1000000000-01-01T00:00:00+00:00\"");
    assertThat(new JsonText().time("", Instant.MAX))
        .hasToString("\"+1000000000-12-31T23:59:59.999999+00:00\"");
  }

  @Test
  void theWholeIsJson() {
    Map<String, Object> anything = new LinkedHashMap<>();
    anything.put("itself", anything);
    anything.put("ä", List.of(1, "\"", true));
    Map<String, String> named = new LinkedHashMap<>();
    named.put("one", "ü");
    named.put("two\n", "");
    var out = new JsonText(1);
    out.text("{\"t\":", "a").flag(",\"f\":", true).texts(",\"l\":", List.of("x", "\ty"));
    out.map(",\"m\":", named, out::text).any(",\"e\":", Map.of()).any(",\"a\":", anything);
    out.text(",\"none\":", Optional.empty()).add(",\"ö\":{}").add("}");
    assertThat(out.length()).isEqualTo(out.bytes().length);
    assertThat(JSON.readTree(out.bytes()))
        .isEqualTo(
            JSON.readTree(
                """
                {"t":"a","f":true,"l":["x","\\ty"],"m":{"one":"ü","two\\n":""},"e":{},
                 "a":{"itself":%s,"ä":[1,"\\"",true]},"ö":{}}\
                """
                    .formatted(JSON.readTree(out.bytes()).at("/a/itself"))));
    assertThat(JSON.readTree(out.bytes()).at("/a/itself").asString()).startsWith("[not written");
  }
}
