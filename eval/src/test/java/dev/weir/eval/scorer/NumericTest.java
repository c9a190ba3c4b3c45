package dev.weir.eval.scorer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.model.ConfigurationException;
import java.math.BigDecimal;
import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NumericTest {

  @ParameterizedTest
  @CsvSource({
    "'It costs $1,234.50.',           1234.50",
    "'−3 and +4',                     -3;4",
    "'on 2024-11-05',                 2024;11;05",
    "'GPT-4 and x2',                  4",
    "'6.02e23, .5',                   6.02E+23;0.5",
    "'1,2,3',                         1;2;3",
    "'1,234,56',                      1;234;56",
    "'12%',                           12",
    "'f(-2) = -4',                    -2;-4",
    "'-$5',                           -5",
    "'none',                          ''",
  })
  void findsNumbersInText(String text, String expected) {
    assertThat(Numbers.in(text))
        .usingElementComparator(BigDecimal::compareTo)
        .containsExactlyElementsOf(
            Arrays.stream(expected.split(";", -1))
                .filter(word -> !word.isEmpty())
                .map(BigDecimal::new)
                .toList());
  }

  @ParameterizedTest
  @CsvSource({
    "0,    0,    end,   'about 3.14',     3.14, 1",
    "0,    0,    end,   'about 3.15',     3.14, 0",
    "0.01, 0,    end,   'about 3.15',     3.14, 1",
    "0.01, 0,    end,   'about 3.1501',   3.14, 0",
    "0,    0.01, end,   'about 101',      100,  1",
    "0,    0.01, end,   'about 101.1',    100,  0",
    "2,    0.01, end,   'about 101.1',    100,  1",
    "0,    0.01, end,   '-101',           -100, 1",
    "0,    0,    begin, '3 or 4',         3,    1",
    "0,    0,    any,   '3 or 4 or 5',    4,    1",
    "0,    0,    exact, '3 or 4',         4,    0",
    "0,    0,    end,   'none',           4,    0",
    "0,    0,    end,   '0.1',            0.10, 1",
  })
  void aNumberMayBeOffByATolerance(
      double tolerance,
      double relative,
      String location,
      String output,
      String target,
      double value)
      throws Exception {
    assertThat(
            Scoring.value(
                "numeric",
                Map.of("tolerance", tolerance, "relative", relative, "location", location),
                output,
                target))
        .isEqualTo(value);
  }

  @Test
  void aTargetMustBeANumber() {
    assertThatExceptionOfType(NoScoreException.class)
        .isThrownBy(() -> Scoring.score(Scorers.numeric(1), "3", "three"))
        .withMessage("the target 'three' is no number, but the scorer 'numeric' needs one");
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> Scorers.numeric(-1))
        .withMessageStartingWith("`tolerance` must be a number from 0.0");
  }

  @Test
  void aNumberOfAMillionDigitsIsNoAnswer() throws Exception {
    assertThat(Scoring.score(Scorers.numeric(0), "9".repeat(1_000_000), "9").value()).isZero();
  }
}
