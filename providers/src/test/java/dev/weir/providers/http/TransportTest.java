package dev.weir.providers.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.limits.header.ResponseFacts;
import dev.weir.model.Chunk;
import dev.weir.model.ExchangeListener;
import dev.weir.model.Request;
import dev.weir.model.Response;
import dev.weir.model.spi.RawReply;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Connections: when they are reused, when not, and how a call is cancelled. */
@Timeout(120)
class TransportTest {

  /**
   * What is promised is 50 ms, which `weir bench transport` measures; machines that test are busy.
   */
  private static final Duration AT_ONCE = Duration.ofSeconds(2);

  private static final String EVENTS =
      "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";

  private final Transport transport = Transport.open(Asked.SETTINGS);

  @AfterEach
  void close() {
    transport.close();
  }

  private static HttpCall call(ScriptedServer server) {
    return new HttpCall(
        server.address().resolve("/v1/ask"),
        Map.of("authorization", "Bearer " + Asked.KEY),
        "{}".getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void answeredConnectionsAreReused() throws Exception {
    try (var server = ScriptedServer.answering(ScriptedServer.ok("{\"answer\": \"y\"}"))) {
      for (int i = 0; i < 10; i++) {
        assertThat(Asked.ask(server.address(), transport)).isInstanceOf(Response.Reply.class);
      }
      assertThat(server.connections()).isEqualTo(1);
    }
  }

  @Test
  void refusedConnectionsAreReusedToo() throws Exception {
    try (var server =
        ScriptedServer.answering("HTTP/1.1 429 No\r\ncontent-length: 4\r\n\r\nslow")) {
      for (int i = 0; i < 10; i++) {
        assertThat(Asked.ask(server.address(), transport)).isInstanceOf(Response.RateLimited.class);
      }
      assertThat(server.connections()).isEqualTo(1);
    }
  }

  @Test
  void aStreamThatIsDoneGivesItsConnectionBack() throws Exception {
    String events = "data: {\"text\": \"y\"}\n\ndata: [DONE]\n\n";
    try (var server =
        ScriptedServer.answering(
            EVENTS + Integer.toHexString(events.length()) + "\r\n" + events + "\r\n0\r\n\r\n")) {
      for (int i = 0; i < 10; i++) {
        assertThat(Asked.stream(server.address(), transport)).isInstanceOf(Response.Reply.class);
      }
      assertThat(server.connections()).isEqualTo(1);
    }
  }

  @Test
  void packedAnswersGiveTheirConnectionBack() throws Exception {
    var packed = new ByteArrayOutputStream();
    try (var gzip = new GZIPOutputStream(packed)) {
      gzip.write("{\"answer\": \"y\"}".getBytes(StandardCharsets.UTF_8));
    }
    var response = new ByteArrayOutputStream();
    response.writeBytes(
        "HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: %d\r\n\r\n"
            .formatted(packed.size())
            .getBytes(StandardCharsets.UTF_8));
    packed.writeTo(response);
    try (var server = ScriptedServer.answering(response.toByteArray())) {
      for (int i = 0; i < 10; i++) {
        assertThat(Asked.ask(server.address(), transport)).isInstanceOf(Response.Reply.class);
      }
      assertThat(server.connections()).isEqualTo(1);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 15\r\n\r\n",
        "HTTP/1.1 200 OK\r\nconnection: x, Close\r\ncontent-length: 15\r\n\r\n",
        "HTTP/1.0 200 OK\r\ncontent-length: 15\r\n\r\n"
      })
  void aConnectionThatTheServerGivesUpIsNotReused(String head) throws Exception {
    try (var server = ScriptedServer.answering(head + "{\"answer\": \"y\"}")) {
      for (int i = 1; i <= 3; i++) {
        assertThat(Asked.ask(server.address(), transport)).isInstanceOf(Response.Reply.class);
        assertThat(server.connections()).isEqualTo(i);
      }
    }
  }

  @Test
  void aConnectionThatTheCallGivesUpIsNotReused() throws Exception {
    try (var server = ScriptedServer.answering(ScriptedServer.ok("{\"answer\": \"y\"}"))) {
      for (int i = 1; i <= 3; i++) {
        var once =
            new HttpCall(
                "GET",
                server.address().resolve("/v1/ask"),
                Map.of("connection", "close"),
                new byte[0]);
        try (RawReply reply = transport.send(once)) {
          assertThat(reply.body().readAllBytes()).isNotEmpty();
        }
        assertThat(server.connections()).isEqualTo(i);
      }
    }
  }

  @Test
  void aReplyWithoutABodyGivesItsConnectionBackUnread() throws Exception {
    try (var server = ScriptedServer.answering("HTTP/1.1 204 No Content\r\n\r\n")) {
      for (int i = 0; i < 3; i++) {
        try (RawReply reply = transport.send(call(server))) {
          assertThat(reply.status()).isEqualTo(204);
        }
      }
      assertThat(server.connections()).isEqualTo(1);
    }
  }

  @Test
  void noOtherProtocolIsSpoken() throws Exception {
    try (var server =
        ScriptedServer.answering(
            "HTTP/1.1 101 Switching Protocols\r\nupgrade: h2c\r\nconnection: upgrade\r\n\r\n")) {
      assertThat(Asked.ask(server.address(), transport))
          .isInstanceOfSatisfying(
              Response.UnreadableReply.class,
              strange -> assertThat(strange.message()).contains("another protocol"));
    }
  }

  @Test
  void eachCallHasItsOwnHeaders() throws Exception {
    try (var server = ScriptedServer.answering(ScriptedServer.ok("{}"))) {
      URI address = server.address().resolve("/v1/ask?version=1");
      byte[] body = "{}".getBytes(StandardCharsets.UTF_8);
      for (HttpCall call :
          List.of(
              new HttpCall(address, Map.of("x-call", "one"), body),
              new HttpCall(address, Map.of("x-call", "two", "Content-Type", "text/x"), body),
              new HttpCall("GET", address, Map.of("x-call", "two"), new byte[0]))) {
        try (RawReply reply = transport.send(call)) {
          assertThat(reply.body().readAllBytes()).isNotEmpty();
        }
      }
      assertThat(server.requests().get(0))
          .startsWith("POST /v1/ask?version=1 HTTP/1.1\r\n")
          .containsIgnoringCase("x-call: one")
          .containsIgnoringCase("content-type: application/json")
          .containsIgnoringCase("content-length: 2");
      assertThat(server.requests().get(1))
          .containsIgnoringCase("x-call: two")
          .containsIgnoringCase("content-type: text/x")
          .doesNotContainIgnoringCase("application/json");
      assertThat(server.requests().get(2))
          .startsWith("GET /v1/ask?version=1 HTTP/1.1\r\n")
          .doesNotContainIgnoringCase("content-");
      assertThat(server.connections()).isEqualTo(1);
    }
  }

  @Test
  void aStreamThatIsDoneIsNotWaitedFor() throws Exception {
    String events = "data: {\"text\": \"y\"}\n\ndata: [DONE]\n\n";
    try (var server =
        ScriptedServer.start(
            connection -> {
              connection.readRequest();
              connection.write(EVENTS + Integer.toHexString(events.length()) + "\r\n" + events);
              connection.hang();
            })) {
      assertThat(Asked.stream(server.address(), transport)).isInstanceOf(Response.Reply.class);
      assertThat(Asked.stream(server.address(), transport)).isInstanceOf(Response.Reply.class);
      assertThat(server.connections()).isEqualTo(2);
    }
  }

  @Test
  void closingAnUnreadReplyDoesNotWaitForTheRest() throws Exception {
    try (var server =
        ScriptedServer.start(
            connection -> {
              connection.readRequest();
              connection.write("HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\nonly this");
              connection.hang();
            })) {
      for (int i = 1; i <= 2; i++) {
        long begun = System.nanoTime();
        try (RawReply reply = transport.send(call(server))) {
          assertThat(reply.body().read()).isEqualTo('o');
        }
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(AT_ONCE);
        assertThat(server.connections()).isEqualTo(i);
      }
    }
  }

  @Test
  void aRequestSaysWhatItMustAndNoMore() throws Exception {
    try (var server = ScriptedServer.answering(ScriptedServer.ok("{\"answer\": \"y\"}"))) {
      Asked.ask(server.address(), transport);
      List<String> names = new ArrayList<>();
      String head = server.requests().getFirst().split("\r\n\r\n", 2)[0];
      for (String line : head.split("\r\n", -1)) {
        names.add(line.split(":", 2)[0].toLowerCase(Locale.ROOT));
      }
      assertThat(head).startsWith("POST /v1/ask HTTP/1.1");
      assertThat(names.subList(1, names.size()))
          .containsExactlyInAnyOrder(
              "authorization",
              "host",
              "content-length",
              "content-type",
              "connection",
              "user-agent");
    }
  }

  @Test
  void aCallThatIsCancelledBeforeItBeginsIsNotSent() throws Exception {
    try (var server = ScriptedServer.answering(ScriptedServer.ok("{\"answer\": \"y\"}"))) {
      Asked.ask(server.address(), transport);
      Thread.currentThread().interrupt();
      assertThatThrownBy(() -> transport.send(call(server)))
          .isInstanceOf(InterruptedException.class);
      assertThat(server.requests()).hasSize(1);
    }
  }

  /** Runs a call on a virtual thread, interrupts it when it waits, and tells how it ended. */
  private static Throwable cancelled(Work work, CountDownLatch ready) throws Exception {
    var end = new AtomicReference<Throwable>();
    Thread caller =
        Thread.ofVirtual()
            .start(
                () -> {
                  try {
                    work.run();
                  } catch (Throwable thrown) {
                    end.set(thrown);
                  }
                });
    ready.await();
    while (caller.getState() != Thread.State.WAITING
        && caller.getState() != Thread.State.TIMED_WAITING) {
      assertThat(caller.isAlive()).as("the call waits").isTrue();
      Thread.onSpinWait();
    }
    long begun = System.nanoTime();
    caller.interrupt();
    caller.join();
    assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(AT_ONCE);
    return end.get();
  }

  private interface Work {
    void run() throws Exception;
  }

  private Throwable cancelledWhile(String said, boolean stream) throws Exception {
    var ready = new CountDownLatch(1);
    try (var server =
        ScriptedServer.start(
            connection -> {
              connection.readRequest();
              connection.write(said);
              ready.countDown();
              connection.hang();
            })) {
      Throwable end =
          cancelled(
              () ->
                  Asked.model(server.address(), transport, stream).exchange(Request.of("question")),
              ready);
      // Whatever comes next has a connection of its own.
      var again = new CountDownLatch(1);
      Thread next =
          Thread.ofVirtual()
              .start(
                  () -> {
                    try {
                      Asked.model(server.address(), transport, stream)
                          .exchange(Request.of("question"));
                    } catch (InterruptedException expected) {
                      again.countDown();
                    }
                  });
      while (server.requests().size() < 2) {
        Thread.onSpinWait();
      }
      assertThat(server.connections()).isEqualTo(2);
      next.interrupt();
      again.await();
      return end;
    }
  }

  /** Wherever it is: in the pool, connecting, writing, reading, or done. */
  @Test
  void anInterruptAtAnyMomentIsAnInterruptOrTooLate() throws Exception {
    int answered = 0;
    int interrupted = 0;
    try (var server = ScriptedServer.answering(ScriptedServer.ok("{\"answer\": \"y\"}"))) {
      HttpModel model = Asked.model(server.address(), transport, false);
      for (int i = 0; i < 2_000; i++) {
        var end = new AtomicReference<Object>();
        Thread caller =
            Thread.ofVirtual()
                .start(
                    () -> {
                      try {
                        end.set(model.exchange(Request.of("question")));
                      } catch (Throwable thrown) {
                        end.set(thrown);
                      }
                    });
        for (int spin = 0; spin < i % 500 * 4; spin++) {
          Thread.onSpinWait();
        }
        caller.interrupt();
        caller.join();
        assertThat(end.get()).isInstanceOfAny(InterruptedException.class, Response.Reply.class);
        answered += end.get() instanceof Response.Reply ? 1 : 0;
        interrupted += end.get() instanceof InterruptedException ? 1 : 0;
      }
      assertThat(Asked.ask(server.address(), transport)).isInstanceOf(Response.Reply.class);
    }
    assertThat(interrupted).isPositive();
    assertThat(answered + interrupted).isEqualTo(2_000);
  }

  @Test
  void anInterruptEndsTheWaitForHeaders() throws Exception {
    assertThat(cancelledWhile("", false)).isInstanceOf(InterruptedException.class);
    assertThat(cancelledWhile("HTTP/1.1 200 OK\r\ncontent-", false))
        .isInstanceOf(InterruptedException.class);
  }

  @Test
  void anInterruptEndsTheReadingOfABody() throws Exception {
    assertThat(cancelledWhile("HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{\"ans", false))
        .isInstanceOf(InterruptedException.class);
    assertThat(cancelledWhile("HTTP/1.1 429 No\r\ncontent-length: 99\r\n\r\n{\"err", false))
        .isInstanceOf(InterruptedException.class);
  }

  @Test
  void anInterruptEndsTheReadingOfAStream() throws Exception {
    assertThat(cancelledWhile(EVENTS + "1a\r\ndata: {\"text\": \"begun\"}\n\n\r\n", true))
        .isInstanceOf(InterruptedException.class);
  }

  @Test
  void anInterruptEndsAHandshake() throws Exception {
    var ready = new CountDownLatch(1);
    try (var server =
        ScriptedServer.start(
            connection -> {
              connection.in().read();
              ready.countDown();
              connection.hang();
            })) {
      URI address = URI.create("https://127.0.0.1:" + server.port());
      assertThat(
              cancelled(
                  () -> Asked.model(address, transport, false).exchange(Request.of("question")),
                  ready))
          .isInstanceOf(InterruptedException.class);
    }
  }

  @Test
  void anInterruptEndsConnecting() throws Exception {
    List<Socket> waiting = new ArrayList<>();
    try (var full = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      // Until nobody is let in any more, since nobody accepts.
      while (letsIn(full, waiting)) {
        assertThat(waiting).as("those who were let in").hasSizeLessThan(100);
      }
      URI address = URI.create("http://127.0.0.1:" + full.getLocalPort());
      assertThat(
              cancelled(
                  () -> Asked.model(address, transport, false).exchange(Request.of("question")),
                  new CountDownLatch(0)))
          .isInstanceOf(InterruptedException.class);
      var hasty = new TransportSettings(Duration.ofMillis(50), Duration.ofSeconds(20), 1 << 20);
      try (var impatient = Transport.open(hasty)) {
        assertThat(Asked.ask(address, impatient)).isInstanceOf(Response.Transient.class);
      }
    } finally {
      for (Socket socket : waiting) {
        socket.close();
      }
    }
  }

  private static boolean letsIn(ServerSocket server, List<Socket> waiting) throws IOException {
    var socket = new Socket();
    waiting.add(socket);
    try {
      socket.connect(new InetSocketAddress(server.getInetAddress(), server.getLocalPort()), 200);
      return true;
    } catch (SocketTimeoutException isFull) {
      return false;
    }
  }

  @Test
  void aReaderOfPiecesThatIsCancelledEndsTheCall() throws Exception {
    try (var server =
        ScriptedServer.start(
            connection -> {
              connection.readRequest();
              connection.write(EVENTS + "1a\r\ndata: {\"text\": \"begun\"}\n\n\r\n");
              connection.hang();
            })) {
      var listener =
          new ExchangeListener() {
            @Override
            public void facts(ResponseFacts facts) {}

            @Override
            public boolean wantsChunks() {
              return true;
            }

            @Override
            public void chunk(Chunk chunk) throws InterruptedException {
              throw new InterruptedException("enough");
            }
          };
      assertThatThrownBy(
              () ->
                  Asked.model(server.address(), transport, true)
                      .exchange(Request.of("question"), listener))
          .isInstanceOf(InterruptedException.class)
          .hasMessage("enough");
    }
  }

  @Test
  void manyCallsAtOnceHaveAConnectionEach() throws Exception {
    int calls = 300;
    var all = new CountDownLatch(calls);
    try (var server =
        ScriptedServer.start(
            connection -> {
              while (connection.readRequest()) {
                all.countDown();
                all.await();
                connection.write(ScriptedServer.ok("{\"answer\": \"y\"}"));
              }
            })) {
      List<Thread> callers = new ArrayList<>();
      var failures = new AtomicReference<Object>();
      for (int i = 0; i < calls; i++) {
        callers.add(
            Thread.ofVirtual()
                .start(
                    () -> {
                      try (RawReply reply = transport.send(call(server))) {
                        reply.body().readAllBytes();
                      } catch (IOException | InterruptedException failed) {
                        failures.set(failed);
                      }
                    }));
      }
      for (Thread caller : callers) {
        caller.join();
      }
      assertThat(failures.get()).isNull();
      assertThat(server.connections()).isEqualTo(calls);
    }
  }

  @Test
  void closingLeavesNoThreads() throws Exception {
    long before = evictors();
    for (int i = 0; i < 3; i++) {
      Transport.open(Asked.SETTINGS).close();
    }
    assertThat(evictors()).isEqualTo(before);
  }

  private static long evictors() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().contains("evictor"))
        .count();
  }

  @Test
  void oneTransportIsSharedByThoseWithTheSameSettings() {
    Transport usual = Transport.shared(Map.of("OPENAI_API_KEY", "one"));
    assertThat(Transport.shared(Map.of("PATH", "/bin"))).isSameAs(usual);
    Map<String, String> proxied = Map.of("HTTPS_PROXY", "http://u:secret@proxy.example:3128");
    assertThat(Transport.shared(proxied)).isNotSameAs(usual).isSameAs(Transport.shared(proxied));
    assertThat(Transport.shared(Map.of("HTTPS_PROXY", "http://u:other@proxy.example:3128")))
        .isNotSameAs(Transport.shared(proxied));
  }
}
