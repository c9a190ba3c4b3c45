package dev.weir.limits.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.limits.control.WindowChange.Reason;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class WindowTest {

  @Test
  void keepsTheLatest200Moves() {
    var window = new Window(1);
    for (int to = 2; to <= 302; to++) {
      window.moveTo(to, to, Reason.MANUAL);
    }
    assertThat(window.history()).hasSize(200);
    assertThat(window.history().getFirst())
        .isEqualTo(new WindowChange(103, 102, 103, Reason.MANUAL));
    assertThat(window.history().getLast())
        .isEqualTo(new WindowChange(302, 301, 302, Reason.MANUAL));
  }

  @Test
  void theHistoryIsACopy() {
    var window = new Window(1);
    window.moveTo(2, 0, Reason.MANUAL);
    var history = window.history();
    window.moveTo(3, 0, Reason.MANUAL);
    assertThat(history).hasSize(1);
    assertThatThrownBy(history::removeFirst).isInstanceOf(UnsupportedOperationException.class);
  }

  @Test
  void aChangeIsOne() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new WindowChange(0, 3, 3, Reason.MANUAL))
        .withMessage("`to` must be >= 1 and differ from `from` (3), was 3");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new WindowChange(0, 1, 0, Reason.MANUAL))
        .withMessage("`to` must be >= 1 and differ from `from` (1), was 0");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new WindowChange(0, 0, 1, Reason.MANUAL))
        .withMessage("`from` must be >= 1, was 0");
  }

  @Test
  void reasonsHaveTheirPublishedNames() {
    assertThat(Arrays.stream(Reason.values()).map(Reason::wireName))
        .containsExactly(
            "slow_start",
            "steady_state_up",
            "rate_limit",
            "manual",
            "recovered",
            "header",
            "cap",
            "probe",
            "latency");
  }
}
