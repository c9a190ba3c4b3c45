package dev.weir.model.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.weir.limits.Demand;
import dev.weir.limits.Lane;
import dev.weir.limits.Mode;
import dev.weir.limits.Regulator;
import dev.weir.limits.header.ResponseFacts;
import dev.weir.limits.pace.Cost;
import dev.weir.limits.retry.Outcome;
import dev.weir.limits.retry.RetryBounds;
import dev.weir.model.Chunk;
import dev.weir.model.ExchangeListener;
import dev.weir.model.Model;
import dev.weir.model.Origin;
import dev.weir.model.Request;
import dev.weir.model.Response;
import dev.weir.time.Task;
import dev.weir.time.TaskFailedException;
import dev.weir.time.Time;
import dev.weir.time.virtual.VirtualTime;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Queue;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BatchingAdapterTest {

  private static final BatchSettings SETTINGS = BatchSettings.defaults().withSize(3);

  @TempDir Path directory;

  private final VirtualTime time = VirtualTime.seeded(1);
  private final FakeBatchApi api = new FakeBatchApi(time);
  private final List<BatchEvent> events = new ArrayList<>();

  private BatchJournal journal() {
    return BatchJournal.open(directory, "task@fake/model", time);
  }

  private BatchingAdapter adapter(BatchSettings settings, BatchJournal journal) {
    return new BatchingAdapter(time, FakeBatchApi.NAME, api, settings, journal, events::add);
  }

  private interface Use {
    void with(BatchingAdapter adapter) throws Exception;
  }

  /** A run: it ends without having said that it is done, as if it were killed. */
  private void run(BatchSettings settings, Use use) throws Exception {
    time.run(
        () -> {
          try (BatchJournal journal = journal();
              BatchingAdapter adapter = adapter(settings, journal)) {
            use.with(adapter);
          }
        });
  }

  private void run(Use use) throws Exception {
    run(SETTINGS, use);
  }

  private Task<Response> ask(BatchingAdapter adapter, String question) {
    return time.start("ask", () -> adapter.exchange(Request.of(question)));
  }

  private static String text(Response response) {
    return response instanceof Response.Reply reply ? reply.message().text() : "" + response;
  }

  private long second(long nanos) {
    return Duration.ofNanos(nanos).toSeconds();
  }

  private static Response.Failure transientFailure() {
    return new Response.Transient("reset", Origin.of(FakeBatchApi.NAME));
  }

  private String body(String question) {
    return new String(api.body(Request.of(question)), StandardCharsets.UTF_8);
  }

  @Test
  void aFullBatchIsSentAtOnceAndEachTaskGetsItsOwnAnswer() throws Exception {
    run(
        adapter -> {
          long begin = time.nanos();
          List<Task<Response>> tasks =
              List.of(ask(adapter, "a"), ask(adapter, "b"), ask(adapter, "c"));
          assertThat(text(tasks.get(0).join())).contains("text=a");
          assertThat(text(tasks.get(1).join())).contains("text=b");
          assertThat(text(tasks.get(2).join())).contains("text=c");
          // Sent at 0 s, ready at 40 s, seen by the look at 45 s.
          assertThat(second(time.nanos() - begin)).isEqualTo(45);
        });
    assertThat(api.sent).hasSize(1);
    assertThat(second(api.sent.getFirst().at())).isZero();
    assertThat(api.looks.stream().map(this::second)).containsExactly(15L, 30L, 45L);
    assertThat(events.stream().map(BatchEvent::kind))
        .containsExactly(BatchEvent.Kind.SENT, BatchEvent.Kind.PROGRESS, BatchEvent.Kind.ENDED);
  }

  @Test
  void aSmallerBatchIsSentWhenItsFirstRequestHasWaitedLongEnough() throws Exception {
    run(
        adapter -> {
          Task<Response> first = ask(adapter, "a");
          time.sleep(Duration.ofSeconds(10));
          Task<Response> second = ask(adapter, "b");
          first.join();
          second.join();
        });
    assertThat(api.sent).hasSize(1);
    assertThat(api.sent.getFirst().items()).hasSize(2);
    assertThat(second(api.sent.getFirst().at())).isEqualTo(15);
  }

  @Test
  void noBatchIsLargerThanTheProviderTakes() throws Exception {
    api.bounds = new BatchApi.Bounds(2, 100_000);
    run(
        adapter -> {
          for (Task<Response> task :
              List.of(ask(adapter, "a"), ask(adapter, "b"), ask(adapter, "c"))) {
            task.join();
          }
        });
    assertThat(api.sent.stream().map(batch -> batch.items().size())).containsExactly(2, 1);

    api.sent.clear();
    api.bounds = new BatchApi.Bounds(1_000, body("d").length() * 2L);
    run(
        adapter -> {
          for (Task<Response> task :
              List.of(ask(adapter, "d"), ask(adapter, "e"), ask(adapter, "f"))) {
            task.join();
          }
          assertThat(adapter.exchange(Request.of("x".repeat(10_000))))
              .isInstanceOf(Response.InvalidRequest.class);
        });
    assertThat(api.sent.stream().map(batch -> batch.items().size())).containsExactly(2, 1);
  }

  @Test
  void manyTasksFillManyBatches() throws Exception {
    run(
        SETTINGS.withSize(100),
        adapter -> {
          List<Task<Response>> tasks = new ArrayList<>();
          for (int i = 0; i < 1_000; i++) {
            tasks.add(ask(adapter, "question " + i + "."));
          }
          for (int i = 0; i < 1_000; i++) {
            assertThat(text(tasks.get(i).join())).contains("question " + i + ".");
          }
        });
    assertThat(api.sent).hasSize(10);
    assertThat(api.downloads).isEqualTo(10);
  }

  @Test
  void onlySoManyBatchesAreAtTheProvider() throws Exception {
    run(
        SETTINGS.withSize(1).withMostInFlight(2),
        adapter -> {
          List<Task<Response>> tasks = new ArrayList<>();
          for (int i = 0; i < 5; i++) {
            tasks.add(ask(adapter, "q" + i));
          }
          for (Task<Response> task : tasks) {
            task.join();
          }
        });
    assertThat(api.sent.stream().map(batch -> second(batch.at())))
        .containsExactly(0L, 0L, 45L, 45L, 90L);
  }

  @Test
  void anInterruptBeforeTheBatchIsSentTakesTheRequestOutOfIt() throws Exception {
    run(
        adapter -> {
          Task<Response> stays = ask(adapter, "stays");
          Task<Response> leaves = ask(adapter, "leaves");
          time.sleep(Duration.ofSeconds(1));
          leaves.cancel();
          stays.join();
          Task<Response> alone = ask(adapter, "alone");
          time.sleep(Duration.ofSeconds(1));
          alone.cancel();
          time.sleep(Duration.ofMinutes(5));
        });
    assertThat(api.sent).hasSize(1);
    assertThat(api.sent.getFirst().items()).hasSize(1);
  }

  @Test
  void anInterruptLaterLeavesTheBatchAndTheNextRunPicksItUp() throws Exception {
    run(
        adapter -> {
          List<Task<Response>> tasks =
              List.of(ask(adapter, "a"), ask(adapter, "b"), ask(adapter, "c"));
          time.sleep(Duration.ofSeconds(20));
          tasks.forEach(Task::cancel);
          time.sleep(Duration.ofSeconds(1));
          int looks = api.looks.size();
          time.sleep(Duration.ofMinutes(10));
          assertThat(api.looks).as("nobody waits").hasSize(looks);
        });
    run(
        adapter -> {
          List<Task<Response>> tasks = List.of(ask(adapter, "c"), ask(adapter, "a"));
          assertThat(text(tasks.get(0).join())).contains("text=c");
          assertThat(text(tasks.get(1).join())).contains("text=a");
          // Later than the others, and without another download.
          time.sleep(Duration.ofMinutes(5));
          assertThat(text(adapter.exchange(Request.of("b")))).contains("text=b");
        });
    assertThat(api.sent).hasSize(1);
    assertThat(api.downloads).isEqualTo(1);
    assertThat(events.stream().map(BatchEvent::kind)).contains(BatchEvent.Kind.PICKED_UP);
  }

  @Test
  void whatWasLeftIsJoinedAgainInTheSameRun() throws Exception {
    run(
        SETTINGS.withSize(1),
        adapter -> {
          Task<Response> task = ask(adapter, "a");
          time.sleep(Duration.ofSeconds(20));
          task.cancel();
          time.sleep(Duration.ofMinutes(1));
          assertThat(text(adapter.exchange(Request.of("a")))).contains("text=a");
        });
    assertThat(api.sent).hasSize(1);
  }

  @Test
  void equalRequestsAreAskedAsOftenAsTheyAreMade() throws Exception {
    run(
        adapter -> {
          List<Task<Response>> tasks =
              List.of(ask(adapter, "a"), ask(adapter, "a"), ask(adapter, "a"));
          for (Task<Response> task : tasks) {
            task.join();
          }
        });
    assertThat(api.sent.getFirst().items().stream().map(BatchApi.Item::customId).distinct())
        .hasSize(3);
    // The next run has the first three for nothing, and pays for the fourth.
    run(
        SETTINGS.withSize(1),
        adapter -> {
          for (int i = 0; i < 4; i++) {
            adapter.exchange(Request.of("a"));
          }
          adapter.exchange(Request.of("a").withEpoch(1));
        });
    assertThat(api.sent.stream().map(batch -> batch.items().size())).containsExactly(3, 1, 1);
  }

  /** As a run has it: what fails in passing comes back, so often and no more. */
  private Model model(BatchingAdapter adapter, int retries) {
    Lane lane =
        new Regulator(time, OptionalInt.empty(), Duration.ZERO, new SplittableRandom(1))
            .lane(
                adapter.key(),
                new Mode.Static(BatchingAdapter.WINDOW),
                new RetryBounds(OptionalInt.of(retries), Optional.empty(), Optional.empty()));
    return new Model(time, FakeBatchApi.NAME, adapter, lane, _ -> {});
  }

  private Task<Response> ask(Model model, String question) {
    return time.start(
        "ask",
        () -> model.generate(Request.of(question), Demand.of("test", Cost.ONE_REQUEST)).value());
  }

  @Test
  void aRefusedSubmissionGoesBackToTheLane() throws Exception {
    var facts = new ResponseFacts(List.of(), Optional.of(Duration.ofMinutes(2)), Optional.empty());
    api.beforeSubmit.add(
        () -> {
          throw FakeBatchApi.failure(
              new Response.RateLimited("slow down", facts, FakeBatchApi.origin(429)));
        });
    run(
        adapter -> {
          List<Task<Response>> tasks =
              List.of(ask(adapter, "a"), ask(adapter, "b"), ask(adapter, "c"));
          for (Task<Response> task : tasks) {
            assertThat(task.join())
                .isInstanceOfSatisfying(
                    Response.RateLimited.class,
                    refused -> assertThat(refused.facts()).isEqualTo(facts));
          }
          assertThat(second(time.nanos())).as("at once").isZero();
          assertThat(adapter.openRequests()).as("nothing arrived").isZero();
          Model model = model(adapter, 3);
          tasks = List.of(ask(model, "a"), ask(model, "b"), ask(model, "c"));
          for (Task<Response> task : tasks) {
            assertThat(task.join()).isInstanceOf(Response.Reply.class);
          }
        });
    assertThat(api.sent).hasSize(1);
    assertThat(api.searches).as("a refusal is certain").isZero();
  }

  @Test
  void aSubmissionThatNeverSucceedsIsMadeAsOftenAsTheUserAllows() throws Exception {
    for (int i = 0; i < 100; i++) {
      api.beforeSubmit.add(
          () -> {
            throw FakeBatchApi.failure(new Response.Transient("broken", FakeBatchApi.origin(500)));
          });
    }
    run(
        SETTINGS.withSize(1),
        adapter -> {
          assertThat(ask(model(adapter, 2), "a").join()).isInstanceOf(Response.Transient.class);
          assertThat(adapter.openRequests()).as("it may have arrived").isEqualTo(1);
        });
    assertThat(api.submissions).isEqualTo(3);
    assertThat(api.searches).as("before each but the first").isEqualTo(2);
  }

  @Test
  void aSubmissionThatIsRefusedForGoodFailsItsRequestsAndIsForgotten() throws Exception {
    api.beforeSubmit.add(
        () -> {
          throw FakeBatchApi.failure(
              new Response.Authentication("who?", Outcome.Reach.ACCOUNT, FakeBatchApi.origin(401)));
        });
    run(
        SETTINGS.withSize(1),
        adapter -> {
          assertThat(adapter.exchange(Request.of("a"))).isInstanceOf(Response.Authentication.class);
          assertThat(adapter.exchange(Request.of("a"))).isInstanceOf(Response.Reply.class);
        });
    assertThat(api.sent).hasSize(1);
  }

  @Test
  void aSubmissionWhoseAnswerWasLostIsFoundAndNotMadeAgain() throws Exception {
    api.afterSubmit.add(
        () -> {
          throw FakeBatchApi.failure(transientFailure());
        });
    api.undecided = 2;
    run(
        SETTINGS.withSize(1),
        adapter ->
            assertThat(ask(model(adapter, 1), "a").join()).isInstanceOf(Response.Reply.class));
    assertThat(api.sent).hasSize(1);
    assertThat(events.stream().map(BatchEvent::kind))
        .containsExactly(
            BatchEvent.Kind.FAILED,
            BatchEvent.Kind.TROUBLE,
            BatchEvent.Kind.PICKED_UP,
            BatchEvent.Kind.PROGRESS,
            BatchEvent.Kind.ENDED);
    assertThat(events.get(1).detail()).contains("may be it");
  }

  @Test
  void aSubmissionThatDidNotArriveIsMadeAgain() throws Exception {
    api.beforeSubmit.add(
        () -> {
          throw FakeBatchApi.failure(transientFailure());
        });
    run(
        SETTINGS.withSize(1),
        adapter ->
            // One retry: the search that finds nothing takes none.
            assertThat(ask(model(adapter, 1), "a").join()).isInstanceOf(Response.Reply.class));
    assertThat(api.sent).hasSize(1);
  }

  @Test
  void aRunThatEndsBetweenSubmissionAndItsAnswerDoesNotPayTwice() throws Exception {
    api.afterSubmit.add(() -> time.sleepUntil(Time.NEVER));
    run(
        SETTINGS.withSize(1),
        adapter -> {
          Task<Response> task = ask(adapter, "a");
          time.sleep(Duration.ofMinutes(1));
          task.cancel();
        });
    assertThat(Files.readString(onlyJournal())).contains("intent").doesNotContain("sent");
    run(
        SETTINGS.withSize(1),
        adapter ->
            assertThat(adapter.exchange(Request.of("a"))).isInstanceOf(Response.Reply.class));
    assertThat(api.sent).hasSize(1);
  }

  @Test
  void aRunThatEndsBeforeTheSubmissionArrivesLeavesItToTheNext() throws Exception {
    api.beforeSubmit.add(() -> time.sleepUntil(Time.NEVER));
    run(
        SETTINGS.withSize(1),
        adapter -> {
          Task<Response> task = ask(adapter, "a");
          time.sleep(Duration.ofMinutes(1));
          task.cancel();
        });
    run(
        SETTINGS.withSize(1),
        adapter ->
            assertThat(adapter.exchange(Request.of("a"))).isInstanceOf(Response.Reply.class));
    assertThat(api.sent).hasSize(1);
  }

  @Test
  void aNewCredentialDoesNotPayAgain() throws Exception {
    run(SETTINGS.withSize(1), adapter -> adapter.exchange(Request.of("a")));
    api.account = "another";
    run(
        SETTINGS.withSize(1),
        adapter ->
            assertThat(adapter.exchange(Request.of("a"))).isInstanceOf(Response.Reply.class));
    assertThat(api.sent).hasSize(1);
  }

  @Test
  void whatIsLeftAtTheProviderIsTold() throws Exception {
    run(
        SETTINGS.withSize(2),
        adapter -> {
          ask(adapter, "a");
          ask(adapter, "b");
          Task<Response> gaveUp = ask(adapter, "c");
          Task<Response> gaveUpToo = ask(adapter, "d");
          time.sleep(Duration.ofSeconds(20));
          // Nobody waits for the second one any more, and it costs the same.
          gaveUp.cancel();
          gaveUpToo.cancel();
          time.sleep(Duration.ofSeconds(1));
          assertThat(adapter.openRequests()).isEqualTo(4);
          adapter.close();
        });
    assertThat(events.stream().map(BatchEvent::kind))
        .doesNotContain(BatchEvent.Kind.FAILED)
        .endsWith(BatchEvent.Kind.LEFT, BatchEvent.Kind.LEFT);
    assertThat(
            events.stream()
                .filter(event -> event.kind() == BatchEvent.Kind.LEFT)
                .map(event -> event.id().orElseThrow() + " " + event.requests()))
        .containsExactly("batch-1 2", "batch-2 2");
  }

  @Test
  void whatIsCollectedIsNotOpenAndADamagedJournalIsTold() throws Exception {
    run(
        SETTINGS.withSize(1),
        adapter -> {
          adapter.exchange(Request.of("a"));
          assertThat(adapter.openRequests()).isZero();
        });
    assertThat(events.stream().map(BatchEvent::kind)).doesNotContain(BatchEvent.Kind.LEFT);
    Path file = onlyJournal();
    Files.writeString(file, Files.readString(file).replace("batch-1", "batch-7"));
    events.clear();
    run(SETTINGS.withSize(1), adapter -> adapter.exchange(Request.of("a")));
    assertThat(api.sent).as("found by its tag").hasSize(1);
    assertThat(events.getFirst().kind()).isEqualTo(BatchEvent.Kind.TROUBLE);
    assertThat(events.getFirst().detail()).contains("line 2", file.toString());
  }

  @Test
  void aLookThatFailsIsTakenAgain() throws Exception {
    for (int i = 0; i < 3; i++) {
      api.beforeStatus.add(
          () -> {
            throw FakeBatchApi.failure(transientFailure());
          });
    }
    run(
        SETTINGS.withSize(1),
        adapter ->
            assertThat(adapter.exchange(Request.of("a"))).isInstanceOf(Response.Reply.class));
    // At 15 s, then after 15 s, 30 s and 60 s.
    assertThat(api.looks.stream().map(this::second)).containsExactly(15L, 30L, 60L, 120L);
    assertThat(api.sent).hasSize(1);
  }

  @Test
  void looksEndAtSomeTimeAndTheBatchIsStillKnown() throws Exception {
    for (int i = 0; i < 200; i++) {
      api.beforeStatus.add(
          () -> {
            throw FakeBatchApi.failure(transientFailure());
          });
    }
    run(
        SETTINGS.withSize(1),
        adapter -> {
          assertThat(adapter.exchange(Request.of("a"))).isInstanceOf(Response.Transient.class);
          assertThat(adapter.exchange(Request.of("a"))).isInstanceOf(Response.Reply.class);
        });
    assertThat(api.sent).hasSize(1);
  }

  @Test
  void aRequestThatFailedInItsBatchIsAskedAgainUnderTheSameName() throws Exception {
    Queue<Response> script = new ArrayDeque<>(List.of(transientFailure()));
    api.scripted.put(body("a"), script);
    run(
        SETTINGS.withSize(1),
        adapter -> {
          assertThat(adapter.exchange(Request.of("a"))).isInstanceOf(Response.Transient.class);
          assertThat(adapter.exchange(Request.of("a"))).isInstanceOf(Response.Reply.class);
        });
    assertThat(api.sent).hasSize(2);
    assertThat(api.sent.get(0).items().getFirst().customId())
        .isEqualTo(api.sent.get(1).items().getFirst().customId());
    run(
        SETTINGS.withSize(1),
        adapter ->
            assertThat(adapter.exchange(Request.of("a"))).isInstanceOf(Response.Reply.class));
    assertThat(api.sent).as("the answer is known").hasSize(2);
  }

  @Test
  void aBatchThatTheProviderForgotIsAskedAgain() throws Exception {
    api.statuses.add(new BatchApi.Status.Gone());
    run(
        SETTINGS.withSize(1),
        adapter -> {
          assertThat(adapter.exchange(Request.of("a"))).isInstanceOf(Response.Transient.class);
          assertThat(adapter.exchange(Request.of("a"))).isInstanceOf(Response.Reply.class);
        });
    assertThat(api.sent).hasSize(2);
  }

  @Test
  void aBatchThatFailedBecauseOfItsQuotaGoesBackToTheLane() throws Exception {
    api.statuses.add(
        new BatchApi.Status.Failed(
            new Response.RateLimited(
                "enqueued tokens", ResponseFacts.NONE, Origin.of(FakeBatchApi.NAME))));
    run(
        SETTINGS.withSize(1),
        adapter -> {
          assertThat(adapter.exchange(Request.of("a"))).isInstanceOf(Response.RateLimited.class);
          assertThat(adapter.openRequests()).isZero();
          assertThat(adapter.exchange(Request.of("a"))).isInstanceOf(Response.Reply.class);
        });
    assertThat(api.sent).hasSize(2);
  }

  @Test
  void aDeadlineEndsTheWait() throws Exception {
    run(
        adapter -> {
          long deadline = time.after(Duration.ofSeconds(20));
          assertThat(adapter.exchange(Request.of("a").until(deadline)))
              .isInstanceOf(Response.Cancelled.class);
          assertThat(time.nanos()).isEqualTo(deadline);
        });
  }

  @Test
  void aReaderGetsTheAnswerInOnePiece() throws Exception {
    List<Chunk> chunks = new ArrayList<>();
    var reader =
        new ExchangeListener() {
          @Override
          public void facts(ResponseFacts facts) {}

          @Override
          public boolean wantsChunks() {
            return true;
          }

          @Override
          public void chunk(Chunk chunk) {
            chunks.add(chunk);
          }
        };
    run(SETTINGS.withSize(1), adapter -> adapter.exchange(Request.of("a"), reader));
    assertThat(chunks).containsExactly(new Chunk.Text(body("a")));
  }

  @Test
  void aRunThatIsDoneLeavesNothingBehind() throws Exception {
    for (int i = 0; i < 2; i++) {
      time.run(
          () -> {
            try (BatchJournal journal = journal();
                BatchingAdapter adapter = adapter(SETTINGS.withSize(1), journal)) {
              adapter.exchange(Request.of("a"));
              journal.finish();
            }
          });
      assertThat(onlyJournal()).isEmptyFile();
    }
    assertThat(api.sent).hasSize(2);
  }

  @Test
  void whatCannotBeRecordedIsNotSent() throws Exception {
    time.run(
        () -> {
          BatchJournal journal = journal();
          journal.close();
          try (BatchingAdapter adapter = adapter(SETTINGS.withSize(1), journal)) {
            assertThat(adapter.exchange(Request.of("a")))
                .isInstanceOf(Response.InvalidRequest.class);
          }
        });
    assertThat(api.sent).isEmpty();
  }

  @Test
  void whatWasPaidForIsAnsweredAlsoIfNothingCanBeRecordedAnyMore() throws Exception {
    api.scripted.put(body("a"), new ArrayDeque<>(List.of(transientFailure())));
    time.run(
        () -> {
          BatchJournal journal = journal();
          try (BatchingAdapter adapter = adapter(SETTINGS.withSize(2), journal)) {
            List<Task<Response>> tasks = List.of(ask(adapter, "a"), ask(adapter, "b"));
            time.sleep(Duration.ofSeconds(20));
            journal.close();
            assertThat(tasks.get(0).join()).isInstanceOf(Response.Transient.class);
            assertThat(tasks.get(1).join()).isInstanceOf(Response.Reply.class);
          }
        });
  }

  @Test
  void aResultThatBreaksItsReaderIsThrownAtItsTaskAlone() throws Exception {
    api.defective = body("a");
    run(
        SETTINGS.withSize(2),
        adapter -> {
          List<Task<Response>> tasks = List.of(ask(adapter, "a"), ask(adapter, "b"));
          assertThat(tasks.get(1).join()).isInstanceOf(Response.Reply.class);
          assertThatExceptionOfType(TaskFailedException.class)
              .isThrownBy(() -> tasks.get(0).join())
              .withStackTraceContaining("a defect");
        });
  }

  @Test
  void settingsHaveBounds() {
    assertThatIllegalArgumentException().isThrownBy(() -> SETTINGS.withSize(0));
    assertThatIllegalArgumentException().isThrownBy(() -> SETTINGS.withSize(100_001));
    assertThatIllegalArgumentException().isThrownBy(() -> SETTINGS.withMostInFlight(0));
    assertThatIllegalArgumentException().isThrownBy(() -> SETTINGS.withSendDelay(Duration.ZERO));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> SETTINGS.withPollInterval(Duration.ofDays(2)));
  }

  private Path onlyJournal() throws Exception {
    try (var files = Files.list(directory)) {
      return files.toList().getFirst();
    }
  }
}
