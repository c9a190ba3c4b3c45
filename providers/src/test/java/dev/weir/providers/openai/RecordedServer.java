package dev.weir.providers.openai;

import dev.weir.model.Adapter;
import dev.weir.model.Message;
import dev.weir.model.ModelName;
import dev.weir.model.spi.Providers;
import dev.weir.model.spi.Surroundings;
import dev.weir.time.Time;
import dev.weir.web.Answer;
import dev.weir.web.Request;
import dev.weir.web.WebServer;
import dev.weir.web.WebSettings;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A server on a port of this machine that says what was recorded, and remembers what it heard. */
final class RecordedServer implements AutoCloseable {

  static final String KEY = "sk-test-0123456789";

  private static final Time TIME = Time.system();
  private static final JsonMapper JSON = new JsonMapper();

  private final List<Request> heard = new ArrayList<>();
  private final WebServer web;
  private volatile Answer answer = Answer.text(500, "nothing was recorded");

  RecordedServer() throws Exception {
    this.web = WebServer.start(TIME, WebSettings.loopback(0), this::handle);
  }

  private synchronized Answer handle(Request request) {
    heard.add(request);
    return answer;
  }

  RecordedServer says(String json) {
    return says(200, Map.of(), json);
  }

  RecordedServer says(int status, Map<String, String> headers, String body) {
    boolean isJson = body.stripLeading().startsWith("{") || body.stripLeading().startsWith("[");
    answer =
        Answer.body(
                status,
                isJson ? "application/json" : "text/html",
                body.getBytes(StandardCharsets.UTF_8))
            .with(headers);
    return this;
  }

  RecordedServer streams(String events) {
    answer = Answer.body(200, "text/event-stream", events.getBytes(StandardCharsets.UTF_8));
    return this;
  }

  /** The body of the last request. */
  JsonNode asked() {
    return json(last().text());
  }

  synchronized Request last() {
    return heard.getLast();
  }

  static JsonNode json(String text) {
    return JSON.readTree(text);
  }

  String address() {
    return web.address().toString().replaceAll("/$", "");
  }

  /** A model behind this server, found like any other. */
  Adapter open(String model, String... arguments) {
    return open(model, Map.of(), arguments);
  }

  Adapter open(String model, Map<String, String> more, String... arguments) {
    Map<String, String> environment = new HashMap<>();
    for (String name :
        List.of(
            "OPENAI",
            "AZURE_OPENAI",
            "OPENROUTER",
            "TOGETHER",
            "GROQ",
            "MISTRAL",
            "DEEPSEEK",
            "XAI",
            "FIREWORKS",
            "PERPLEXITY")) {
      environment.put(name + "_API_KEY", KEY);
    }
    environment.putAll(more);
    ModelName name = ModelName.parse(model);
    return Providers.find(name)
        .open(
            name,
            arguments(arguments),
            new Surroundings(TIME, 1, environment, Optional.of(URI.create(address() + "/v1"))));
  }

  /** A model behind another address of this server. */
  Adapter openAt(String path, String model, String... arguments) {
    ModelName name = ModelName.parse(model);
    return Providers.find(name)
        .open(
            name,
            arguments(arguments),
            new Surroundings(
                TIME, 1, Map.of("OPENAI_API_KEY", KEY), Optional.of(URI.create(address() + path))));
  }

  static Map<String, String> arguments(String... words) {
    Map<String, String> arguments = new HashMap<>();
    for (String word : words) {
      int equals = word.indexOf('=');
      arguments.put(word.substring(0, equals), word.substring(equals + 1));
    }
    return arguments;
  }

  static dev.weir.model.Request question() {
    return dev.weir.model.Request.of(List.of(Message.user("What is the capital of France?")));
  }

  @Override
  public void close() {
    web.close();
  }
}
