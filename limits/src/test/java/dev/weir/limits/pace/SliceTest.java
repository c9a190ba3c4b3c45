package dev.weir.limits.pace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.weir.limits.event.Constraint;
import dev.weir.limits.header.Dimension;
import java.util.List;
import org.junit.jupiter.api.Test;

class SliceTest {

  private static final long SECOND = 1_000_000_000L;
  private static final Cost ONE = Cost.ONE_REQUEST;

  private static Slice slice(List<Slice.Gate> gates, List<Slice.Bucket> buckets) {
    return new Slice(1, 10 * SECOND, 9, 2, false, gates, buckets);
  }

  private static Slice.Gate pace(double notBefore, double perSecond) {
    return new Slice.Gate(Constraint.PACE, Dimension.REQUESTS, notBefore, perSecond);
  }

  private static Slice.Bucket tokens(double level, double perSecond) {
    return new Slice.Bucket(Dimension.TOKENS, level, 0, perSecond, 1_000, 10);
  }

  @Test
  void nothingLeavesAfterTheLease() {
    Slice slice = slice(List.of(), List.of());
    assertThat(slice.waitNanos(10 * SECOND - 1, ONE)).isZero();
    assertThat(slice.binding(10 * SECOND - 1, ONE)).isEqualTo(Constraint.NOTHING);
    assertThat(slice.waitNanos(10 * SECOND, ONE)).isPositive().isLessThan(SECOND);
    assertThat(slice.binding(10 * SECOND, ONE)).isEqualTo(Constraint.LEASE);
    assertThat(slice.leased(2, 20 * SECOND).waitNanos(10 * SECOND, ONE)).isZero();
  }

  @Test
  void whatTakesLongestBinds() {
    Slice slice = slice(List.of(pace(1, 10)), List.of(tokens(100, 50)));
    assertThat(slice.waitNanos(0, new Cost(90, 0))).isEqualTo(SECOND);
    assertThat(slice.binding(0, new Cost(90, 0))).isEqualTo(Constraint.PACE);
    assertThat(slice.waitNanos(0, new Cost(190, 0))).isEqualTo(2 * SECOND);
    assertThat(slice.binding(0, new Cost(190, 0))).isEqualTo(Constraint.QUOTA);
  }

  @Test
  void whatCountsInTheOneThatTakesLongestIsTold() {
    var hold = new Slice.Gate(Constraint.HOLD, Dimension.REQUESTS, 3, Double.POSITIVE_INFINITY);
    var input = new Slice.Bucket(Dimension.INPUT_TOKENS, 0, 0, 100, 1_000, 0);
    var output = new Slice.Bucket(Dimension.OUTPUT_TOKENS, 0, 0, 100, 1_000, 0);
    Slice paced = slice(List.of(pace(1, 10)), List.of(input, output));
    assertThat(paced.bindingDimension(0, new Cost(10, 10))).contains(Dimension.REQUESTS);
    assertThat(paced.bindingDimension(0, new Cost(200, 199))).contains(Dimension.INPUT_TOKENS);
    assertThat(paced.bindingDimension(0, new Cost(200, 201))).contains(Dimension.OUTPUT_TOKENS);
    assertThat(paced.bindingDimension(3 * SECOND, ONE)).isEmpty();
    Slice held = slice(List.of(hold), List.of(input, output));
    assertThat(held.bindingDimension(0, new Cost(200, 201))).as("a hold counts nothing").isEmpty();
  }

  @Test
  void whatIsSentIsTakenOff() {
    Slice slice = slice(List.of(pace(0, 10)), List.of(tokens(100, 50)));
    Slice after = slice.sent(0, new Cost(50, 0));
    assertThat(after.inFlight()).isEqualTo(3);
    assertThat(after.ended().inFlight()).isEqualTo(2);
    assertThat(after.waitNanos(0, ONE)).isEqualTo(SECOND / 10);
    assertThat(after.waitNanos(SECOND / 10, ONE)).isZero();
    assertThat(after.buckets().getFirst().level()).isEqualTo(50);
  }

  @Test
  void theWindowBindsButNotAProbe() {
    Slice full = slice(List.of(), List.of());
    for (int i = 0; i < 7; i++) {
      full = full.sent(0, ONE);
    }
    assertThat(full.waitNanos(0, ONE)).isEqualTo(Slice.UNTIL_ANSWERED);
    assertThat(full.binding(0, ONE)).isEqualTo(Constraint.WINDOW);
    var probe = new Slice(1, Slice.NO_END, 0, 0, true, List.of(pace(2, 1)), List.of());
    assertThat(probe.waitNanos(SECOND, ONE)).isEqualTo(SECOND);
  }

  @Test
  void partsMakeUpTheWhole() {
    Slice slice = slice(List.of(pace(0, 10)), List.of(tokens(100, 50)));
    int room = 0;
    double refill = 0;
    double pace = 0;
    for (int i = 0; i < 4; i++) {
      Slice part = slice.part(i, 4, 0);
      room += part.window();
      refill += part.buckets().getFirst().perSecond();
      pace += part.gates().getFirst().perSecond();
    }
    assertThat(room).isEqualTo(9);
    assertThat(refill).isEqualTo(50);
    assertThat(pace).isEqualTo(10);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> slice.part(4, 4, 0))
        .withMessage("`index` must be >= 0 and < `parts` (4), was 4");
  }
}
