package dev.weir.limits.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.weir.limits.control.WindowChange.Reason;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class StaticWindowTest {

  private final StaticWindow fixed = new StaticWindow(StaticWindow.DEFAULT);

  @Test
  void staysWhateverHappens() {
    for (int i = 0; i < 100; i++) {
      fixed.acquired(i, 10);
      fixed.succeeded(i, false);
      fixed.rateLimited(i, Optional.empty(), Optional.empty());
      fixed.transientFailure(i);
      fixed.quotaSeen(i, 0);
    }
    assertThat(fixed.window()).isEqualTo(10);
    assertThat(fixed.history()).isEmpty();
  }

  @Test
  void isSetByHandInBothDirections() {
    fixed.retune(1, 3);
    fixed.retune(2, 3);
    fixed.retune(3, 30);
    assertThat(fixed.history())
        .containsExactly(
            new WindowChange(1, 10, 3, Reason.MANUAL), new WindowChange(3, 3, 30, Reason.MANUAL));
  }

  @Test
  void impossibleArgumentsAreRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new StaticWindow(0))
        .withMessage("`window` must be >= 1, was 0");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> fixed.retune(1, 0))
        .withMessage("`max` must be >= 1, was 0");
  }
}
