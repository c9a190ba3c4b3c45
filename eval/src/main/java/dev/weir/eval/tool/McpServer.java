package dev.weir.eval.tool;

import dev.weir.eval.sample.EvalTool;
import dev.weir.eval.sandbox.Dialogue;
import dev.weir.eval.tool.JsonRpc.BrokenException;
import dev.weir.eval.tool.JsonRpc.LateException;
import dev.weir.eval.tool.JsonRpc.RefusedException;
import dev.weir.model.ConfigurationException;
import dev.weir.model.Printable;
import dev.weir.model.Spelling;
import dev.weir.model.Tool;
import dev.weir.time.Time;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A client of the Model Context Protocol, as far as tools go.
 *
 * <pre>
 *   initialize ──> notifications/initialized ──> tools/list (page by page) ──> tools/call …
 * </pre>
 *
 * <p>Thread-safe.
 */
final class McpServer implements AutoCloseable {

  /** The newest version we speak, which we offer. */
  private static final String VERSION = "2025-06-18";

  /** Those that do not differ in what we need of them. */
  private static final Set<String> VERSIONS =
      Set.of("2024-11-05", "2025-03-26", VERSION, "2025-11-25");

  /** Servers may have to be fetched, or compiled, before they answer. */
  private static final Duration TO_START = Duration.ofSeconds(60);

  private static final int MOST_PAGES = 100;
  private static final int MOST_TOOLS = 1_000;
  private static final int LONGEST_COMPLAINT = 1_000;

  /** What providers take as the name of a tool. */
  private static final Pattern ODD_IN_NAMES = Pattern.compile("[^a-zA-Z0-9_-]");

  private final McpProgram program;
  private final Dialogue dialogue;
  private final JsonRpc rpc;
  private final List<EvalTool> tools;

  private McpServer(McpProgram program, Dialogue dialogue, JsonRpc rpc)
      throws InterruptedException {
    this.program = program;
    this.dialogue = dialogue;
    this.rpc = rpc;
    initialize();
    this.tools = chosen(listed());
  }

  /**
   * Takes over a program that was started: it is closed if it turns out to be no server.
   *
   * @throws ConfigurationException if it lacks a tool that is wanted
   * @throws McpException if it is no server, or does not work
   */
  static McpServer connect(McpProgram program, Dialogue dialogue, Time time)
      throws InterruptedException {
    boolean connected = false;
    try {
      var server = new McpServer(program, dialogue, new JsonRpc(dialogue, time));
      connected = true;
      return server;
    } finally {
      if (!connected) {
        dialogue.close();
      }
    }
  }

  List<EvalTool> tools() {
    return tools;
  }

  /** What a tool gave back; what goes wrong with it is told to the model. */
  EvalTool.Result call(String tool, ObjectNode arguments) throws InterruptedException {
    ObjectNode params = CallJson.MAPPER.createObjectNode().put("name", tool);
    params.set("arguments", arguments);
    try {
      return McpContent.read(rpc.ask("tools/call", params, program.timeout()), program.maxOutput());
    } catch (LateException late) {
      return EvalTool.Result.timeout(
          "%s took longer than %s and was given up"
              .formatted(tool, ToolOutput.seconds(program.timeout())));
    } catch (RefusedException refused) {
      return EvalTool.Result.failure(
          ToolOutput.limited(
              "%s was refused: %s".formatted(tool, refused.getMessage()), program.maxOutput()));
    } catch (BrokenException broken) {
      throw failed("the call of " + tool, broken);
    }
  }

  @Override
  public void close() {
    rpc.close();
  }

  private Duration toStart() {
    return program.timeout().compareTo(TO_START) > 0 ? program.timeout() : TO_START;
  }

  private void initialize() throws InterruptedException {
    ObjectNode params = CallJson.MAPPER.createObjectNode().put("protocolVersion", VERSION);
    params.putObject("capabilities");
    params.putObject("clientInfo").put("name", "weir").put("version", "1");
    JsonNode result = ask("initialize", params);
    String version = result.path("protocolVersion").asString("");
    if (!VERSIONS.contains(version)) {
      throw new McpException(
          "%s speaks version '%s' of the protocol, but this client only %s"
              .formatted(
                  name(),
                  Printable.line(version),
                  String.join(", ", VERSIONS.stream().sorted().toList())));
    }
    try {
      rpc.tell("notifications/initialized", toStart());
    } catch (BrokenException broken) {
      throw failed("its start", broken);
    }
  }

  private Map<String, EvalTool> listed() throws InterruptedException {
    Map<String, EvalTool> found = new LinkedHashMap<>();
    ObjectNode params = CallJson.MAPPER.createObjectNode();
    for (int page = 0; page < MOST_PAGES; page++) {
      JsonNode result = ask("tools/list", params);
      for (JsonNode tool : result.path("tools")) {
        String name = tool.path("name").asString("");
        if (!name.isBlank()) {
          found.put(name, new McpTool(this, name, definition(name, tool)));
        }
      }
      String cursor = result.path("nextCursor").asString("");
      if (cursor.isEmpty()) {
        return found;
      }
      if (found.size() > MOST_TOOLS) {
        break;
      }
      params = CallJson.MAPPER.createObjectNode().put("cursor", cursor);
    }
    throw new McpException(
        "%s has no end of tools: more than %d, or than %d pages of them"
            .formatted(name(), MOST_TOOLS, MOST_PAGES));
  }

  private static Tool definition(String name, JsonNode tool) {
    JsonNode schema = tool.path("inputSchema");
    return new Tool(
        offeredAs(name),
        tool.path("description").asString(""),
        schema.isObject() ? schema.toString() : "{\"type\":\"object\",\"properties\":{}}");
  }

  /** What the model is told that a tool is called. */
  static String offeredAs(String name) {
    return ODD_IN_NAMES.matcher(name).replaceAll("_");
  }

  private List<EvalTool> chosen(Map<String, EvalTool> found) {
    if (program.tools().isEmpty()) {
      return List.copyOf(found.values());
    }
    List<EvalTool> chosen = new ArrayList<>();
    for (String wanted : program.tools()) {
      EvalTool tool = found.get(wanted);
      if (tool == null) {
        throw new ConfigurationException(
            "%s has no tool '%s'%s"
                .formatted(name(), Printable.line(wanted), Spelling.hint(wanted, found.keySet())));
      }
      chosen.add(tool);
    }
    return chosen;
  }

  private JsonNode ask(String method, ObjectNode params) throws InterruptedException {
    try {
      return rpc.ask(method, params, toStart());
    } catch (LateException late) {
      throw new McpException(
          "%s did not answer %s within %s%s"
              .formatted(name(), method, ToolOutput.seconds(toStart()), complaint()),
          late);
    } catch (RefusedException refused) {
      throw new McpException(
          "%s refused %s: %s"
              .formatted(name(), method, Printable.line(String.valueOf(refused.getMessage()))),
          refused);
    } catch (BrokenException broken) {
      throw failed(method, broken);
    }
  }

  private McpException failed(String during, BrokenException broken) {
    return new McpException(
        "%s failed during %s: %s%s%s"
            .formatted(
                name(),
                during,
                broken.getMessage(),
                dialogue.exitCode().map(" with exit code %d"::formatted).orElse(""),
                complaint()),
        broken);
  }

  private String name() {
    return "the MCP server '%s'".formatted(program.shown());
  }

  /** Its last words, without the values of the variables that it was given. */
  private String complaint() {
    String said = dialogue.complaints().strip();
    if (said.isEmpty()) {
      said = rpc.noise().orElse("").strip();
    }
    for (String value : program.environment().values()) {
      if (!value.isBlank()) {
        said = said.replace(value, "***");
      }
    }
    if (said.isEmpty()) {
      return "";
    }
    return "; it said: "
        + Printable.line(
            said.length() > LONGEST_COMPLAINT
                ? "…" + said.substring(said.length() - LONGEST_COMPLAINT)
                : said);
  }
}
