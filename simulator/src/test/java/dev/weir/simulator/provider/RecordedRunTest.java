package dev.weir.simulator.provider;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.simulator.provider.ProviderSettings.Quota;
import dev.weir.simulator.provider.ProviderSettings.RetryAfter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class RecordedRunTest {

  private static final long SECOND = 1_000_000_000L;

  private final List<Response> responses = new ArrayList<>();

  /** Sends all at once, and those that are refused again after a second. */
  private void client(Session session) {
    session.requests().forEach(request -> send(session, request));
  }

  private void send(Session session, Request request) {
    session.send(
        request,
        response -> {
          responses.add(response);
          if (response instanceof Response.Answer) {
            session.done(request);
          } else {
            session.loop().after(SECOND, () -> send(session, request));
          }
        });
  }

  private RecordedRun run(
      ProviderSettingsBuilder settings, AdmissionRule rule, int requests, Duration end) {
    return RecordedRun.of(
        settings.build(),
        rule,
        Workload.of(requests, Duration.ofSeconds(2)).requests(1),
        1,
        end,
        this::client,
        1);
  }

  @Test
  void recordsWhenAttemptsWereSentDecidedAndAnswered() {
    RecordedRun run =
        run(
            ProviderSettings.builder().requests(new Quota(1, 2)),
            AdmissionRule.NONE,
            3,
            Duration.ofMinutes(1));
    assertThat(run.done()).isEqualTo(3);
    assertThat(run.unfinished()).isZero();
    assertThat(run.provider().refusals()).isEqualTo(run.attempts().size() - 3).isPositive();
    assertThat(run.attempts())
        .isSortedAccordingTo((a, b) -> Long.compare(a.arrivedAt(), b.arrivedAt()))
        .allSatisfy(
            attempt -> {
              assertThat(attempt.arrivedAt()).isGreaterThan(attempt.sentAt());
              assertThat(attempt.receivedAt()).isGreaterThan(attempt.arrivedAt());
              assertThat(attempt.isAdmitted()).isEqualTo(!attempt.isRefused());
            });
    Attempt refused = run.attempts().stream().filter(Attempt::isRefused).findFirst().orElseThrow();
    assertThat(refused.status()).isEqualTo(429);
    assertThat(refused.refusal()).contains(RefusalCause.REQUESTS);
    assertThat(refused.sentAt()).isZero();
    // 30 ms there, 10 to 50 ms to refuse, 30 ms back; jitter of 30 % on the way there.
    assertThat(refused.receivedAt()).isBetween(SECOND * 60 / 1_000, SECOND * 120 / 1_000);
    assertThat(run.attempts().getLast().sentAt()).isGreaterThan(SECOND);
  }

  @Test
  void aRuleRefusesBeforeTheQuotasAndAsksForItsWait() {
    AdmissionRule rule =
        (now, _) -> now < SECOND / 2 ? OptionalLong.of(7 * SECOND) : OptionalLong.empty();
    RecordedRun run =
        run(
            ProviderSettings.builder()
                .requests(new Quota(1, 2))
                .retryAfter(RetryAfter.WHOLE_SECONDS),
            rule,
            2,
            Duration.ofMinutes(1));
    assertThat(run.attempts().stream().map(Attempt::status)).containsExactly(429, 429, 200, 200);
    assertThat(responses.getFirst().retryAfter()).contains(Duration.ofSeconds(7));
  }

  @Test
  void aRuleWritesTheHeaders() {
    var shown =
        new QuotaHeaders(
            0, Map.of(RefusalKind.REQUESTS, new QuotaHeader(1_000, 999, Duration.ZERO)));
    AdmissionRule rule =
        new AdmissionRule() {
          private int arrived;

          @Override
          public OptionalLong refusal(long now, Request request) {
            return ++arrived == 1 ? OptionalLong.of(0) : OptionalLong.empty();
          }

          @Override
          public QuotaHeaders advertised(QuotaHeaders actual) {
            assertThat(actual.of(RefusalKind.REQUESTS).map(QuotaHeader::limit)).contains(2L);
            return shown;
          }
        };
    run(
        ProviderSettings.builder().requests(new Quota(1, 2)).quotaHeaders(),
        rule,
        1,
        Duration.ofMinutes(1));
    assertThat(responses).hasSize(2).allMatch(response -> response.quota().equals(shown));
  }

  @Test
  void stopsAtTheEnd() {
    RecordedRun run =
        run(ProviderSettings.builder(), (_, _) -> OptionalLong.of(0), 5, Duration.ofSeconds(10));
    assertThat(run.done()).isZero();
    assertThat(run.unfinished()).isEqualTo(5);
    assertThat(run.attempts()).hasSizeBetween(40, 50);
    assertThat(run.attempts().getLast().arrivedAt()).isLessThanOrEqualTo(10 * SECOND);
  }

  @Test
  void anAttemptWithoutAResponseWasNeverReceived() {
    RecordedRun run =
        run(ProviderSettings.builder().hangRate(1), AdmissionRule.NONE, 1, Duration.ofSeconds(10));
    assertThat(run.attempts())
        .singleElement()
        .satisfies(
            attempt -> {
              assertThat(attempt.receivedAt()).isEqualTo(Attempt.NEVER);
              assertThat(attempt.refusal()).isEqualTo(Optional.empty());
            });
  }
}
