package dev.weir.simulator.provider;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.weir.simulator.provider.ProviderSettings.Quota;
import dev.weir.simulator.provider.ProviderSettings.RetryAfter;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ProviderModelTest {

  private static final long SECOND = 1_000_000_000L;

  private int nextId;

  @Test
  void admitsTheBurstAndRefusesTheRest() {
    ProviderModel model = open(ProviderSettings.builder().requests(new Quota(10, 3)));
    assertThat(admitted(model, 0, 5)).isEqualTo(3);
    assertThat(admitted(model, SECOND / 5, 5)).isEqualTo(2);
    assertThat(model.counts().accepted()).isEqualTo(5);
    assertThat(model.counts().refusals()).isEqualTo(5);
    assertThat(model.accepted().countBetween(0, 1)).isEqualTo(3);
    assertThat(model.refused().countBetween(0, SECOND)).isEqualTo(5);
  }

  @Test
  void aRefusalTellsWhatItIsSetToTell() {
    ProviderSettingsBuilder settings =
        ProviderSettings.builder().requests(new Quota(0.4, 1)).tokens(new Quota(100, 250));
    ProviderModel silent = open(settings);
    silent.admit(0, request());
    assertThat(refusal(silent, 0))
        .isEqualTo(new Response.Refusal(Optional.empty(), Optional.empty(), QuotaHeaders.NONE));

    ProviderModel telling =
        open(settings.quotaHeaders().retryAfter(RetryAfter.WHOLE_SECONDS).tellsKind());
    telling.admit(0, request());
    Response.Refusal refusal = refusal(telling, SECOND);
    assertThat(refusal.kind()).contains(RefusalKind.REQUESTS);
    assertThat(refusal.retryAfter()).contains(Duration.ofSeconds(2));
    assertThat(refusal.quota().of(RefusalKind.REQUESTS))
        .contains(new QuotaHeader(1, 0, Duration.ofMillis(1_500)));
    assertThat(refusal.quota().of(RefusalKind.TOKENS))
        .contains(new QuotaHeader(250, 150, Duration.ofSeconds(1)));

    ProviderModel exact = open(settings.retryAfter(RetryAfter.EXACT));
    exact.admit(0, request());
    assertThat(refusal(exact, SECOND).retryAfter()).contains(Duration.ofMillis(1_500));
  }

  @Test
  void namesTheTokensWhenTheyAreShort() {
    ProviderModel model =
        open(
            ProviderSettings.builder()
                .requests(new Quota(10, 10))
                .tokens(new Quota(100, 250))
                .tellsKind());
    model.admit(0, request());
    assertThat(refusal(model, 0).kind()).contains(RefusalKind.TOKENS);
  }

  @Test
  void promptsAndAnswersMayHaveQuotasOfTheirOwn() {
    ProviderModel model =
        open(
            ProviderSettings.builder()
                .inputTokens(new Quota(1, 100))
                .outputTokens(new Quota(10, 500))
                .quotaHeaders()
                .tellsKind());
    Work first = accepted(model, 0, new Request(0, 0, 60, 50, 300, 0, 0));
    assertThat(refusal(model, 0, new Request(1, 0, 20, 50, 300, 0, 0)).kind())
        .as("the first has reserved what it may write")
        .contains(RefusalKind.OUTPUT_TOKENS);
    assertThat(refusal(model, 0, new Request(2, 0, 41, 50, 1, 0, 0)).kind())
        .contains(RefusalKind.INPUT_TOKENS);

    model.finished(0, first);
    assertThat(model.quota(0).of(RefusalKind.OUTPUT_TOKENS))
        .as("what it has not written comes back")
        .contains(new QuotaHeader(500, 450, Duration.ofSeconds(5)));
    assertThat(model.quota(0).of(RefusalKind.INPUT_TOKENS).orElseThrow().remaining()).isEqualTo(40);
    assertThat(model.quota(0).of(RefusalKind.TOKENS)).isEmpty();
  }

  @Test
  void anAnswerThatMayBeLongerThanItsQuotaReservesAllOfItAndIsServed() {
    ProviderModel model = open(ProviderSettings.builder().outputTokens(new Quota(10, 500)));
    Request endless = new Request(0, 0, 10, 50, 4_096, 0, 0);
    Work work = accepted(model, 0, endless);
    assertThat(model.quota(0).of(RefusalKind.OUTPUT_TOKENS).orElseThrow().remaining()).isZero();
    model.finished(0, work);
    assertThat(model.quota(0).of(RefusalKind.OUTPUT_TOKENS).orElseThrow().remaining())
        .isEqualTo(450);
    assertThat(model.admit(4 * SECOND, endless)).isInstanceOf(Admission.Refused.class);
    assertThat(model.admit(5 * SECOND, endless)).isInstanceOf(Admission.Accepted.class);
  }

  private static Work accepted(ProviderModel model, long now, Request request) {
    return ((Admission.Accepted) model.admit(now, request)).work();
  }

  private static Response.Refusal refusal(ProviderModel model, long now, Request request) {
    return ((Admission.Refused) model.admit(now, request)).response();
  }

  @Test
  void theHiddenQuotaIsEnforcedAndNotAdvertised() {
    ProviderModel model =
        open(
            ProviderSettings.builder()
                .requests(new Quota(10, 600))
                .hiddenRequests(new Quota(10, 2))
                .quotaHeaders());
    assertThat(admitted(model, 0, 5)).isEqualTo(2);
    assertThat(refusal(model, 0).quota().of(RefusalKind.REQUESTS))
        .contains(new QuotaHeader(600, 598, Duration.ofMillis(200)));
  }

  @Test
  void refusalsMayCostQuota() {
    ProviderModel model = open(ProviderSettings.builder().requests(new Quota(1, 1)).refusalCost(1));
    assertThat(admitted(model, 0, 4)).isEqualTo(1);
    // Three refusals have left a debt of three.
    assertThat(admitted(model, 3 * SECOND, 1)).isZero();
    assertThat(admitted(model, 9 * SECOND, 1)).isEqualTo(1);
  }

  @Test
  void aCapRefusesUntilSomethingIsFinished() {
    ProviderModel model =
        open(ProviderSettings.builder().refusesAbove(2).retryAfter(RetryAfter.WHOLE_SECONDS));
    Work first = accepted(model, 0);
    accepted(model, 0);
    assertThat(refusal(model, 0).retryAfter()).contains(Duration.ofSeconds(1));
    assertThat(model.finished(SECOND, first)).isEmpty();
    accepted(model, SECOND);
    assertThat(model.inFlight()).isEqualTo(2);
    assertThat(model.counts().peakInFlight()).isEqualTo(2);
  }

  @Test
  void aCapThatQueuesServesInOrderAndRefusesNobody() {
    ProviderModel model = open(ProviderSettings.builder().queuesAbove(1));
    Work first = accepted(model, 0);
    Work second = queued(model, 0);
    Work third = queued(model, 0);
    assertThat(model.counts().peakInFlight()).isEqualTo(3);
    assertThat(model.finished(SECOND, first)).contains(second);
    assertThatIllegalStateException()
        .isThrownBy(() -> model.finished(SECOND, third))
        .withMessage("cannot finish request 2: it is not being served");
    assertThat(model.finished(2 * SECOND, second)).contains(third);
    assertThat(model.finished(3 * SECOND, third)).isEmpty();
    assertThat(model.inFlight()).isZero();
  }

  @Test
  void workIsFinishedOnce() {
    ProviderModel model = open(ProviderSettings.builder());
    Work work = accepted(model, 0);
    model.finished(SECOND, work);
    assertThatIllegalStateException().isThrownBy(() -> model.finished(SECOND, work));
    assertThat(model.counts().answers()).isEqualTo(1);
  }

  @Test
  void theScheduleChangesTheRate() {
    ProviderModel model =
        open(
            ProviderSettings.builder()
                .requests(new Quota(10, 10))
                .change(Duration.ofSeconds(1), 0.5)
                .change(Duration.ofSeconds(3), 2));
    assertThat(admitted(model, 0, 20)).isEqualTo(10);
    assertThat(admitted(model, SECOND, 20)).isEqualTo(10);
    assertThat(admitted(model, 2 * SECOND, 20)).isEqualTo(5);
    // Half a second at 5 per second and half a second at 10 per second.
    assertThat(admitted(model, 5 * SECOND / 2, 20)).isEqualTo(2);
    assertThat(admitted(model, 7 * SECOND / 2, 20)).isEqualTo(8);
  }

  @Test
  void anOutageFailsEverythingAndChargesNothing() {
    ProviderModel model =
        open(
            ProviderSettings.builder()
                .requests(new Quota(1, 2))
                .outage(Duration.ofSeconds(10), Duration.ofSeconds(20)));
    assertThat(admitted(model, 10 * SECOND - 1, 1)).isEqualTo(1);
    assertThat(status(model, 10 * SECOND)).isEqualTo(503);
    assertThat(status(model, 20 * SECOND - 1)).isEqualTo(503);
    assertThat(admitted(model, 20 * SECOND, 2)).isEqualTo(2);
    assertThat(model.counts().failures()).isEqualTo(2);
    assertThat(model.counts().refusals()).isZero();
  }

  @Test
  void faultsStrikeAsOftenAsTheyShould() {
    ProviderModel model =
        open(
            ProviderSettings.builder()
                .overload(Duration.ZERO, Duration.ofSeconds(10), 0.5)
                .errorRate(0.1)
                .hangRate(0.2));
    int[] overloads = new int[2];
    int[] errors = new int[2];
    for (int i = 0; i < 20_000; i++) {
      int half = i < 10_000 ? 0 : 1;
      if (model.admit(10 * SECOND * half, request()) instanceof Admission.Failed failed) {
        (failed.response().status() == 529 ? overloads : errors)[half]++;
      }
    }
    assertThat(overloads[0]).isBetween(4_800, 5_200);
    assertThat(overloads[1]).isZero();
    assertThat(errors[0]).isBetween(430, 570);
    assertThat(errors[1]).isBetween(920, 1_080);
    int admitted = model.counts().accepted();
    assertThat((double) model.counts().hung() / admitted).isBetween(0.18, 0.22);
    assertThat(model.inFlight()).as("hung ones keep their slots").isEqualTo(admitted);
  }

  @Test
  void aClientThatLeavesFreesItsSlotOrItsPlaceInTheQueue() {
    ProviderModel model = open(ProviderSettings.builder().queuesAbove(1));
    Work served = accepted(model, 0);
    Work left = queued(model, 0);
    Work next = queued(model, 0);
    assertThat(model.abandoned(SECOND, left)).isEmpty();
    assertThat(model.inFlight()).isEqualTo(2);
    assertThat(model.abandoned(SECOND, served)).contains(next);
    assertThat(model.finished(2 * SECOND, next)).isEmpty();
    assertThat(model.inFlight()).isZero();
    assertThat(model.counts().answers()).isEqualTo(1);
  }

  @Test
  void aHungRequestHoldsItsSlotUntilItsClientLeaves() {
    ProviderModel model = open(ProviderSettings.builder().refusesAbove(1).hangRate(1));
    if (!(model.admit(0, request()) instanceof Admission.Hung(Work hung))) {
      throw new AssertionError("not hung");
    }
    refusal(model, SECOND);
    assertThat(model.lastRefusal()).contains(RefusalCause.CONCURRENCY);
    model.abandoned(2 * SECOND, hung);
    assertThat(model.inFlight()).isZero();
    assertThat(model.admit(3 * SECOND, request())).isInstanceOf(Admission.Hung.class);
  }

  @Test
  void whatIsForgottenStaysCounted() {
    ProviderModel model = open(ProviderSettings.builder().requests(new Quota(1, 1_000)));
    admitted(model, 0, 900);
    admitted(model, 100 * SECOND, 50);
    model.forgetBefore(50 * SECOND);
    assertThat(model.accepted().size()).isEqualTo(50);
    assertThat(model.accepted().at(0)).isEqualTo(100 * SECOND);
    assertThat(model.counts().accepted()).isEqualTo(950);
  }

  @Test
  void growthIsComparedWithTheMinuteBefore() {
    ProviderModel model = open(ProviderSettings.builder().acceleration(2, 1));
    assertThat(admitted(model, 0, 100)).isEqualTo(10);
    assertThat(admitted(model, 10 * SECOND - 1, 1)).isZero();
    assertThat(admitted(model, 10 * SECOND, 100)).isEqualTo(10);
    int[] expected = {10, 10, 13, 17, 23};
    for (int i = 0; i < expected.length; i++) {
      assertThat(admitted(model, (20 + 10 * i) * SECOND, 100)).isEqualTo(expected[i]);
    }
    int before = model.accepted().countBetween(1, 60 * SECOND + 1);
    assertThat(admitted(model, 70 * SECOND, 100)).isEqualTo(2 * before / 6);
  }

  @Test
  void headersAreThoseOfTheAdmission() {
    ProviderModel model =
        open(ProviderSettings.builder().requests(new Quota(1, 10)).quotaHeaders());
    Work work = accepted(model, 0);
    accepted(model, 0);
    model.finished(30 * SECOND, work);
    assertThat(work.answer().quota().of(RefusalKind.REQUESTS))
        .contains(new QuotaHeader(10, 9, Duration.ofSeconds(1)));
    assertThat(model.quota(30 * SECOND).of(RefusalKind.REQUESTS))
        .contains(new QuotaHeader(10, 10, Duration.ZERO));
  }

  @Test
  void answeringTheSameRequestTwiceIsCounted() {
    ProviderModel model = open(ProviderSettings.builder());
    Request request = request();
    for (int i = 0; i < 3; i++) {
      if (model.admit(0, request) instanceof Admission.Accepted(Work work)) {
        model.finished(0, work);
      }
    }
    assertThat(model.counts().answers()).isEqualTo(3);
    assertThat(model.counts().duplicates()).isEqualTo(2);
  }

  @Test
  void impossibleSettingsAreRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Quota(0, 1))
        .withMessage("`perSecond` must be > 0, was 0.0");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ProviderSettings.builder().errorRate(1.5).build())
        .withMessage("`errorRate` must be from 0 to 1, was 1.5");
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                ProviderSettings.builder()
                    .change(Duration.ofSeconds(2), 1)
                    .change(Duration.ofSeconds(1), 1)
                    .build())
        .withMessageContaining("`schedule` must be in order of time");
  }

  private static ProviderModel open(ProviderSettingsBuilder settings) {
    return new ProviderModel(settings.build(), 1);
  }

  private Request request() {
    return Request.exactlyEstimated(nextId++, SECOND, 100, 50, 100);
  }

  /** Sends so many at once; says how many are accepted. */
  private int admitted(ProviderModel model, long now, int number) {
    int accepted = 0;
    for (int i = 0; i < number; i++) {
      if (model.admit(now, request()) instanceof Admission.Accepted) {
        accepted++;
      }
    }
    return accepted;
  }

  private Work accepted(ProviderModel model, long now) {
    if (model.admit(now, request()) instanceof Admission.Accepted(Work work)) {
      return work;
    }
    throw new AssertionError("not accepted");
  }

  private Work queued(ProviderModel model, long now) {
    if (model.admit(now, request()) instanceof Admission.Queued(Work work)) {
      return work;
    }
    throw new AssertionError("not queued");
  }

  private Response.Refusal refusal(ProviderModel model, long now) {
    if (model.admit(now, request())
        instanceof Admission.Refused(Response.Refusal refusal, long after)) {
      assertThat(after).isBetween(SECOND / 100, SECOND / 20);
      return refusal;
    }
    throw new AssertionError("not refused");
  }

  private int status(ProviderModel model, long now) {
    if (model.admit(now, request()) instanceof Admission.Failed failed) {
      return failed.response().status();
    }
    throw new AssertionError("not failed");
  }
}
