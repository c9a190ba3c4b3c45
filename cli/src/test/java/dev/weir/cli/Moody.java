package dev.weir.cli;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;

/** A provider that answers each question with "42", until its mood changes. */
final class Moody implements AutoCloseable {

  private static final String ANSWER =
      """
      {"id": "c1", "object": "chat.completion", "created": 1, "model": "m", "choices": [{"index": 0,
       "message": {"role": "assistant", "content": "42"}, "finish_reason": "stop"}],
       "usage": {"prompt_tokens": 5, "completion_tokens": 1, "total_tokens": 6}}
      """;

  private final HttpServer server;
  private final AtomicInteger answers = new AtomicInteger();
  private volatile int mostAnswers;
  private volatile int statusAfter;
  private volatile String bodyAfter = "";

  Moody() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::answer);
    server.start();
  }

  /** Answers so many questions, and then no more. */
  void turn(int after, int status, String body) {
    mostAnswers = after;
    statusAfter = status;
    bodyAfter = body;
  }

  /** Answers all questions from now on. */
  void soften() {
    mostAnswers = Integer.MAX_VALUE;
  }

  int answers() {
    return answers.get();
  }

  String address() {
    return "http://127.0.0.1:" + server.getAddress().getPort() + "/v1";
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      exchange.getRequestBody().readAllBytes();
      boolean isAnswered = answers.get() < mostAnswers;
      if (isAnswered) {
        answers.incrementAndGet();
      }
      byte[] body = (isAnswered ? ANSWER : bodyAfter).getBytes(StandardCharsets.UTF_8);
      exchange.getResponseHeaders().add("content-type", "application/json");
      exchange.sendResponseHeaders(isAnswered ? 200 : statusAfter, body.length);
      exchange.getResponseBody().write(body);
    }
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
