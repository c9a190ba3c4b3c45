package dev.weir.model;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SizeTextTest {

  @ParameterizedTest
  @CsvSource({
    "65536, 65536, 64 KB",
    "512KB, 524288, 512 KB",
    "64m, 67108864, 64 MB",
    "2 GiB, 2147483648, 2 GB",
    "1500, 1500, 1500 bytes",
    "0, 0, 0 bytes"
  })
  void sizesAreReadAndTold(String text, long bytes, String told) {
    assertThat(SizeText.parse(text)).contains(bytes);
    assertThat(SizeText.told(bytes)).isEqualTo(told);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "-1", "1.5m", "64 x", "m", "12345678901234"})
  void whatIsNoSizeIsNotTakenForOne(String text) {
    assertThat(SizeText.parse(text)).isEmpty();
  }

  @Test
  void whatNoNumberHasRoomForIsNone() {
    assertThat(SizeText.parse("999999999999T")).isEmpty();
  }
}
