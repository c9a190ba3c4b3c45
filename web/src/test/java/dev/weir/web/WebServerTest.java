package dev.weir.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.time.Completion;
import dev.weir.time.Time;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The server over real sockets of this machine. */
@Timeout(30)
class WebServerTest {

  private static final Time TIME = Time.system();

  /** Long enough for the busiest machine: nothing here takes more than a moment. */
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final Completion<Boolean> begun = new Completion<>(TIME, "the handler's begin");
  private final Completion<Boolean> cancelled = new Completion<>(TIME, "the handler's end");
  private @Nullable WebServer started;

  @AfterEach
  void close() {
    client.close();
    if (started != null) {
      started.close();
    }
  }

  private void start(Handler handler) throws Exception {
    start(WebSettings.loopback(0), handler);
  }

  private void start(WebSettings settings, Handler handler) throws Exception {
    started = WebServer.start(TIME, settings, handler);
  }

  private WebServer server() {
    return Objects.requireNonNull(started);
  }

  private HttpRequest.Builder to(String path) {
    return HttpRequest.newBuilder(server().address().resolve(path)).timeout(PATIENCE);
  }

  private HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
    return client.send(request.build(), BodyHandlers.ofString());
  }

  /** Works until somebody cancels it. */
  private Answer work(Request request) throws InterruptedException {
    begun.complete(true);
    try {
      TIME.sleepUntil(Time.NEVER);
      return Answer.text(200, "done");
    } catch (InterruptedException gone) {
      cancelled.complete(true);
      throw gone;
    }
  }

  private static void await(Completion<?> completion) throws InterruptedException {
    assertThat(completion.await(TIME.after(PATIENCE))).as("in time").isTrue();
  }

  private void awaitIdle() throws InterruptedException {
    long deadline = TIME.after(PATIENCE);
    while (server().inFlight() > 0) {
      assertThat(TIME.nanos()).as("in time").isLessThan(deadline);
      TIME.sleep(Duration.ofMillis(2));
    }
  }

  @Test
  void aClientThatVanishesIsNoticedWhileTheHandlerWorks() throws Exception {
    start(this::work);
    try (var socket = new Socket(InetAddress.getLoopbackAddress(), server().port())) {
      socket
          .getOutputStream()
          .write(
              "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\nhi"
                  .getBytes(StandardCharsets.US_ASCII));
      await(begun);
      assertThat(cancelled.isDone()).isFalse();
    }
    await(cancelled);
    awaitIdle();
  }

  /** Clients may read the text of a status: those of the standard, and Cloudflare's. */
  @Test
  void statusesHaveTheirUsualTexts() throws Exception {
    start(request -> Answer.text(Integer.parseInt(request.path().substring(1)), "x"));
    assertThat(statusLine(503)).isEqualTo("HTTP/1.1 503 Service Unavailable");
    assertThat(statusLine(524)).isEqualTo("HTTP/1.1 524 A Timeout Occurred");
  }

  private String statusLine(int status) throws Exception {
    try (var socket = new Socket(InetAddress.getLoopbackAddress(), server().port())) {
      socket
          .getOutputStream()
          .write(
              "GET /%d HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
                  .formatted(status)
                  .getBytes(StandardCharsets.US_ASCII));
      String all = new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
      return all.lines().findFirst().orElse("");
    }
  }

  @Test
  void aClientThatGivesUpIsNoticedOnAConnectionThatWasUsedBefore() throws Exception {
    start(request -> request.path().equals("/work") ? work(request) : Answer.text(200, "quick"));
    assertThat(send(to("/quick")).body()).isEqualTo("quick");
    CompletableFuture<HttpResponse<String>> call =
        client.sendAsync(to("/work").build(), BodyHandlers.ofString());
    await(begun);
    call.cancel(true);
    await(cancelled);
    awaitIdle();
    assertThat(send(to("/quick")).statusCode()).isEqualTo(200);
  }

  @Test
  void aReaderOfAStreamThatVanishesEndsIt() throws Exception {
    start(
        _ ->
            Answer.events(
                sink -> {
                  try {
                    while (true) {
                      sink.send("tick");
                      TIME.sleep(Duration.ofMillis(1));
                    }
                  } finally {
                    cancelled.complete(true);
                  }
                }));
    HttpResponse<InputStream> response = client.send(to("/").build(), BodyHandlers.ofInputStream());
    try (InputStream events = response.body()) {
      assertThat(new String(events.readNBytes(12), StandardCharsets.US_ASCII))
          .isEqualTo("data: tick\n\n");
      assertThat(response.headers().firstValue("content-type")).contains("text/event-stream");
    }
    await(cancelled);
    awaitIdle();
  }

  @Test
  void eventsArriveOneByOneAndInOrder() throws Exception {
    var read = new Completion<Boolean>(TIME, "the client");
    start(
        _ ->
            Answer.events(
                sink -> {
                  sink.send("first", "a\nb");
                  read.await();
                  sink.send("second");
                }));
    HttpResponse<InputStream> response = client.send(to("/").build(), BodyHandlers.ofInputStream());
    try (InputStream events = response.body()) {
      String first = "event: first\ndata: a\ndata: b\n\n";
      assertThat(new String(events.readNBytes(first.length()), StandardCharsets.US_ASCII))
          .isEqualTo(first);
      read.complete(true);
      assertThat(new String(events.readAllBytes(), StandardCharsets.US_ASCII))
          .isEqualTo("data: second\n\n");
    }
  }

  @Test
  void aBodyOfPiecesMayBeLongAndMayBreakOff() throws Exception {
    byte[] piece = new byte[1 << 16];
    start(
        request ->
            Answer.pieces(
                    201,
                    "application/octet-stream",
                    sink -> {
                      for (int i = 0; i < 100; i++) {
                        sink.send(piece);
                      }
                      if (request.path().equals("/broken")) {
                        throw new IOException("on purpose");
                      }
                    })
                .with("x-name", "n"));
    HttpResponse<byte[]> whole = client.send(to("/").build(), BodyHandlers.ofByteArray());
    assertThat(whole.statusCode()).isEqualTo(201);
    assertThat(whole.headers().firstValue("x-name")).contains("n");
    assertThat(whole.body()).hasSize(100 << 16);
    assertThatThrownBy(() -> send(to("/broken"))).isInstanceOf(IOException.class);
    awaitIdle();
  }

  @Test
  void complaintsHaveTheFormThatRoutesWant() throws Exception {
    start(
        Routes.builder()
            .get("/a", _ -> Answer.text(200, "get"))
            .otherwise((request, status, type, _) -> Answer.text(status, request + " " + type))
            .build());
    assertThat(send(to("/b")).body()).isEqualTo("GET /b not_found_error");
    HttpResponse<String> wrong = send(to("/a").DELETE());
    assertThat(wrong.statusCode()).isEqualTo(405);
    assertThat(wrong.body()).isEqualTo("DELETE /a method_not_allowed_error");
    assertThat(wrong.headers().firstValue("allow")).contains("GET");
  }

  @Test
  void aHandlerSeesTheWholeRequest() throws Exception {
    start(
        request ->
            Answer.text(
                200,
                String.join(
                    "|",
                    request.method(),
                    request.path(),
                    request.query(),
                    request.header("X-Name").orElse(""),
                    request.header("x-none").orElse("-"),
                    request.text())));
    HttpResponse<String> response =
        send(to("/a%3Ab/c?d=e%20f").header("x-name", "n").POST(BodyPublishers.ofString("größe")));
    assertThat(response.body()).isEqualTo("POST|/a%3Ab/c|d=e%20f|n|-|größe");
    assertThat(response.headers().firstValue("x-content-type-options")).contains("nosniff");
    assertThat(response.headers().firstValue("content-security-policy")).isPresent();
  }

  @Test
  void routesAreFoundByPathAndMethod() throws Exception {
    start(
        Routes.builder()
            .get("/a", _ -> Answer.text(200, "get"))
            .post("/a", _ -> Answer.text(200, "post"))
            .get("/files/*", request -> Answer.text(200, "below " + request.path()))
            .get("/files/own", _ -> Answer.text(200, "own"))
            .build());
    assertThat(send(to("/a")).body()).isEqualTo("get");
    assertThat(send(to("/a").POST(BodyPublishers.noBody())).body()).isEqualTo("post");
    assertThat(send(to("/files/x/y")).body()).isEqualTo("below /files/x/y");
    assertThat(send(to("/files/own")).body()).isEqualTo("own");
    HttpResponse<String> nothing = send(to("/b"));
    assertThat(nothing.statusCode()).isEqualTo(404);
    assertThat(nothing.body()).contains("\"type\":\"not_found_error\"", "nothing at /b");
    HttpResponse<String> wrong = send(to("/a").DELETE());
    assertThat(wrong.statusCode()).isEqualTo(405);
    assertThat(wrong.headers().firstValue("allow")).contains("GET, POST");
  }

  @Test
  void aBodyThatIsTooLargeIsRefusedAndTheConnectionGoesOn() throws Exception {
    start(
        WebSettings.loopback(0).withMaxBodyBytes(1_000),
        request -> Answer.text(200, String.valueOf(request.body().length)));
    assertThat(send(to("/").POST(BodyPublishers.ofByteArray(new byte[1_000]))).body())
        .isEqualTo("1000");
    HttpResponse<String> response = send(to("/").POST(BodyPublishers.ofByteArray(new byte[1_001])));
    assertThat(response.statusCode()).isEqualTo(413);
    assertThat(response.body()).contains("at most 1000 bytes");
    assertThat(send(to("/")).statusCode()).isEqualTo(200);
  }

  @Test
  void aBodyWithoutEndIsCutOff() throws Exception {
    start(WebSettings.loopback(0).withMaxBodyBytes(1_000), _ -> Answer.text(200, "ok"));
    try (var socket = new Socket(InetAddress.getLoopbackAddress(), server().port())) {
      var out = socket.getOutputStream();
      out.write(
          "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000000\r\n\r\n"
              .getBytes(StandardCharsets.US_ASCII));
      out.write(new byte[5_000]);
      assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII))
          .startsWith("HTTP/1.1 413 ");
    }
  }

  @Test
  void tooManyRequestsInFlightAreRefused() throws Exception {
    start(WebSettings.loopback(0).withMaxInFlight(1), this::work);
    CompletableFuture<HttpResponse<String>> call =
        client.sendAsync(to("/").build(), BodyHandlers.ofString());
    await(begun);
    HttpResponse<String> refused = send(to("/"));
    assertThat(refused.statusCode()).isEqualTo(503);
    assertThat(refused.headers().firstValue("retry-after")).contains("1");
    call.cancel(true);
    await(cancelled);
  }

  @Test
  void tooManyConnectionsAreClosed() throws Exception {
    start(WebSettings.loopback(0).withMaxConnections(1), _ -> Answer.text(200, "ok"));
    assertThat(send(to("/")).statusCode()).isEqualTo(200);
    try (var second = new Socket(InetAddress.getLoopbackAddress(), server().port())) {
      assertThat(second.getInputStream().read()).isEqualTo(-1);
    }
    assertThat(send(to("/")).statusCode()).as("on the first").isEqualTo(200);
  }

  @Test
  void malformedRequestsGetAnAnswer() throws Exception {
    start(_ -> Answer.text(200, "ok"));
    Map<String, String> statuses =
        Map.of(
            "GET / HTTP/1.1\r\nHost: localhost\r\nX: " + "x".repeat(40_000) + "\r\n\r\n",
            "431",
            "GET /" + "x".repeat(40_000) + " HTTP/1.1\r\nHost: localhost\r\n\r\n",
            "414",
            "GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: x\r\n\r\n",
            "400",
            "GET / HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n",
            "421");
    for (Map.Entry<String, String> sent : statuses.entrySet()) {
      try (var socket = new Socket(InetAddress.getLoopbackAddress(), server().port())) {
        socket.getOutputStream().write(sent.getKey().getBytes(StandardCharsets.US_ASCII));
        String answer =
            new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
        assertThat(answer).matches("(?s)HTTP/1\\.[01] " + sent.getValue() + " .*\"error\".*");
      }
    }
  }

  @Test
  void problemsAreToldWithoutDetails() throws Exception {
    start(
        request -> {
          if (request.path().equals("/told")) {
            throw new WebException(400, "invalid_request_error", "say \"please\"");
          }
          return Answer.json(200, List.of(Map.of("a", 1)));
        });
    HttpResponse<String> told = send(to("/told"));
    assertThat(told.statusCode()).isEqualTo(400);
    assertThat(told.body())
        .isEqualTo(
            """
            {"type":"error","error":{"type":"invalid_request_error",\
            "message":"say \\"please\\""}}\
            """);
    assertThat(send(to("/")).body()).isEqualTo("[{\"a\":1}]");
  }

  @Test
  void aDefectIsNotShownToTheClient() throws Exception {
    Logger log = Logger.getLogger("dev.weir.web");
    log.setLevel(Level.OFF);
    start(
        request -> {
          if (request.path().equals("/stream")) {
            return Answer.events(
                sink -> {
                  sink.send("begun");
                  throw new IllegalStateException("secret");
                });
          }
          throw new IllegalStateException("secret");
        });
    HttpResponse<String> response = send(to("/"));
    assertThat(response.statusCode()).isEqualTo(500);
    assertThat(response.body()).contains("internal_error").doesNotContain("secret");
    assertThatThrownBy(() -> send(to("/stream")))
        .as("half a stream is not taken for a whole one")
        .isInstanceOf(IOException.class);
    awaitIdle();
  }

  @Test
  void closingCancelsWhatIsInFlight() throws Exception {
    start(this::work);
    CompletableFuture<HttpResponse<String>> call =
        client.sendAsync(to("/").build(), BodyHandlers.ofString());
    await(begun);
    server().close();
    await(cancelled);
    assertThatThrownBy(call::get).hasCauseInstanceOf(IOException.class);
  }

  @Test
  void aPortThatIsTakenIsAnError() throws Exception {
    start(_ -> Answer.text(200, "ok"));
    assertThatThrownBy(
            () ->
                WebServer.start(
                    TIME, WebSettings.loopback(server().port()), _ -> Answer.text(200, "ok")))
        .isInstanceOf(IOException.class);
  }

  @Test
  void addressesOfThisMachineAreKnown() {
    for (String host :
        List.of("localhost", "LOCALHOST", "127.0.0.1", "127.9.9.9", "::1", "[::1]")) {
      assertThat(WebSettings.isLoopback(host)).as(host).isTrue();
    }
    for (String host :
        List.of("example.org", "0.0.0.0", "localhost.example.org", "::", "10.0.0.1")) {
      assertThat(WebSettings.isLoopback(host)).as(host).isFalse();
    }
  }
}
