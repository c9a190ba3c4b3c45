package dev.weir.providers.mock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.model.Adapter;
import dev.weir.model.ConfigurationException;
import dev.weir.model.Message;
import dev.weir.model.ModelName;
import dev.weir.model.Request;
import dev.weir.model.Response;
import dev.weir.model.StopReason;
import dev.weir.model.ToolCall;
import dev.weir.model.Usage;
import dev.weir.model.spi.Providers;
import dev.weir.model.spi.Surroundings;
import dev.weir.time.virtual.VirtualTime;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MockProviderTest {

  private final VirtualTime time = VirtualTime.seeded(1);

  @TempDir Path folder;

  private Adapter open(String name, Map<String, String> arguments) {
    ModelName model = ModelName.parse(name);
    return Providers.find(model).open(model, arguments, new Surroundings(time, 1));
  }

  private Adapter scripted(String replies, String... more) throws Exception {
    Path file = Files.writeString(folder.resolve("replies.yaml"), replies);
    return open(
        "mock/x",
        more.length == 0
            ? Map.of("replies", file.toString())
            : Map.of("replies", file.toString(), more[0], more[1]));
  }

  private List<Response> ask(Adapter model, String... questions) throws Exception {
    return time.run(
        () -> {
          List<Response> responses = new ArrayList<>();
          for (String question : questions) {
            responses.add(model.exchange(Request.of(question)));
          }
          return responses;
        });
  }

  private static List<String> texts(List<Response> responses) {
    return responses.stream()
        .map(
            response ->
                response instanceof Response.Reply reply
                    ? reply.message().text()
                    : ((Response.Failure) response).message())
        .toList();
  }

  /** As with {@code sim/}; they were taken for a part of the name. */
  @Test
  void argumentsMayFollowAColon() throws Exception {
    Path file = Files.writeString(folder.resolve("colours.yaml"), "- text: green\n");
    assertThat(texts(open("mock/a:replies=" + file, Map.of()))).containsExactly("green");
    assertThat(texts(open("mock/a:text=Paris,latency=1s", Map.of("text", "Rome"))))
        .containsExactly("Rome");
    assertThat(texts(open("mock/echo:latency=1s", Map.of()))).containsExactly("What?");
    assertThat(texts(open("mock/llama3:8b", Map.of()))).containsExactly("This is a mock answer.");
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> open("mock/a:replys=x.yaml", Map.of()))
        .withMessageContaining("has no argument 'replys'; did you mean 'replies'?");
  }

  private List<String> texts(Adapter model) throws Exception {
    return texts(ask(model, "What?"));
  }

  @Test
  void saysAFixedSentenceOrTheTextOrWhatItHears() throws Exception {
    assertThat(texts(ask(open("mock/any", Map.of()), "Hello?")))
        .containsExactly("This is a mock answer.");
    assertThat(texts(ask(open("mock/any", Map.of("text", "Paris")), "Hello?")))
        .containsExactly("Paris");
    assertThat(texts(ask(open("mock/echo", Map.of()), "Hello?"))).containsExactly("Hello?");
  }

  @Test
  void echoesWhatTheUserSaidLast() throws Exception {
    Request request =
        Request.of(
            List.of(
                Message.user("first"), Message.user("second"), Message.assistant("in between")));
    Response response = time.run(() -> open("mock/echo", Map.of()).exchange(request));
    assertThat(texts(List.of(response))).containsExactly("second");
  }

  @Test
  void repliesInOrderAndFailsAfterTheLast() throws Exception {
    List<Response> responses = ask(scripted("- one\n- text: two\n"), "a", "b", "c");
    assertThat(texts(responses).subList(0, 2)).containsExactly("one", "two");
    assertThat(responses.getLast()).isInstanceOf(Response.InvalidRequest.class);
    assertThat(texts(responses).getLast())
        .contains("all 2 replies", "replies.yaml", "-M exhausted=cycle");
  }

  @Test
  void beginsAgainIfToldTo() throws Exception {
    Adapter model = scripted("[one, two]", "exhausted", "cycle");
    assertThat(texts(ask(model, "a", "b", "c", "d", "e")))
        .containsExactly("one", "two", "one", "two", "one");
  }

  @Test
  void matchesFirstAndUsesNothingUp() throws Exception {
    Adapter model =
        scripted(
            """
            - in order
            - match: capital of (Peru|Chile)
              text: a city
            """);
    assertThat(texts(ask(model, "the capital of Peru?", "the capital of Chile?", "else")))
        .containsExactly("a city", "a city", "in order");
  }

  @Test
  void tellsWhatNoReplyFits() throws Exception {
    assertThat(texts(ask(scripted("- {match: a, text: b}"), "c")))
        .singleElement()
        .asString()
        .contains("no `match`", "replies.yaml");
  }

  @Test
  void saysAllThatAReplyCanHave() throws Exception {
    Adapter model =
        scripted(
            """
            [{"text": "Let me look.", "latency": "90s", "usage": {"input": 12, "output": 3},
              "tool_calls": [{"id": "x1", "name": "search", "arguments": {"q": "weir", "n": 2}},
                             {"name": "broken", "arguments": "{\\"q\\": "}]},
             {"text": "I may not.", "stop_reason": "content_filter"}]
            """);
    long begin = time.nanos();
    List<Response> responses = ask(model, "a", "b");
    assertThat(Duration.ofNanos(time.nanos() - begin)).isEqualTo(Duration.ofSeconds(90));
    Response.Reply first = (Response.Reply) responses.getFirst();
    assertThat(first.usage()).isEqualTo(new Usage(12, 3));
    assertThat(first.stopReason()).isEqualTo(StopReason.TOOL_CALLS);
    assertThat(first.message().toolCalls())
        .containsExactly(
            new ToolCall("x1", "search", "{\"q\":\"weir\",\"n\":2}"),
            new ToolCall("call_1", "broken", "{\"q\": "));
    assertThat(((Response.Reply) responses.getLast()).stopReason())
        .isEqualTo(StopReason.CONTENT_FILTER);
  }

  @ParameterizedTest
  @CsvSource({
    "rate_limited, RateLimited",
    "overloaded, Overloaded",
    "transient, Transient",
    "invalid_request, InvalidRequest",
    "refused_by_policy, RefusedByPolicy",
    "authentication, Authentication",
    "quota_exhausted, QuotaExhausted",
    "unreadable_reply, UnreadableReply",
  })
  void failsInEveryWay(String kind, String type) throws Exception {
    Response response =
        ask(scripted("- error: {kind: %s, retry_after: 2, status: 418}".formatted(kind)), "a")
            .getFirst();
    assertThat(response.getClass().getSimpleName()).isEqualTo(type);
    assertThat(response.origin().status()).hasValue(418);
    Optional<Duration> wait =
        switch (response) {
          case Response.RateLimited refused -> refused.facts().serverWait();
          case Response.Overloaded refused -> refused.facts().serverWait();
          default -> Optional.of(Duration.ofSeconds(2));
        };
    assertThat(wait).contains(Duration.ofSeconds(2));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "- txet: a | line 1, column 3: unknown key 'txet'; did you mean 'text'?",
        "- a\\n- latency: 2s | line 2, column 3: a reply must have either `text`",
        "- {text: a, error: {kind: transient}} | line 1, column 3: a reply must have either",
        "- error: {kind: rate_limit} | column 17: unknown kind of error 'rate_limit'; did you mean",
        "- error: {message: a} | column 10: an error must have a `kind`: rate_limited, overloaded",
        "- {text: a, latency: soon} | column 22: `latency` must be a duration",
        "- {text: a, usage: {input: -1}} | `input` must be a whole number from 0",
        "- {text: a, stop_reason: stopp} | unknown stop reason 'stopp'; did you mean 'stop'?",
        "- {text: a, match: '('} | `match` must be a regular expression",
        "- tool_calls: [{id: a}] | a tool call must have a `name`",
        "text: a | the file must be a list",
        "[] | there must be at least one reply",
        "'' | line 1, column 1: the file is empty",
        "'- [a' | the file is not YAML: the list [ at line 1, column 3 is not closed before this",
        "- a\u0007b | line 1, column 4: the file is not YAML: there is a character that no text has"
            + " (U+0007)",
        "- &a [*a] | references (*name) are not supported",
      })
  void tellsWhereAFileIsWrong(String text, String problem) {
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> scripted(text.replace("\\n", "\n")))
        .withMessageContaining("replies.yaml")
        .withMessageContaining(problem);
  }

  @Test
  void tellsThatThereIsNoFile() {
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> open("mock/x", Map.of("replies", "nowhere.yaml")))
        .withMessageContaining("nowhere.yaml: there is no such file");
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> open("mock/x", Map.of("replies", folder.toString())))
        .withMessageContaining("is a folder");
  }

  @Test
  void refusesWhatExcludesEachOther() {
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> open("mock/x", Map.of("replies", "a", "text", "b")))
        .withMessageContaining("exclude each other");
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> open("mock/x", Map.of("exhausted", "cycle")))
        .withMessageContaining("give those, too");
  }

  @ParameterizedTest
  @ValueSource(strings = {"restart", "Fail"})
  void refusesAnotherEndThanItKnows(String word) {
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> open("mock/x", Map.of("exhausted", word)))
        .withMessageContaining("one of fail, cycle");
  }
}
