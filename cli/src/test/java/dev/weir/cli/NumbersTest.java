package dev.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NumbersTest {

  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "0.25, 0.3",
    "9.96, 10.0",
    "999.4, 999",
    "999.6, 1k",
    "1000, 1k",
    "1234, 1.2k",
    "61249, 61.2k",
    "99949, 99.9k",
    "99960, 100k",
    "999600, 1M",
    "1500000, 1.5M",
    "2e15, 2000T"
  })
  void countsAreShort(double count, String text) {
    assertThat(Numbers.brief(count)).isEqualTo(text);
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0.0 s",
    "1150, 1.2 s",
    "9899, 9.9 s",
    "9901, 10 s",
    "59900, 01:00",
    "7200000, 2:00:00"
  })
  void waitsAreNeverShorterThanTheyAre(long millis, String text) {
    assertThat(Numbers.wait(Duration.ofMillis(millis))).isEqualTo(text);
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0.000",
    "-0.5, -0.500",
    "9999999, 9999999.000",
    "12345678, 1.235e+07",
    "-1e300, -1.000e+300",
    "1.7976931348623157e308, 1.798e+308",
    "Infinity, Infinity",
    "NaN, NaN"
  })
  void scoresAreShortHoweverLargeTheyAre(double score, String text) {
    assertThat(Numbers.score(score)).isEqualTo(text);
    assertThat(Numbers.score(score, score, score))
        .isEqualTo("%s [%s, %s]".formatted(text, text, text));
  }

  @Test
  void whatNobodyKnowsIsNotNothing() {
    assertThat(Numbers.cost(BigDecimal.ZERO, 0, 0)).isEqualTo("$0.0000");
    assertThat(Numbers.cost(new BigDecimal("0.00001"), 1, 0)).isEqualTo("<$0.0001");
    assertThat(Numbers.cost(new BigDecimal("1.5"), 1, 2)).isEqualTo("at least $1.5000");
    assertThat(Numbers.cost(BigDecimal.ZERO, 0, 2)).isEqualTo("unknown");
  }
}
