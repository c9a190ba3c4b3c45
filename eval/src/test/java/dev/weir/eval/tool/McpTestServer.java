package dev.weir.eval.tool;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * An MCP server, run as a program of its own by tests. Its argument says in what way it misbehaves.
 */
final class McpTestServer {

  private static final JsonMapper JSON = new JsonMapper();
  private static final PrintStream OUT = new PrintStream(System.out, true, StandardCharsets.UTF_8);

  private final BufferedReader in =
      new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
  private final String mode;
  private final List<String> seen = new ArrayList<>();
  private int calls;

  private McpTestServer(String mode) {
    this.mode = mode;
  }

  public static void main(String[] arguments) throws Exception {
    new McpTestServer(arguments[0]).serve();
  }

  private void serve() throws Exception {
    switch (mode) {
      case "broken" -> {
        OUT.println("Usage: something else");
        System.err.println("no license for key " + System.getenv("SECRET"));
        System.exit(7);
      }
      case "noisy" -> OUT.println("Welcome!\n\n[INFO] starting up");
      default -> {}
    }
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      JsonNode message = JSON.readTree(line);
      seen.add(message.path("method").asString("answer"));
      if (message.has("method") && message.has("id")) {
        answer(message);
      } else if (message.path("method").asString("").equals("notifications/cancelled")) {
        seen.add("cancelled " + message.path("params").path("requestId"));
      }
    }
  }

  private void answer(JsonNode request) throws IOException {
    JsonNode params = request.path("params");
    switch (request.path("method").asString("")) {
      case "initialize" -> {
        ObjectNode result = JSON.createObjectNode();
        result.put(
            "protocolVersion",
            switch (mode) {
              case "old" -> "2024-11-05";
              case "alien" -> "1999-01-01";
              default -> params.path("protocolVersion").asString("");
            });
        result.putObject("capabilities").putObject("tools");
        result.putObject("serverInfo").put("name", "test").put("version", "1");
        say(request, "result", result);
      }
      case "tools/list" -> list(request, params.path("cursor").asString(""));
      case "tools/call" ->
          call(request, params.path("name").asString(""), params.path("arguments"));
      default ->
          say(
              request,
              "error",
              JSON.createObjectNode().put("code", -32601).put("message", "unknown"));
    }
  }

  private void list(JsonNode request, String cursor) {
    ObjectNode result = JSON.createObjectNode();
    var tools = result.putArray("tools");
    List<String> names =
        switch (cursor) {
          case "" -> List.of("echo", "seen", "count");
          case "page 2" -> List.of("odd.name/x", "fail", "refuse", "slow", "crash", "ping");
          default -> List.of("rich", "structured", "large", "variables");
        };
    for (String name : names) {
      ObjectNode tool = tools.addObject().put("name", name).put("description", "Does " + name);
      tool.putObject("inputSchema").put("type", "object");
    }
    switch (cursor) {
      case "" -> result.put("nextCursor", "page 2");
      case "page 2" -> result.put("nextCursor", "page 3");
      default -> {
        if (mode.equals("endless")) {
          result.put("nextCursor", "page 3");
        }
      }
    }
    say(request, "result", result);
  }

  private void call(JsonNode request, String tool, JsonNode arguments) throws IOException {
    calls++;
    switch (tool) {
      case "echo" -> text(request, arguments.path("text").asString("nothing"), false);
      case "seen" -> text(request, String.join(", ", seen), false);
      case "count" -> text(request, Integer.toString(calls), false);
      case "odd.name/x" -> text(request, "called by its own name", false);
      case "fail" -> text(request, "out of paper", true);
      case "refuse" ->
          say(
              request,
              "error",
              JSON.createObjectNode().put("code", -32602).put("message", "no such colour"));
      case "slow" -> {}
      case "crash" -> {
        System.err.println("x".repeat(20_000));
        System.err.println("out of memory, key " + System.getenv("SECRET"));
        System.exit(3);
      }
      case "ping" -> {
        OUT.println("{\"jsonrpc\": \"2.0\", \"id\": \"p\", \"method\": \"ping\"}");
        OUT.println("{\"jsonrpc\": \"2.0\", \"id\": 99, \"method\": \"sampling/createMessage\"}");
        OUT.println("{\"jsonrpc\": \"2.0\", \"method\": \"notifications/message\"}");
        String first = in.readLine();
        text(request, first + in.readLine(), false);
      }
      case "rich" -> rich(request);
      case "structured" -> {
        ObjectNode result = JSON.createObjectNode();
        result.putArray("content");
        result.putObject("structuredContent").put("degrees", 21);
        say(request, "result", result);
      }
      case "large" -> text(request, "x".repeat(arguments.path("size").asInt(0)), false);
      case "variables" ->
          text(request, String.join(" ", new TreeSet<>(System.getenv().keySet())), false);
      default -> text(request, "there is no " + tool, true);
    }
  }

  private void rich(JsonNode request) {
    ObjectNode result = JSON.createObjectNode();
    var content = result.putArray("content");
    content.addObject().put("type", "text").put("text", "a chart");
    content.addObject().put("type", "image").put("mimeType", "image/png").put("data", "AAAA");
    content
        .addObject()
        .put("type", "resource")
        .putObject("resource")
        .put("uri", "file:///a.txt")
        .put("text", "inside");
    content
        .addObject()
        .put("type", "resource")
        .putObject("resource")
        .put("uri", "file:///b.bin")
        .put("blob", "AAA=");
    content.addObject().put("type", "resource_link").put("uri", "http://x").put("name", "x");
    content.addObject().put("type", "hologram");
    say(request, "result", result);
  }

  private static void text(JsonNode request, String text, boolean failed) {
    ObjectNode result = JSON.createObjectNode().put("isError", failed);
    result.putArray("content").addObject().put("type", "text").put("text", text);
    say(request, "result", result);
  }

  private static void say(JsonNode request, String kind, ObjectNode value) {
    ObjectNode message = JSON.createObjectNode().put("jsonrpc", "2.0");
    message.set("id", request.path("id"));
    message.set(kind, value);
    OUT.println(message);
  }
}
