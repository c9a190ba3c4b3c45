package dev.weir.eval.tool;

import dev.weir.model.Printable;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * An MCP server that is a program, and what is wanted of it.
 *
 * @param command the program and its arguments; no shell takes them apart
 * @param environment its variables, besides PATH, HOME, LANG, TMPDIR and USER; in a sandbox besides
 *     that one's
 * @param directory where it runs; in a sandbox it runs in the working directory instead
 * @param tools which of its tools are offered; all if none is named
 * @param timeout how long a call may take
 * @param shared whether one serves all samples of a run; otherwise each sample has its own
 * @param inSandbox whether it runs in the sandbox of the sample, and not on this machine
 * @param maxOutput characters of a result that the model is shown at most
 */
public record McpProgram(
    List<String> command,
    Map<String, String> environment,
    Path directory,
    List<String> tools,
    Duration timeout,
    boolean shared,
    boolean inSandbox,
    int maxOutput) {

  public static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(60);

  /**
   * @throws IllegalArgumentException if there is no command or no time, or the server is to be
   *     shared and in a sandbox of one sample
   */
  public McpProgram {
    command = List.copyOf(command);
    environment = Map.copyOf(environment);
    tools = List.copyOf(tools);
    if (command.isEmpty() || command.getFirst().isBlank()) {
      throw new IllegalArgumentException("`command` must name a program, was empty");
    }
    if (!timeout.isPositive()) {
      throw new IllegalArgumentException("`timeout` must be > 0, was " + timeout);
    }
    if (shared && inSandbox) {
      throw new IllegalArgumentException(
          "`shared` must be false in a sandbox, which belongs to one sample, was true");
    }
  }

  /** Offers all tools, a server for each sample, for at most a minute each call. */
  public static McpProgram of(String... command) {
    return new McpProgram(
        List.of(command),
        Map.of(),
        Path.of(""),
        List.of(),
        DEFAULT_TIMEOUT,
        false,
        false,
        ToolOutput.DEFAULT_LIMIT);
  }

  public McpProgram withEnvironment(Map<String, String> newEnvironment) {
    return new McpProgram(
        command, newEnvironment, directory, tools, timeout, shared, inSandbox, maxOutput);
  }

  public McpProgram withDirectory(Path newDirectory) {
    return new McpProgram(
        command, environment, newDirectory, tools, timeout, shared, inSandbox, maxOutput);
  }

  public McpProgram withTools(String... newTools) {
    return new McpProgram(
        command, environment, directory, List.of(newTools), timeout, shared, inSandbox, maxOutput);
  }

  public McpProgram withTimeout(Duration newTimeout) {
    return new McpProgram(
        command, environment, directory, tools, newTimeout, shared, inSandbox, maxOutput);
  }

  /** One for all samples of a run. */
  public McpProgram asShared() {
    return new McpProgram(
        command, environment, directory, tools, timeout, true, inSandbox, maxOutput);
  }

  /** In the sandbox of the sample. */
  public McpProgram asSandboxed() {
    return new McpProgram(command, environment, directory, tools, timeout, shared, true, maxOutput);
  }

  /** For messages: later arguments may be credentials. */
  String shown() {
    String words = String.join(" ", command.subList(0, Math.min(2, command.size())));
    return Printable.line(command.size() > 2 ? words + " …" : words);
  }

  /** Values of variables may be credentials, and so may arguments. */
  @Override
  public String toString() {
    return "McpProgram[command=%s, environment=%s]".formatted(shown(), environment.keySet());
  }
}
