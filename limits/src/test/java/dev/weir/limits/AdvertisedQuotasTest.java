package dev.weir.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.weir.limits.control.AimdSettings;
import dev.weir.limits.control.WindowChange.Reason;
import dev.weir.limits.event.LimitEvent;
import dev.weir.limits.header.BodyHints;
import dev.weir.limits.header.Dimension;
import dev.weir.limits.header.ResponseFacts;
import dev.weir.limits.header.ResponseFactsParser;
import dev.weir.limits.pace.Cost;
import dev.weir.limits.retry.Outcome;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What headers say where a window is enforced: events, and at most one cut for one shortage. */
class AdvertisedQuotasTest {

  private static final Instant NOW = Instant.parse("2026-10-21T07:28:00Z");

  static Stream<Mode> windows() {
    return Stream.of(
        new Mode.Static(10), new Mode.Aimd(AimdSettings.defaults()), new Mode.Halving(16));
  }

  private static FlowControl flow(Mode mode) {
    return FlowControl.of(mode, new SplittableRandom(1), 0);
  }

  private static ResponseFacts left(int remaining, int limit) {
    Map<String, List<String>> headers = new LinkedHashMap<>();
    headers.put("x-ratelimit-limit-requests", List.of(String.valueOf(limit)));
    headers.put("x-ratelimit-remaining-requests", List.of(String.valueOf(remaining)));
    // As of a bucket that is refilled within a minute.
    headers.put(
        "x-ratelimit-reset-requests", List.of((limit - remaining) * 60_000L / limit + "ms"));
    return ResponseFactsParser.parse(headers, BodyHints.NONE, NOW);
  }

  private static void answer(FlowControl flow, FlowControl.Ticket ticket, ResponseFacts facts) {
    flow.observe(0, ticket, facts);
    flow.settle(0, ticket, new Outcome.Clean(), Cost.ONE_REQUEST);
  }

  private static void refuse(FlowControl flow, FlowControl.Ticket ticket, ResponseFacts facts) {
    flow.observe(0, ticket, facts);
    flow.settle(0, ticket, new Outcome.RateLimited(facts), Cost.ONE_REQUEST);
    flow.abandon(ticket);
  }

  @ParameterizedTest
  @MethodSource("windows")
  void limitsAreLearnedAndWarnedOfInEveryModeWithAWindow(Mode mode) {
    FlowControl flow = flow(mode);
    List<LimitEvent> events = new ArrayList<>();
    for (int remaining : List.of(80, 79, 9, 8, 12, 7, 25, 6)) {
      answer(flow, flow.send(0, Cost.ONE_REQUEST, 1), left(remaining, 100));
      events.addAll(flow.drainEvents());
    }
    events.removeIf(LimitEvent.WindowChanged.class::isInstance);
    assertThat(events.removeFirst())
        .isInstanceOfSatisfying(
            LimitEvent.LimitLearned.class,
            learned -> assertThat(learned.perSecond()).isCloseTo(100 / 60.0, within(0.01)));
    assertThat(events)
        .containsExactly(
            new LimitEvent.QuotaWarning(Dimension.REQUESTS, 9, 100),
            // 12 % were no recovery, 25 % were one.
            new LimitEvent.QuotaWarning(Dimension.REQUESTS, 6, 100));
  }

  /** It may as well be that of an hour. */
  @Test
  void aLimitWithoutAResetIsNoRatePerMinute() {
    FlowControl flow = flow(new Mode.Static(10));
    for (int remaining = 99; remaining > 50; remaining--) {
      Map<String, List<String>> headers = new LinkedHashMap<>();
      headers.put("x-ratelimit-limit-requests", List.of("100"));
      headers.put("x-ratelimit-remaining-requests", List.of(String.valueOf(remaining)));
      answer(
          flow,
          flow.send(0, Cost.ONE_REQUEST, 1),
          ResponseFactsParser.parse(headers, BodyHints.NONE, NOW));
    }
    assertThat(flow.drainEvents()).isEmpty();
  }

  /** One bucket has a burst of 20; whether it also limits the rate does not show. */
  @Test
  void aRateIsNotLearnedWhileAnotherBucketMayBindInsteadOfIt() {
    FlowControl flow = flow(new Mode.Static(10));
    Map<String, List<String>> headers = new LinkedHashMap<>();
    headers.put("x-ratelimit-limit-requests", List.of("100"));
    headers.put("x-ratelimit-remaining-requests", List.of("99"));
    headers.put("x-ratelimit-reset-requests", List.of("600ms"));
    headers.put("x-ratelimit-limit-project-requests", List.of("20"));
    headers.put("x-ratelimit-remaining-project-requests", List.of("19"));
    headers.put("x-ratelimit-reset-project-requests", List.of("1s"));
    ResponseFacts facts = ResponseFactsParser.parse(headers, BodyHints.NONE, NOW);
    assertThat(facts.quotas()).hasSize(2);
    for (int i = 0; i < 5; i++) {
      answer(flow, flow.send(0, Cost.ONE_REQUEST, 1), facts);
    }
    assertThat(flow.drainEvents()).isEmpty();
  }

  @Test
  void eventsThatNobodyHearsAreDropped() {
    FlowControl flow = flow(new Mode.Static(10));
    for (int i = 0; i < 1_000; i++) {
      answer(flow, flow.send(0, Cost.ONE_REQUEST, 1), left(i % 2 == 0 ? 1 : 90, 100));
    }
    assertThat(flow.drainEvents()).hasSizeLessThanOrEqualTo(100);
  }

  /** Responses that were on their way say the same, in any order. */
  @Test
  void oneShortageCutsOnce() {
    FlowControl flow = flow(new Mode.Halving(16));
    List<FlowControl.Ticket> sent = new ArrayList<>();
    for (int i = 0; i < 16; i++) {
      sent.add(flow.send(0, Cost.ONE_REQUEST, 1));
    }
    answer(flow, sent.get(0), left(9, 100));
    refuse(flow, sent.get(1), left(0, 100));
    answer(flow, sent.get(2), left(11, 100));
    answer(flow, sent.get(3), left(8, 100));
    refuse(flow, sent.get(4), left(0, 100));
    assertThat(flow.drainEvents())
        .filteredOn(LimitEvent.WindowChanged.class::isInstance)
        .containsExactly(new LimitEvent.WindowChanged(16, 8, Reason.HEADER));
    // What is sent after the cut and refused is news.
    refuse(flow, flow.send(0, Cost.ONE_REQUEST, 1), ResponseFacts.NONE);
    assertThat(flow.window()).isEqualTo(4);
  }

  @Test
  void eachRefusalWithoutHeadersCuts() {
    FlowControl flow = flow(new Mode.Halving(16));
    List<FlowControl.Ticket> sent = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      sent.add(flow.send(0, Cost.ONE_REQUEST, 1));
    }
    sent.forEach(ticket -> refuse(flow, ticket, ResponseFacts.NONE));
    assertThat(flow.window()).isEqualTo(2);
  }
}
