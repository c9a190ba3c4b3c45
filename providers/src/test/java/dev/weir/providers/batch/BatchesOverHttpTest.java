package dev.weir.providers.batch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.model.AttemptRecord;
import dev.weir.model.Request;
import dev.weir.model.Response;
import dev.weir.model.batch.BatchAdapter;
import dev.weir.model.batch.BatchApi;
import dev.weir.model.batch.BatchApi.Item;
import dev.weir.model.batch.BatchApi.Search;
import dev.weir.model.batch.BatchApi.Status;
import dev.weir.model.batch.BatchApi.Submission;
import dev.weir.model.batch.BatchEvent;
import dev.weir.model.batch.BatchException;
import dev.weir.model.batch.BatchJournal;
import dev.weir.model.batch.BatchingAdapter;
import dev.weir.time.Task;
import dev.weir.time.Time;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Timeout(120)
class BatchesOverHttpTest {

  private static final Time TIME = Time.system();

  @TempDir Path directory;

  static Stream<String> models() {
    return Stream.of("openai/gpt-4o-mini", "anthropic/claude-3-5-haiku-latest");
  }

  private static List<Response> ask(BatchingAdapter adapter, List<String> questions)
      throws Exception {
    List<Task<Response>> tasks = new ArrayList<>();
    for (String question : questions) {
      tasks.add(TIME.start("ask", () -> adapter.exchange(Request.of(question))));
    }
    List<Response> responses = new ArrayList<>();
    for (Task<Response> task : tasks) {
      responses.add(task.join());
    }
    return responses;
  }

  private static List<Item> items(BatchApi api, int count) {
    List<Item> items = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      items.add(new Item("key-" + i, api.body(Request.of("[[echo: answer-" + i + "]]"))));
    }
    return items;
  }

  private static List<String> ids(List<Item> items) {
    return items.stream().map(Item::customId).toList();
  }

  private static void awaitEnd(BatchApi api, String id) throws Exception {
    long deadline = TIME.after(Duration.ofSeconds(30));
    while (!(api.status(id) instanceof Status.Ended)) {
      assertThat(TIME.nanos()).as("in time").isLessThan(deadline);
      TIME.sleep(Duration.ofMillis(5));
    }
  }

  @ParameterizedTest
  @MethodSource("models")
  void manyTasksGetTheirAnswersAndTouchNoLimit(String model) throws Exception {
    List<BatchEvent> events = Collections.synchronizedList(new ArrayList<>());
    List<String> questions = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      questions.add("Line\n%d ü [[echo: answer %d]]".formatted(i, i));
    }
    try (var server = new BatchServer("200ms");
        BatchJournal journal = BatchServer.journal(directory, model);
        BatchingAdapter adapter =
            BatchServer.batching(model, server.open(model), 10, journal, events::add)) {
      List<Response> responses = ask(adapter, questions);
      for (int i = 0; i < 40; i++) {
        assertThat(responses.get(i)).isInstanceOf(Response.Reply.class);
        Response.Reply reply = (Response.Reply) responses.get(i);
        assertThat(reply.message().text()).isEqualTo("answer " + i);
        assertThat(reply.usage().inputTokens()).isPositive();
        assertThat(reply.origin().raw().orElseThrow().request()).contains("answer " + i);
        assertThat(reply.origin().raw().orElseThrow().response()).contains("answer " + i);
      }
      assertThat(server.batched("requests")).isEqualTo(40);
      assertThat(server.batched("batches")).isEqualTo(4);
      assertThat(server.stats().get("requests").asInt()).as("live requests").isZero();
      assertThat(events.toString()).doesNotContain(BatchServer.CREDENTIAL);
      try (var files = Files.list(directory)) {
        for (Path file : files.toList()) {
          assertThat(Files.readString(file))
              .doesNotContain(BatchServer.CREDENTIAL)
              .contains("sent");
        }
      }
      journal.finish();
    }
  }

  @ParameterizedTest
  @MethodSource("models")
  void resultsMeanWhatTheyWouldMeanAlone(String model) throws Exception {
    try (var server = new BatchServer("50ms");
        BatchJournal journal = BatchServer.journal(directory, model);
        BatchingAdapter adapter =
            BatchServer.batching(model, server.open(model), 5, journal, _ -> {})) {
      List<Response> responses =
          ask(
              adapter,
              List.of(
                  "[[echo: fine]]",
                  "[[status: 400]]",
                  "[[status: 429]]",
                  "[[status: 500]]",
                  "[[expired]]"));
      assertThat(responses.stream().map(Object::getClass))
          .containsExactly(
              Response.Reply.class,
              Response.InvalidRequest.class,
              Response.RateLimited.class,
              Response.Transient.class,
              Response.Transient.class);
      assertThat(((Response.Failure) responses.get(4)).message()).contains("expired");
    }
  }

  @ParameterizedTest
  @MethodSource("models")
  void aWrongCredentialIsTold(String model) throws Exception {
    try (var server = new BatchServer("50ms");
        BatchJournal journal = BatchServer.journal(directory, model);
        BatchingAdapter adapter =
            BatchServer.batching(
                model,
                BatchServer.open(model, server.address().toString(), "sk-wrong-credential"),
                1,
                journal,
                _ -> {})) {
      assertThat(adapter.exchange(Request.of("x")))
          .isInstanceOfSatisfying(
              Response.Authentication.class,
              failure -> assertThat(failure.toString()).doesNotContain("sk-wrong-credential"));
    }
  }

  @ParameterizedTest
  @MethodSource("models")
  void aServerThatIsGoneIsATransientFailure(String model) throws Exception {
    BatchAdapter adapter;
    try (var server = new BatchServer("50ms")) {
      adapter = server.open(model);
    }
    Assertions.assertThatExceptionOfType(BatchException.class)
        .isThrownBy(() -> adapter.batches().status("some-id"))
        .satisfies(failed -> assertThat(failed.failure()).isInstanceOf(Response.Transient.class));
  }

  @ParameterizedTest
  @MethodSource("models")
  void aSecondRunTakesWhatTheFirstPaidFor(String model) throws Exception {
    List<String> questions = List.of("[[echo: a]]", "[[echo: b]]", "[[echo: b]]");
    try (var server = new BatchServer("100ms")) {
      for (int run = 0; run < 2; run++) {
        try (BatchJournal journal = BatchServer.journal(directory, model);
            BatchingAdapter adapter =
                BatchServer.batching(model, server.open(model), 3, journal, _ -> {})) {
          assertThat(ask(adapter, questions)).allMatch(Response.Reply.class::isInstance);
        }
      }
      assertThat(server.batched("requests")).isEqualTo(3);
    }
  }

  @ParameterizedTest
  @MethodSource("models")
  void everyExchangeIsTold(String model) throws Exception {
    List<AttemptRecord> told = Collections.synchronizedList(new ArrayList<>());
    try (var server = new BatchServer("0s")) {
      BatchApi api = server.open(model).batches();
      api.watch(told::add);
      String id = api.submit("tag-1", items(api, 3));
      assertThat(told).hasSize(model.startsWith("openai") ? 2 : 1);
      AttemptRecord sent = told.getFirst();
      assertThat(sent.outcome()).isEqualTo("clean");
      assertThat(sent.scope()).endsWith(model.replaceFirst(".*/", "") + " (batch)");
      assertThat(sent.origin().status()).hasValue(200);
      assertThat(sent.origin().bytesSent()).isGreaterThan(100);
      assertThat(sent.origin().bytesReceived()).isPositive();
      assertThat(sent.took()).isPositive();
      told.clear();
      assertThat(api.status("batch_none")).isInstanceOf(Status.Gone.class);
      assertThat(told).hasSize(1);
      assertThat(told.getFirst().origin().status()).hasValue(404);
      assertThat(told.getFirst().message()).isPresent();
      awaitEnd(api, id);
      told.clear();
      api.results(id);
      assertThat(told.getLast().origin().bytesReceived()).isGreaterThan(100);
      assertThat(told.toString()).doesNotContain(BatchServer.CREDENTIAL);
    }
  }

  @ParameterizedTest
  @MethodSource("models")
  void aCancelledBatchIsNotAskedAgain(String model) throws Exception {
    try (var server = new BatchServer("10s")) {
      BatchApi api = server.open(model).batches();
      String id = api.submit("tag-1", items(api, 3));
      assertThat(api.status(id)).isInstanceOf(Status.Running.class);
      api.cancel(id);
      awaitEnd(api, id);
      Map<String, BatchApi.Result> results = api.results(id);
      assertThat(results).hasSize(3);
      assertThat(results.values().stream().map(result -> result.read(new byte[0])))
          .allMatch(Response.Cancelled.class::isInstance);
    }
  }

  @ParameterizedTest
  @MethodSource("models")
  void aBatchIsFoundWithoutItsIdAmongManyOthers(String model) throws Exception {
    try (var server = new BatchServer("500ms")) {
      BatchApi api = server.open(model).batches();
      List<Item> items = items(api, 3);
      Instant now = TIME.instant();
      var lost = new Submission("tag-lost", now, now, ids(items));
      assertThat(api.find(lost, Set.of())).isInstanceOf(Search.Absent.class);
      String id = api.submit("tag-lost", items);
      List<String> others = new ArrayList<>();
      for (int i = 0; i < 110; i++) {
        List<Item> other = List.of(new Item("other-" + i, items.getFirst().body()));
        others.add(api.submit("tag-" + i, other));
      }
      // As many requests, made at the same time, and not these.
      List<Item> strangers =
          items.stream().map(item -> new Item("x-" + item.customId(), item.body())).toList();
      String stranger = api.submit("tag-stranger", strangers);
      awaitEnd(api, id);
      awaitEnd(api, stranger);
      assertThat(api.find(lost, Set.copyOf(others))).isEqualTo(new Search.Found(id));
      assertThat(
              api.find(new Submission("tag-none", now, now, List.of("k1", "k2", "k3")), Set.of()))
          .isInstanceOf(Search.Absent.class);
    }
  }

  @ParameterizedTest
  @MethodSource("models")
  void whatTheProviderDoesNotKnowIsGone(String model) throws Exception {
    try (var server = new BatchServer("50ms")) {
      BatchApi api = server.open(model).batches();
      assertThat(api.status("batch_none")).isInstanceOf(Status.Gone.class);
      Assertions.assertThatExceptionOfType(BatchException.class)
          .isThrownBy(() -> api.status("../../stats?x="))
          .withMessageContaining("is not one");
    }
  }
}
