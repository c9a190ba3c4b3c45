package dev.weir.limits;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limits.control.AimdSettings;
import dev.weir.limits.header.BodyHints;
import dev.weir.limits.header.ResponseFacts;
import dev.weir.limits.header.ResponseFactsParser;
import dev.weir.limits.pace.Cost;
import dev.weir.limits.retry.Outcome;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** In mode aimd the headers of the refusal that cuts extend the cooldown, each by itself. */
class ResetCooldownTest {

  private static final Instant NOW = Instant.parse("2026-10-21T07:28:00Z");

  private final FlowControl flow =
      FlowControl.of(new Mode.Aimd(AimdSettings.defaults()), new SplittableRandom(1), 0);

  @ParameterizedTest
  @CsvSource({
    "retry-after, 60",
    "x-ratelimit-reset-requests, 60s",
    "x-ratelimit-reset-requests, 1m0s",
    "x-ratelimit-reset-tokens, 60s",
    "anthropic-ratelimit-requests-reset, 2026-10-21T07:29:00Z",
    "anthropic-ratelimit-output-tokens-reset, 2026-10-21T07:29:00Z",
    "ratelimit-reset, 60",
  })
  void aResetAloneExtendsTheCooldown(String header, String value) {
    refuse(0, ResponseFactsParser.parse(Map.of(header, List.of(value)), BodyHints.NONE, NOW));
    assertThat(flow.window()).isEqualTo(16);
    refuse(59, ResponseFacts.NONE);
    assertThat(flow.window()).isEqualTo(16);
    refuse(61, ResponseFacts.NONE);
    assertThat(flow.window()).isEqualTo(12);
  }

  private void refuse(long second, ResponseFacts facts) {
    long now = Duration.ofSeconds(second).toNanos();
    FlowControl.Ticket ticket = flow.send(now, Cost.ONE_REQUEST, 1);
    flow.settle(now, ticket, new Outcome.RateLimited(facts), Cost.ONE_REQUEST);
    flow.abandon(ticket);
  }
}
