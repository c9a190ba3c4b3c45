package dev.weir.providers.custom;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A server of chat completions for tests, on a port of this machine. It does what directives in the
 * last message say, in the words of the simulator's server.
 */
final class DirectiveServer implements AutoCloseable {

  private static final JsonMapper JSON = new JsonMapper();
  private static final Pattern ECHO = Pattern.compile("\\[\\[echo: (.*?)]]");
  private static final Pattern TOOL = Pattern.compile("\\[\\[tool: (\\w+) (\\{.*?})]]");
  private static final Pattern STATUS = Pattern.compile("\\[\\[status: (\\d+) (\\{.*})]]");
  private static final Pattern HEADER = Pattern.compile("\\[\\[header: ([\\w-]+): (.*?)]]");

  private final ExecutorService tasks = Executors.newVirtualThreadPerTaskExecutor();
  private final CountDownLatch closing = new CountDownLatch(1);
  private final AtomicInteger sequence = new AtomicInteger();
  private final HttpServer server;
  private final String credential;

  DirectiveServer(String credential) {
    this.credential = credential;
    try {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
    server.setExecutor(tasks);
    server.createContext("/v1/chat/completions", this::serve);
    server.start();
  }

  URI address() {
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
  }

  @Override
  public void close() {
    closing.countDown();
    server.stop(0);
    tasks.shutdownNow();
  }

  private void serve(HttpExchange exchange) throws IOException {
    try (exchange) {
      JsonNode request = JSON.readTree(exchange.getRequestBody().readAllBytes());
      exchange.getResponseHeaders().set("content-type", "application/json");
      exchange.getResponseHeaders().set("x-request-id", "req_" + sequence.incrementAndGet());
      if (!("Bearer " + credential)
          .equals(exchange.getRequestHeaders().getFirst("authorization"))) {
        send(exchange, 401, "{\"error\": {\"message\": \"The key is wrong.\"}}");
        return;
      }
      String said = lastText(request);
      Matcher header = HEADER.matcher(said);
      while (header.find()) {
        exchange.getResponseHeaders().set(header.group(1), header.group(2));
      }
      answer(exchange, request, said);
    } catch (InterruptedException closed) {
      Thread.currentThread().interrupt();
    }
  }

  private void answer(HttpExchange exchange, JsonNode request, String said)
      throws IOException, InterruptedException {
    Matcher status = STATUS.matcher(said);
    if (status.find()) {
      send(exchange, Integer.parseInt(status.group(1)), status.group(2));
    } else if (said.contains("[[html]]")) {
      exchange.getResponseHeaders().set("content-type", "text/html");
      send(exchange, 200, "<!doctype html><title>Welcome</title>");
    } else if (said.contains("[[notjson]]")) {
      send(exchange, 200, "{\"choices\": nonsense}");
    } else if (said.contains("[[truncate]]")) {
      byte[] begin =
          "{\"choices\": [{\"message\": {\"content\": \"it ends he"
              .getBytes(StandardCharsets.UTF_8);
      exchange.sendResponseHeaders(200, begin.length + 100);
      exchange.getResponseBody().write(begin);
      // Closing with bytes missing makes the server drop the connection.
    } else if (said.contains("[[large: 80 MB]]")) {
      exchange.sendResponseHeaders(200, 0);
      byte[] megabyte = " ".repeat(1 << 20).getBytes(StandardCharsets.UTF_8);
      for (int i = 0; i < 80; i++) {
        exchange.getResponseBody().write(megabyte);
      }
    } else {
      if (said.contains("[[latency: 120s]]")) {
        closing.await();
      }
      send(exchange, 200, JSON.writeValueAsString(completion(request, said)));
    }
  }

  private static Map<String, Object> completion(JsonNode request, String said) {
    Map<String, Object> message = new LinkedHashMap<>();
    String choice = request.path("tool_choice").toString();
    Matcher tool = TOOL.matcher(said);
    Matcher echo = ECHO.matcher(said);
    String text = echo.find() ? echo.group(1) : "This is a simulated answer.";
    int most = request.path("max_tokens").asInt(Integer.MAX_VALUE / 4) * 4;
    boolean cut = text.length() > most;
    String reason = cut ? "length" : "stop";
    boolean forced = choice.contains("required") || choice.contains("function");
    if (request.has("tools") && !choice.contains("none") && (forced || tool.find())) {
      String first = request.at("/tools/0/function/name").asString();
      String name =
          choice.contains("function")
              ? request.at("/tool_choice/function/name").asString()
              : forced ? first : tool.group(1);
      String arguments = forced ? "{}" : tool.group(2);
      message.put(
          "tool_calls",
          List.of(
              Map.of(
                  "id",
                  "call_1",
                  "type",
                  "function",
                  "function",
                  Map.of("name", name, "arguments", arguments))));
      reason = "tool_calls";
    } else {
      message.put("content", cut ? text.substring(0, most) : text);
    }
    return Map.of(
        "choices", List.of(Map.of("message", message, "finish_reason", reason)),
        "usage", Map.of("prompt_tokens", 1 + said.length() / 4, "completion_tokens", 3));
  }

  private static String lastText(JsonNode request) {
    JsonNode messages = request.path("messages");
    JsonNode content = messages.path(messages.size() - 1).path("content");
    return content.isString()
        ? content.asString()
        : content.path(content.size() - 1).path("text").asString();
  }

  private static void send(HttpExchange exchange, int status, String body) throws IOException {
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(status, bytes.length);
    exchange.getResponseBody().write(bytes);
  }
}
