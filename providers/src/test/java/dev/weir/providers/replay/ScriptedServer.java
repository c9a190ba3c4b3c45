package dev.weir.providers.replay;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** An HTTP server on a port of this machine with a fixed list of answers. Thread-safe. */
public final class ScriptedServer implements AutoCloseable {

  private final HttpServer server;
  private final Deque<Answer> answers = new ArrayDeque<>();
  private final List<Received> received = new ArrayList<>();

  private ScriptedServer(HttpServer server, List<Answer> answers) {
    this.server = server;
    this.answers.addAll(answers);
  }

  /**
   * @param answers to the first request, the second …; any more get status 599
   */
  public static ScriptedServer of(Answer... answers) throws IOException {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    var scripted = new ScriptedServer(server, List.of(answers));
    server.createContext("/", scripted::answer);
    server.start();
    return scripted;
  }

  public URI address() {
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
  }

  public synchronized List<Received> received() {
    return List.copyOf(received);
  }

  /** The only request so far. */
  public Received only() {
    List<Received> all = received();
    if (all.size() != 1) {
      throw new AssertionError("there should be one request, there were " + all.size());
    }
    return all.getFirst();
  }

  @Override
  public void close() {
    server.stop(0);
  }

  private void answer(HttpExchange exchange) throws IOException {
    Answer answer = next(exchange);
    byte[] body = answer.body().getBytes(StandardCharsets.UTF_8);
    answer.headers().forEach(exchange.getResponseHeaders()::set);
    exchange.sendResponseHeaders(answer.status(), body.length == 0 ? -1 : body.length);
    try (OutputStream out = exchange.getResponseBody()) {
      out.write(body);
    }
  }

  private synchronized Answer next(HttpExchange exchange) throws IOException {
    Map<String, String> headers = new TreeMap<>();
    exchange
        .getRequestHeaders()
        .forEach((name, values) -> headers.put(name.toLowerCase(Locale.ROOT), values.getFirst()));
    received.add(
        new Received(
            exchange.getRequestMethod(),
            exchange.getRequestURI().toString(),
            headers,
            new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8)));
    Answer answer = answers.poll();
    return answer == null ? new Answer(599, Map.of(), "nothing is scripted") : answer;
  }

  /** What to send back. */
  public record Answer(int status, Map<String, String> headers, String body) {

    public static Answer json(int status, String body) {
      return new Answer(status, Map.of("content-type", "application/json"), body);
    }

    public static Answer events(String body) {
      return new Answer(200, Map.of("content-type", "text/event-stream"), body);
    }

    public Answer with(String header, String value) {
      Map<String, String> more = new TreeMap<>(headers);
      more.put(header, value);
      return new Answer(status, more, body);
    }
  }

  /**
   * What came.
   *
   * @param target path and query as they were sent
   * @param headers by name in lower case
   */
  public record Received(String method, String target, Map<String, String> headers, String body) {}
}
