package dev.weir.simulator.provider;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.within;

import dev.weir.simulator.provider.ProviderSettings.Quota;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OracleTest {

  private static final double NANOS_PER_SECOND = 1e9;

  @Test
  void theRequestsAreThoseOfThePrototype() {
    assertThat(PrototypeWorkload.even(3, 11, 1.5))
        .extracting(request -> request.latencyNanos() / NANOS_PER_SECOND)
        .usingElementComparator((a, b) -> Math.abs(a - b) < 1e-8 ? 0 : Double.compare(a, b))
        .containsExactly(0.8133683233721576, 1.8116883621460544, 2.4669064639792033);
    assertThat(PrototypeWorkload.tokens(3, 11))
        .extracting(Request::promptTokens)
        .containsExactly(561, 399, 162);
  }

  /** The optima of the prototype's table (means of seeds 11 to 15), with a digit more. */
  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '"',
      value = {
        "a, 302.6", "a', 302.6", "a*, 302.6", "b, 302.6", "b', 243.6", "b'', 302.6", "c, 246.5",
        "c', 246.5", "d, 215.0", "d', 215.0", "e, 352.6", "e', 352.6", "f, 361.7", "g, 125.6",
        "g', 125.6", "h, 302.6", "h', 302.6", "i, 296.4", "i', 296.4", "j, 372.8"
      })
  void equalsThePrototypesOptimum(String name, double optimumSeconds) {
    Scenario scenario = Scenarios.named(name);
    double mean =
        IntStream.rangeClosed(11, 15)
            .mapToDouble(seed -> seconds(scenario, prototypeRequests(scenario, seed), seed))
            .average()
            .orElseThrow();
    assertThat(mean).isCloseTo(optimumSeconds, within(0.01 * optimumSeconds));
  }

  @Test
  void ourOwnRequestsAreAlike() {
    assertThat(seconds(Scenarios.named("a"), 11)).isCloseTo(302.6, within(3.0));
    assertThat(seconds(Scenarios.named("c"), 11)).isCloseTo(246.5, within(10.0));
    assertThat(seconds(Scenarios.named("j"), 11)).isCloseTo(372.8, within(40.0));
  }

  /** 600 at the start, and at the boundaries after 40, 100, 160 and 220 s. */
  @Test
  void waitsForTheBoundaryOfACalendarWindow() {
    assertThat(seconds(Scenarios.named("w"), 11)).isBetween(220.0, 235.0);
  }

  /** From 5 per second, at most twice as many each minute. */
  @Test
  void growsNoFasterThanAllowed() {
    Scenario scenario = Scenarios.named("m");
    TimeSeries accepted =
        Oracle.optimum(scenario.settings(), scenario.workload().requests(11), 11).accepted();
    assertThat(accepted.countBetween(0, nanos(10))).isEqualTo(50);
    assertThat(accepted.countBetween(0, nanos(60))).isBetween(300, 400);
    assertThat(seconds(scenario, 11)).isBetween(150.0, 300.0);
  }

  @Test
  void otherTrafficTakesItsPart() {
    ProviderSettings settings =
        ProviderSettings.builder().requests(new Quota(10, 10)).otherTraffic(6, 0).build();
    List<Request> requests = Workload.of(400).requests(1);
    // 390 after the burst, at the 4 per second that are left.
    assertThat(Oracle.optimum(settings, requests, 1).makespan().toSeconds()).isBetween(97L, 105L);
  }

  @Test
  void whatStrikesByChanceDoesNotStrikeAnOracle() {
    assertThat(seconds(Scenarios.named("k"), 11)).isEqualTo(seconds(Scenarios.named("a"), 11));
  }

  @Test
  void saysWhenARequestNeverFits() {
    ProviderSettings settings = ProviderSettings.builder().tokens(new Quota(10, 100)).build();
    List<Request> tooLarge = List.of(Request.exactlyEstimated(0, 1, 90, 5, 20));
    assertThatIllegalStateException()
        .isThrownBy(() -> Oracle.optimum(settings, tooLarge, 1))
        .withMessageContaining("1 of 1 requests do not fit");
  }

  private static double seconds(Scenario scenario, int seed) {
    return seconds(scenario, scenario.workload().requests(seed), seed);
  }

  private static long nanos(int seconds) {
    return seconds * 1_000_000_000L;
  }

  private static List<Request> prototypeRequests(Scenario scenario, int seed) {
    return switch (scenario.workload().shape()) {
      case Workload.Shape.Even even ->
          PrototypeWorkload.even(
              scenario.requests(), seed, even.medianLatency().toNanos() / NANOS_PER_SECOND);
      case Workload.Shape.Tokens _ -> PrototypeWorkload.tokens(scenario.requests(), seed);
    };
  }

  private static double seconds(Scenario scenario, List<Request> requests, int seed) {
    return Oracle.optimum(scenario.settings(), requests, seed).makespan().toNanos()
        / NANOS_PER_SECOND;
  }
}
