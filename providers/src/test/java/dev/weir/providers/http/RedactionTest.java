package dev.weir.providers.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.model.Message;
import dev.weir.model.ModelName;
import dev.weir.model.Origin;
import dev.weir.model.Response;
import dev.weir.model.Secret;
import dev.weir.model.StopReason;
import dev.weir.model.ToolCall;
import dev.weir.model.Usage;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Servers that repeat the credential, in any way that can be read back. */
@Timeout(60)
class RedactionTest {

  private static final String KEY = Asked.KEY;

  private static final String REST = KEY.substring(1);

  private final Transport transport = Transport.open(Asked.SETTINGS);

  @AfterEach
  void close() {
    transport.close();
  }

  /** Each in a JSON text; none may be told. */
  static List<String> spellings() {
    return List.of(
        KEY,
        "\\u0073" + REST,
        "\\u0073\\u006B" + KEY.substring(2),
        // A JSON text within a JSON text.
        "{\\\"a\\\": \\\"\\\\u0073" + REST + "\\\"}",
        Base64.getEncoder().encodeToString(KEY.getBytes(StandardCharsets.UTF_8)));
  }

  private Response ask(boolean stream, String response) throws Exception {
    try (var server =
        ScriptedServer.start(
            connection -> {
              connection.readRequest();
              connection.write(response);
            })) {
      return stream
          ? Asked.stream(server.address(), transport)
          : Asked.ask(server.address(), transport);
    }
  }

  private static void requireClean(Response response) {
    String shown =
        switch (response) {
          case Response.Reply reply -> reply.message().toString();
          case Response.Failure failure -> failure.message();
        };
    assertThat(shown).contains("[redacted]");
    assertThat(shown + response + response.origin().statusText() + response.origin().raw())
        .doesNotContain("very-secret", spellings().getLast());
  }

  @ParameterizedTest
  @MethodSource("spellings")
  void isNoPartOfAnAnswer(String spelling) throws Exception {
    requireClean(ask(false, ScriptedServer.ok("{\"answer\": \"it is %s\"}".formatted(spelling))));
    requireClean(
        ask(
            true,
            "HTTP/1.1 200 OK\r\n\r\ndata: {\"text\": \"it is %s\"}\n\ndata: [DONE]\n\n"
                .formatted(spelling)));
  }

  @ParameterizedTest
  @MethodSource("spellings")
  void isNoPartOfARefusal(String spelling) throws Exception {
    String body = "{\"error\": {\"message\": \"wrong: %s\"}}".formatted(spelling);
    requireClean(ask(false, "HTTP/1.1 401 No\r\n\r\n" + body));
    requireClean(ask(false, "HTTP/1.1 200 OK\r\n\r\n" + "no answer " + body));
    HttpModel model = Asked.model(URI.create("http://127.0.0.1:1"), transport, false);
    requireClean(
        model.classify(401, "No", Map.of(), body.getBytes(StandardCharsets.UTF_8)).orElseThrow());
  }

  @Test
  void isNoPartOfWhatStandsBesideTheStatusOrInAHeader() throws Exception {
    requireClean(
        ask(
            false,
            "HTTP/1.1 401 key %s is wrong\r\nx-request-id: %s\r\n\r\n{}".formatted(KEY, KEY)));
    HttpModel model = Asked.model(URI.create("http://127.0.0.1:1"), transport, false);
    requireClean(
        model
            .classify(401, "wrong " + KEY, Map.of("X-Request-Id", List.of(KEY)), new byte[0])
            .orElseThrow());
  }

  @Test
  void isNotPutTogetherFromPieces() throws Exception {
    Response response =
        ask(
            true,
            "HTTP/1.1 200 OK\r\n\r\ndata: {\"text\": \"it is sk-very-\"}\n\n"
                + "data: {\"text\": \"secret-key\"}\n\ndata: [DONE]\n\n");
    assertThat(((Response.Reply) response).message().text()).isEqualTo("it is [redacted]");
    assertThat(response.origin().raw().orElseThrow().response()).isEqualTo("[redacted]");
  }

  @Test
  void isNotCutInTheMiddle() throws Exception {
    // A message is cut after 500 characters, which would leave half of an escaped key.
    String body = "{\"error\": {\"message\": \"%s \\u0073%s\"}}".formatted("x".repeat(490), REST);
    assertThat(((Response.Failure) ask(false, "HTTP/1.1 400 No\r\n\r\n" + body)).message())
        .doesNotContain("sk-");
  }

  @Test
  void anEscapeBeforeItKeepsAnAnswerReadable() {
    var secret = new Secret("nobody-knows");
    Json json = Json.parseOrAbsent("{\"a\": [\"one\\nobody-knows\", \"nobody-knows\", 5, true]}");
    assertThat(json.redacted(secret))
        .hasToString("{\"a\":[\"one\\nobody-knows\",\"[redacted]\",5,true]}");
  }

  @Test
  void everyPartOfAReplyIsLookedAt() {
    var secret = new Secret("a/b\"c\\nobody");
    String json = Json.text(Map.of("key", secret.reveal()));
    var message =
        new Message.Assistant(
            secret.reveal(),
            "I think a\\/b\\\"c\\\\nobody",
            List.of(new ToolCall("1", "t", json)),
            Optional.of(new Message.NativeForm("w", json)));
    Origin origin =
        new Origin(
            new ModelName("a", "b"),
            OptionalInt.empty(),
            "",
            Optional.empty(),
            0,
            0,
            Optional.of(new Origin.Raw(json, json)));
    Response response =
        Redaction.of(secret, new Response.Reply(message, StopReason.STOP, Usage.NONE, origin));
    Message.Assistant clean = ((Response.Reply) response).message();
    assertThat(clean)
        .isEqualTo(
            new Message.Assistant(
                "[redacted]",
                "I think [redacted]",
                List.of(new ToolCall("1", "t", "{\"key\":\"[redacted]\"}")),
                Optional.of(new Message.NativeForm("w", "{\"key\":\"[redacted]\"}"))));
    assertThat(response.origin().raw().orElseThrow().toString()).doesNotContain("nobody");
  }
}
