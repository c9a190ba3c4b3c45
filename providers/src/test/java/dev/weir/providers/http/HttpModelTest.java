package dev.weir.providers.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeout;

import dev.weir.limits.retry.Outcome;
import dev.weir.model.Response;
import dev.weir.model.spi.RawCall;
import dev.weir.model.spi.RawReply;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What responses mean that are not as an API promises; each comes from a real socket. */
@Timeout(120)
class HttpModelTest {

  private final Transport transport = Transport.open(Asked.SETTINGS);

  @AfterEach
  void close() {
    transport.close();
  }

  private Response ask(String response) throws IOException, InterruptedException {
    return ask(response.getBytes(StandardCharsets.UTF_8));
  }

  private Response ask(byte[] response) throws IOException, InterruptedException {
    // Closed after one answer, so that a body without a length has an end.
    try (var server =
        ScriptedServer.start(
            connection -> {
              connection.readRequest();
              connection.write(response);
            })) {
      return checked(Asked.ask(server.address(), transport));
    }
  }

  private Response stream(String response) throws IOException, InterruptedException {
    try (var server =
        ScriptedServer.start(
            connection -> {
              connection.readRequest();
              connection.write(response);
            })) {
      return checked(Asked.stream(server.address(), transport));
    }
  }

  /** Whatever came back: who was asked is known, and the credential is not in it. */
  private static Response checked(Response response) {
    assertThat(response.origin().model()).hasToString("plain/one");
    assertThat(response.toString()).doesNotContain(Asked.KEY);
    return response;
  }

  private static String answer(Response response) {
    assertThat(response).isInstanceOf(Response.Reply.class);
    return ((Response.Reply) response).message().text();
  }

  private static String chunked(String... parts) {
    var text = new StringBuilder();
    for (String part : parts) {
      text.append(Integer.toHexString(part.length())).append("\r\n").append(part).append("\r\n");
    }
    return text.append("0\r\n\r\n").toString();
  }

  @Test
  void anAnswerIsRead() throws Exception {
    Response response = ask(ScriptedServer.ok("{\"answer\": \"grün\"}"));
    assertThat(answer(response)).isEqualTo("grün");
    assertThat(response.origin().status()).hasValue(200);
    assertThat(response.origin().bytesReceived()).isEqualTo(19);
    assertThat(response.origin().raw().orElseThrow().request()).contains("a question");
    assertThat(response.origin().raw().orElseThrow().response()).contains("grün");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "content-type: text/html\r\ncontent-length: 15",
        "content-type: text/event-stream\r\ncontent-length: 15",
        "content-encoding: gzip\r\ncontent-length: 15",
        "x-ratelimit-remaining-requests: 0\r\nretry-after: 1000000\r\ncontent-length: 15",
        "retry-after: soon\r\nx-ratelimit-limit-tokens: -∞",
        "x-nothing:",
        "location: https://elsewhere.example/",
      })
  void anAnswerIsNeverDiscardedForItsHeaders(String headers) throws Exception {
    String response = "HTTP/1.1 200 OK\r\n" + headers + "\r\n\r\n{\"answer\": \"y\"}";
    assertThat(answer(ask(response))).isEqualTo("y");
    assertThat(answer(stream(response))).isEqualTo("y");
  }

  @Test
  void everyStatusOfTheSecondHundredIsAnAnswer() throws Exception {
    assertThat(answer(ask("HTTP/1.0 299 Whatever\r\n\r\n{\"answer\": \"y\"}"))).isEqualTo("y");
  }

  @Test
  void halfACharacterDoesNotLoseAnAnswer() throws Exception {
    byte[] body = "{\"answer\": \"grXn\"}".getBytes(StandardCharsets.ISO_8859_1);
    body[14] = (byte) 0xC3;
    var response = new ByteArrayOutputStream();
    response.writeBytes(
        "HTTP/1.1 200 OK\r\ncontent-length: 18\r\n\r\n".getBytes(StandardCharsets.UTF_8));
    response.writeBytes(body);
    assertThat(answer(ask(response.toByteArray()))).isEqualTo("gr\uFFFDn");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"other\": 1}|it has no answer",
        "Service is being restarted|Service is being restarted",
        "<!DOCTYPE html><html><head><title>Sign"
            + " in</title><style>p{color:red}</style></head><body><p>Hotel"
            + " network</p></body></html>|a web page; it begins: Sign in: Hotel network",
        "{\"answer\": \"y\"|not JSON",
        "{\"answer\": \"y\"} trailing|not JSON",
        "5|it has no answer",
        "''|it is empty",
        "null|it has no answer",
      })
  void whatIsNoAnswerIsUnreadableAndShown(String body, String said) throws Exception {
    Response response =
        ask("HTTP/1.1 200 OK\r\nx-request-id: req-7\r\n\r\n" + (body == null ? "" : body));
    assertThat(response)
        .isInstanceOfSatisfying(
            Response.UnreadableReply.class,
            unreadable -> assertThat(unreadable.message()).startsWith("200: ").contains(said));
    assertThat(response.origin()).hasToString("plain/one, status 200, request req-7");
  }

  @Test
  void deepNestingIsUnreadable() throws Exception {
    assertThat(ask(ScriptedServer.ok("[".repeat(500_000))))
        .isInstanceOf(Response.UnreadableReply.class);
    assertThat(ask(ScriptedServer.ok("{\"a\":".repeat(100_000))))
        .isInstanceOf(Response.UnreadableReply.class);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aHundredMegabytesAreNotReadToTheEnd(boolean announced) throws Exception {
    long length = 100L << 20;
    var written = new AtomicLong();
    try (var server =
        ScriptedServer.start(
            connection -> {
              connection.readRequest();
              connection.write(
                  "HTTP/1.1 200 OK\r\nx-request-id: big\r\n"
                      + (announced ? "content-length: " + length + "\r\n\r\n" : "\r\n"));
              byte[] part = new byte[1 << 16];
              for (long sent = 0; sent < length; sent += part.length) {
                connection.write(part);
                written.addAndGet(part.length);
              }
            })) {
      Response response = Asked.ask(server.address(), transport);
      assertThat(response)
          .isInstanceOfSatisfying(
              Response.UnreadableReply.class,
              large -> assertThat(large.message()).contains("larger than 1 MiB"));
      assertThat(response.origin()).hasToString("plain/one, status 200, request big");
      // What the buffers of the sockets hold, and no more.
      assertThat(written.get()).isLessThan(length / 2);
    }
  }

  @Test
  void aPackedBodyIsBoundedAfterUnpacking() throws Exception {
    var packed = new ByteArrayOutputStream();
    try (var gzip = new GZIPOutputStream(packed)) {
      gzip.write("{\"answer\":\"".getBytes(StandardCharsets.UTF_8));
      for (int i = 0; i < 50; i++) {
        gzip.write(new byte[1 << 20]);
      }
    }
    var response = new ByteArrayOutputStream();
    response.writeBytes(
        "HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: %d\r\n\r\n"
            .formatted(packed.size())
            .getBytes(StandardCharsets.UTF_8));
    packed.writeTo(response);
    assertThat(packed.size()).isLessThan(1 << 20);
    assertThat(ask(response.toByteArray()))
        .isInstanceOfSatisfying(
            Response.UnreadableReply.class,
            large -> assertThat(large.message()).contains("larger than 1 MiB"));
  }

  @Test
  void aPackedAnswerIsReadThoughNobodyAskedForIt() throws Exception {
    var packed = new ByteArrayOutputStream();
    try (var gzip = new GZIPOutputStream(packed)) {
      gzip.write(("{\"answer\":\"" + "y".repeat(10_000) + "\"}").getBytes(StandardCharsets.UTF_8));
    }
    var response = new ByteArrayOutputStream();
    response.writeBytes(
        "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\ncontent-length: %d\r\n\r\n"
            .formatted(packed.size())
            .getBytes(StandardCharsets.UTF_8));
    packed.writeTo(response);
    assertThat(answer(ask(response.toByteArray()))).hasSize(10_000);
  }

  @ParameterizedTest
  @ValueSource(ints = {3, 12})
  void aPackedAnswerThatIsBrokenKeepsItsStatus(int brokenAt) throws Exception {
    var packed = new ByteArrayOutputStream();
    try (var gzip = new GZIPOutputStream(packed)) {
      gzip.write("{\"answer\":\"y\"}".getBytes(StandardCharsets.UTF_8));
    }
    byte[] broken = packed.toByteArray();
    broken[2] = brokenAt == 3 ? 0 : broken[2];
    broken[brokenAt] ^= 0x7f;
    var response = new ByteArrayOutputStream();
    response.writeBytes(
        "HTTP/1.1 200 OK\r\nx-request-id: r5\r\ncontent-encoding: gzip\r\n\r\n"
            .getBytes(StandardCharsets.UTF_8));
    response.writeBytes(broken);
    Response read = ask(response.toByteArray());
    assertThat(read)
        .isInstanceOfSatisfying(
            Response.UnreadableReply.class,
            unreadable -> assertThat(unreadable.message()).startsWith("200: the reply cannot be"));
    assertThat(read.origin()).hasToString("plain/one, status 200, request r5");
  }

  @Test
  void anAnswerIsNotLostForManyOrOddHeaders() throws Exception {
    String body = "\r\n{\"answer\": \"y\"}";
    assertThat(answer(ask("HTTP/1.1 200 OK\r\n" + "x-many: y\r\n".repeat(900) + body)))
        .isEqualTo("y");
    assertThat(answer(ask("HTTP/1.1 200 OK\r\nx-long: " + "y".repeat(200_000) + "\r\n" + body)))
        .isEqualTo("y");
    assertThat(answer(ask("HTTP/1.1 200 OK\r\nno header at all\r\n: none\r\n" + body)))
        .isEqualTo("y");
  }

  @Test
  void emptySpaceBeforeAnAnswerIsNoWork() throws Exception {
    var large = new TransportSettings(Duration.ofSeconds(20), Duration.ofSeconds(20), 64 << 20);
    String body = " ".repeat(16 << 20) + "{\"answer\": \"y\"}";
    try (var patient = Transport.open(large);
        var server = ScriptedServer.answering(ScriptedServer.ok(body))) {
      // Looked at again with each piece this would take minutes.
      assertThat(
              assertTimeout(
                  Duration.ofSeconds(20), () -> answer(Asked.stream(server.address(), patient))))
          .isEqualTo("y");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"retry later", "data is being moved", "events are over"})
  void aTextIsNotTakenForEvents(String text) throws Exception {
    assertThat(stream("HTTP/1.1 200 OK\r\n\r\n" + text))
        .isInstanceOfSatisfying(
            Response.UnreadableReply.class,
            unreadable -> assertThat(unreadable.message()).contains(text));
  }

  @Test
  void anErrorPageIsClassifiedByItsStatusAndShownAsText() throws Exception {
    String page =
        "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n<center><h1>502 Bad"
            + " Gateway</h1></center>\r\n<script>alert('x')</script><hr>nginx/1.25 &amp;"
            + " more</body></html>"
            + "<p>padding</p>".repeat(1_000);
    assertThat(ask("HTTP/1.1 502 Bad Gateway\r\n\r\n" + page))
        .isInstanceOfSatisfying(
            Response.Transient.class,
            failure ->
                assertThat(failure.message())
                    .startsWith("502 Bad Gateway: 502 Bad Gateway nginx/1.25 & more padding")
                    .doesNotContain("<", "alert")
                    .hasSizeLessThan(530));
  }

  @ParameterizedTest
  @CsvSource({
    "401,Authentication",
    "402,QuotaExhausted",
    "403,Authentication",
    "404,InvalidRequest",
    "408,Transient",
    "413,InvalidRequest",
    "429,RateLimited",
    "500,Transient",
    "502,Transient",
    "503,Overloaded",
    "501,InvalidRequest",
    "504,Transient",
    "505,InvalidRequest",
    "511,Authentication",
    "524,Transient",
    "529,Overloaded",
    "599,Transient"
  })
  void aStatusHasItsMeaning(int status, String kind) throws Exception {
    String body = "{\"error\": {\"message\": \"no, %s\"}}".formatted(Asked.KEY);
    Response response =
        ask("HTTP/1.1 %d Some Reason\r\nrequest-id: r1\r\n\r\n%s".formatted(status, body));
    assertThat(response.getClass().getSimpleName()).isEqualTo(kind);
    assertThat(((Response.Failure) response).message())
        .isEqualTo(status + " Some Reason: no, [redacted]");
    assertThat(response.origin()).hasToString("plain/one, status %d, request r1".formatted(status));
  }

  @Test
  void whatARefusalTookOnTheLineIsCounted() throws Exception {
    assertThat(ask("HTTP/1.1 429 Too Many\r\n\r\n{\"error\": 1}").origin().bytesReceived())
        .isEqualTo(12);
  }

  @Test
  void aRefusalWhoseBodyBreaksOffIsStillARefusal() throws Exception {
    assertThat(ask("HTTP/1.1 429 Too Many\r\nretry-after: 7\r\ncontent-length: 500\r\n\r\n{\"err"))
        .isInstanceOfSatisfying(
            Response.RateLimited.class,
            refused -> assertThat(refused.facts().serverWait()).hasValue(Duration.ofSeconds(7)));
  }

  @ParameterizedTest
  @CsvSource({
    "301,https://api.example/v2?token=hidden,to api.example",
    "307,/other,elsewhere",
    "302,,elsewhere",
    "308,::::,elsewhere"
  })
  void aRedirectIsNotFollowed(int status, String location, String said) throws Exception {
    String header = location == null ? "" : "location: " + location + "\r\n";
    assertThat(ask("HTTP/1.1 " + status + " Moved\r\n" + header + "content-length: 0\r\n\r\n"))
        .isInstanceOfSatisfying(
            Response.InvalidRequest.class,
            invalid ->
                assertThat(invalid.message())
                    .contains(said, "redirects are not followed; is the base URL right?")
                    .doesNotContain("hidden"));
  }

  @Test
  void aProxyThatWantsAPasswordIsNamed() throws Exception {
    assertThat(ask("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n"))
        .isInstanceOfSatisfying(
            Response.Authentication.class,
            failure -> {
              assertThat(failure.message()).contains("the proxy wants a user");
              assertThat(failure.reach()).isEqualTo(Outcome.Reach.ACCOUNT);
            });
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "content-length: 500\r\n\r\n{\"answer\":",
        "transfer-encoding: chunked\r\n\r\n1f\r\n{\"answer\":",
        "transfer-encoding: chunked\r\n\r\n4\r\n{\"an\r\n",
      })
  void anAnswerThatBreaksOffIsTransient(String rest) throws Exception {
    Response response = ask("HTTP/1.1 200 OK\r\nx-request-id: r2\r\n" + rest);
    assertThat(response)
        .isInstanceOfSatisfying(
            Response.Transient.class,
            failure -> assertThat(failure.message()).contains("200: the answer broke off"));
    assertThat(response.origin()).hasToString("plain/one, status 200, request r2");
  }

  @Test
  void aConnectionThatIsResetIsTransient() throws Exception {
    try (var server =
        ScriptedServer.start(
            connection -> {
              connection.readRequest();
              connection.reset();
            })) {
      assertThat(Asked.ask(server.address(), transport)).isInstanceOf(Response.Transient.class);
      assertThat(server.connections()).as("attempts").isEqualTo(1);
    }
    try (var server = ScriptedServer.start(ScriptedServer.Connection::readRequest)) {
      assertThat(Asked.ask(server.address(), transport))
          .isInstanceOfSatisfying(
              Response.Transient.class,
              failure -> assertThat(failure.message()).contains("closed before an answer"));
      assertThat(server.connections()).as("attempts").isEqualTo(1);
    }
  }

  @Test
  void nobodyListeningIsTransient() throws Exception {
    int port;
    try (var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = taken.getLocalPort();
    }
    assertThat(Asked.ask(URI.create("http://127.0.0.1:" + port), transport))
        .isInstanceOfSatisfying(
            Response.Transient.class,
            failure -> assertThat(failure.message()).contains("127.0.0.1:" + port, "refused"));
  }

  @Test
  void anUnknownHostIsTransient() throws Exception {
    assertThat(Asked.ask(URI.create("http://no.such.host.invalid"), transport))
        .isInstanceOfSatisfying(
            Response.Transient.class,
            failure -> assertThat(failure.message()).contains("there is no host no.such.host"));
  }

  @Test
  void aServerThatSaysNothingIsTransientAfterTheReadTimeout() throws Exception {
    var impatient = new TransportSettings(Duration.ofSeconds(20), Duration.ofMillis(50), 1 << 20);
    try (var patience = Transport.open(impatient);
        var silent = ScriptedServer.start(ScriptedServer.Connection::hang);
        var stalled =
            ScriptedServer.start(
                connection -> {
                  connection.readRequest();
                  connection.write("HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\n{\"ans");
                  connection.hang();
                })) {
      for (ScriptedServer server : List.of(silent, stalled)) {
        assertThat(Asked.ask(server.address(), patience))
            .isInstanceOfSatisfying(
                Response.Transient.class,
                failure -> assertThat(failure.message()).contains("no answer in time"));
      }
    }
  }

  @Test
  void whatIsNotHttpIsUnreadable() throws Exception {
    assertThat(ask("SSH-2.0-OpenSSH_9.6\r\n".repeat(50)))
        .isInstanceOfSatisfying(
            Response.UnreadableReply.class,
            failure -> assertThat(failure.message()).contains("does not answer as HTTP servers"));
  }

  @Test
  void aFloodOfHeadersIsUnreadable() throws Exception {
    assertThat(ask("HTTP/1.1 200 OK\r\n" + "x-flood: y\r\n".repeat(100_000) + "\r\n{}"))
        .isInstanceOf(Response.UnreadableReply.class);
    assertThat(ask("HTTP/1.1 200 OK\r\nx-flood: " + "y".repeat(1 << 20) + "\r\n\r\n{}"))
        .isInstanceOf(Response.UnreadableReply.class);
  }

  private static String events(String... data) {
    var text = new StringBuilder();
    for (String one : data) {
      text.append("data: ").append(one).append("\n\n");
    }
    return text.toString();
  }

  @ParameterizedTest
  @ValueSource(strings = {"text/event-stream", "application/json", "text/plain; charset=utf-8"})
  void eventsAreReadWhateverTheirType(String type) throws Exception {
    String events = events("{\"text\": \"on\"}", "{\"text\": \"e\"}", "[DONE]");
    assertThat(
            answer(
                stream(
                    "HTTP/1.1 200 OK\r\ncontent-type: %s\r\ntransfer-encoding: chunked\r\n\r\n%s"
                        .formatted(type, chunked(": hi\n\n", events)))))
        .isEqualTo("one");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "data: {\"text\": \"on\"}\n\n",
        "data: {\"text\": \"on\"}\n\ndata: {\"tex",
        "data: {\"text\": \"on\"}\n\nda",
      })
  void aStreamThatBreaksOffIsTransient(String begun) throws Exception {
    String head = "HTTP/1.1 200 OK\r\nx-request-id: r3\r\ncontent-type: text/event-stream\r\n";
    for (String framing :
        List.of(
            "\r\n" + begun,
            "transfer-encoding: chunked\r\n\r\n" + chunked(begun).replace("0\r\n\r\n", ""))) {
      Response response = stream(head + framing);
      assertThat(response).isInstanceOf(Response.Transient.class);
      assertThat(response.origin()).hasToString("plain/one, status 200, request r3");
      assertThat(response.origin().raw().orElseThrow().response()).contains("\"on\"");
    }
  }

  @Test
  void anEventThatIsNotJsonIsUnreadable() throws Exception {
    assertThat(stream("HTTP/1.1 200 OK\r\n\r\n" + events("{\"text\": \"on\"}", "<p>", "[DONE]")))
        .isInstanceOf(Response.UnreadableReply.class);
  }

  @Test
  void aRawExchangePassesTheBodyThroughAndKeepsOurCredential() throws Exception {
    try (var server = ScriptedServer.answering(ScriptedServer.ok("{\"answer\": \"y\"}"))) {
      HttpModel model = Asked.model(server.address(), transport, false);
      var call =
          new RawCall(
              Map.of(
                  "Authorization", "Bearer theirs",
                  "X-API-Key", "theirs-2",
                  "api-key", "theirs-3",
                  "x-goog-api-key", "theirs-4",
                  "Cookie", "theirs-5",
                  "Proxy-Authorization", "theirs-6",
                  "Content-Length", "999",
                  "Connection", "close",
                  "X-Trace", "t1"),
              "{\"any\": \"thing\"}".getBytes(StandardCharsets.UTF_8));
      try (RawReply reply = model.raw(call)) {
        assertThat(reply.status()).isEqualTo(200);
        assertThat(reply.headers()).containsKey("content-type");
        assertThat(new String(reply.body().readAllBytes(), StandardCharsets.UTF_8))
            .isEqualTo("{\"answer\": \"y\"}");
      }
      assertThat(server.requests().getFirst())
          .endsWith("{\"any\": \"thing\"}")
          .containsIgnoringCase("x-trace: t1")
          .contains(Asked.KEY)
          .doesNotContain("theirs", "999")
          .doesNotContainIgnoringCase("connection: close");
    }
  }

  @Test
  void aResponseIsClassifiedByNamesInAnyCase() {
    HttpModel model = Asked.model(URI.create("http://127.0.0.1:1"), transport, false);
    byte[] body = "{\"error\": {\"message\": \"slow down\"}}".getBytes(StandardCharsets.UTF_8);
    assertThat(model.classify(200, "OK", Map.of(), body)).isEmpty();
    assertThat(
            model.classify(
                429,
                "Too Many",
                Map.of("Retry-After", List.of("3"), "X-Request-Id", List.of("r9")),
                body))
        .hasValueSatisfying(
            failure -> {
              assertThat(failure)
                  .isInstanceOfSatisfying(
                      Response.RateLimited.class,
                      refused ->
                          assertThat(refused.facts().serverWait()).hasValue(Duration.ofSeconds(3)));
              assertThat(failure.origin().requestId()).hasValue("r9");
            });
  }
}
