package dev.weir.model.cache;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CacheAgeTest {

  @ParameterizedTest
  @CsvSource({
    "45s, PT45S",
    "30m, PT30M",
    "1h, PT1H",
    "2d, PT48H",
    "2D, PT48H",
    "1w, PT168H",
    "1W, PT168H",
    "' 3 d ', PT72H"
  })
  void readsWhatPeopleWrite(String text, Duration expected) {
    assertThat(CacheAge.parse(text).orElseThrow().longest()).isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "1", "h", "-1h", "1.5h", "0s", "1M", "1y", "999999999w", "9999999999h", "1h1"})
  void refusesWhatIsNotAnAge(String text) {
    assertThat(CacheAge.parse(text)).isEmpty();
  }

  @Test
  void neverIsLongerThanAnyTime() {
    assertThat(CacheAge.parse("Never")).contains(CacheAge.NEVER);
    assertThat(CacheAge.NEVER.isOver(Instant.EPOCH, Instant.parse("2999-01-01T00:00:00Z")))
        .isFalse();
  }

  @Test
  void isOverOnlyWhenItIsExceeded() {
    var hour = new CacheAge(Duration.ofHours(1));
    Instant now = Instant.parse("2026-01-01T12:00:00Z");
    assertThat(hour.isOver(now.minusSeconds(3600), now)).isFalse();
    assertThat(hour.isOver(now.minusSeconds(3601), now)).isTrue();
    // A clock that was set back.
    assertThat(hour.isOver(now.plusSeconds(9999), now)).isFalse();
  }
}
