package dev.weir.eval.tool;

import dev.weir.eval.component.Arguments;
import dev.weir.eval.component.Component;
import dev.weir.eval.component.Parameter;
import dev.weir.eval.component.Parameter.Kind;
import dev.weir.eval.sample.EvalTool;
import dev.weir.eval.sample.Outset;
import dev.weir.eval.sample.SampleContext;
import dev.weir.eval.sample.SampleContext.Lifetime;
import dev.weir.eval.sample.SampleState;
import dev.weir.eval.sample.ToolSource;
import dev.weir.eval.sandbox.Dialogue;
import dev.weir.eval.sandbox.ExecRequest;
import dev.weir.eval.sandbox.SandboxException;
import dev.weir.model.ConfigurationException;
import dev.weir.model.Printable;
import dev.weir.model.Tool;
import dev.weir.model.ToolCall;
import dev.weir.time.Time;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The tools of an MCP server, which is started when they are first asked for. */
final class Mcp implements ToolSource {

  static final Component<ToolSource> COMPONENT =
      new Component<>(
          "mcp",
          "The tools of an MCP server, a program that is spoken to over its standard streams.",
          List.of(
              Parameter.required(
                  "command", Kind.TEXTS, "the program and its arguments: [python3, server.py]"),
              Parameter.optional(
                  "tools", Kind.TEXTS, "the names of those to offer, of those it has (all)"),
              Parameter.optional(
                  "env", Kind.MAPPING, "its variables, besides PATH, HOME, LANG, TMPDIR and USER"),
              ToolOutput.timeoutParameter(McpProgram.DEFAULT_TIMEOUT),
              Parameter.optional(
                  "shared",
                  Kind.FLAG,
                  "whether one server is for all samples; otherwise each has its own (false)"),
              Parameter.optional(
                  "sandbox",
                  Kind.FLAG,
                  "whether it runs in the sandbox of the sample, not on this machine (false)"),
              ToolOutput.LIMIT),
          Mcp::of);

  private final McpProgram program;

  Mcp(McpProgram program) {
    this.program = program;
  }

  static Mcp of(List<String> command) {
    return new Mcp(McpProgram.of(command.toArray(String[]::new)));
  }

  private static Mcp of(Arguments arguments) {
    Map<String, String> environment = new LinkedHashMap<>();
    arguments.mapping("env").forEach((name, value) -> environment.put(name, value.toString()));
    List<String> command = arguments.texts("command");
    if (command.isEmpty() || command.getFirst().isBlank()) {
      throw arguments.wrong("command", "must name a program, such as [python3, server.py]");
    }
    boolean shared = arguments.flag("shared").orElse(false);
    boolean inSandbox = arguments.flag("sandbox").orElse(false);
    if (shared && inSandbox) {
      throw arguments.wrong(
          "shared",
          "cannot be true in a sandbox, which belongs to one sample; leave one of both out");
    }
    return new Mcp(
        new McpProgram(
            command,
            environment,
            arguments.directory(),
            arguments.texts("tools"),
            ToolOutput.timeout(arguments, McpProgram.DEFAULT_TIMEOUT),
            shared,
            inSandbox,
            ToolOutput.limit(arguments)));
  }

  /** One that runs on this machine is started, and asked what it has. */
  @Override
  public List<String> foresee(Outset outset) throws InterruptedException {
    if (program.inSandbox()) {
      var _ = outset.requireSandbox(COMPONENT.name());
      String started = program.command().getFirst();
      if (!started.contains("/")) {
        outset.requireProgram(COMPONENT.name(), started);
      }
    } else if (outset.trial().isPresent()) {
      return tried(outset.trial().get());
    }
    return program.tools().stream().map(McpServer::offeredAs).toList();
  }

  private List<String> tried(Time time) throws InterruptedException {
    try (var server = McpServer.connect(program, start(time), time)) {
      return server.tools().stream().map(tool -> tool.definition().name()).toList();
    } catch (McpException failed) {
      throw new ConfigurationException(String.valueOf(failed.getMessage()), failed);
    }
  }

  @Override
  public List<EvalTool> tools(SampleContext context) throws InterruptedException {
    if (context.isRehearsal()) {
      return rehearsed();
    }
    return context
        .keep(
            program.shared() ? Lifetime.RUN : Lifetime.SAMPLE,
            this,
            () -> McpServer.connect(program, started(context), context.time()))
        .tools();
  }

  /** The server is not started, so nobody knows what it offers but for what is wanted of it. */
  private List<EvalTool> rehearsed() {
    List<String> names = program.tools().isEmpty() ? List.of("mcp") : program.tools();
    return names.stream().<EvalTool>map(Rehearsed::new).toList();
  }

  private record Rehearsed(String name) implements EvalTool {

    @Override
    public Tool definition() {
      return new Tool(name, "", "{\"type\":\"object\"}");
    }

    @Override
    public Result run(ToolCall call, SampleState state, SampleContext context) {
      return Result.failure("This is a rehearsal: the tool was not run.");
    }
  }

  private Dialogue started(SampleContext context) throws InterruptedException {
    if (!program.inSandbox()) {
      return start(context.time());
    }
    try {
      return context
          .sandbox()
          .start(ExecRequest.of(program.command()).withEnvironment(program.environment()));
    } catch (SandboxException failed) {
      throw notStarted(failed);
    }
  }

  /** On this machine. */
  private Dialogue start(Time time) {
    try {
      return Dialogue.start(
          program.command(), program.environment(), program.directory().toAbsolutePath(), time);
    } catch (SandboxException failed) {
      throw notStarted(failed);
    }
  }

  private ConfigurationException notStarted(SandboxException failed) {
    String only = program.command().getFirst();
    boolean isLine = program.command().size() == 1 && only.strip().contains(" ");
    return new ConfigurationException(
        "the MCP server '%s' cannot be started (%s); %s"
            .formatted(
                program.shown(),
                Printable.line(String.valueOf(failed.getMessage())),
                isLine
                    ? "`command` is a list of the program and its arguments: [%s]"
                        .formatted(String.join(", ", Printable.line(only).strip().split(" +")))
                    : "install the program, or mend `command`"),
        failed);
  }
}
