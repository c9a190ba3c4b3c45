package dev.weir.benchmarks.transport;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.json.JsonMapper;

/** Runs the command that is running, again, as a process of its own. */
public final class Programs {

  private static final JsonMapper JSON = new JsonMapper();

  private Programs() {}

  /** The same Java, the same classes. */
  public static ProcessBuilder weir(List<String> javaOptions, List<String> arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home", ""), "bin", "java").toString());
    command.addAll(javaOptions);
    command.addAll(List.of("-cp", System.getProperty("java.class.path", ""), "dev.weir.cli.Weir"));
    command.addAll(arguments);
    var builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().keySet().removeIf(name -> name.startsWith("WEIR_"));
    // A benchmark starts from nothing, and leaves nothing to the runs of the user.
    builder.environment().put("WEIR_MEMORY", "false");
    return builder;
  }

  /** What a command prints as JSON at its end. */
  static Map<String, Object> run(List<String> javaOptions, List<String> arguments)
      throws IOException {
    Process process = weir(javaOptions, arguments).start();
    try (BufferedReader said = process.inputReader()) {
      String text = String.join("\n", said.lines().toList());
      int begin = text.indexOf('{');
      if (begin < 0) {
        throw new IOException("a part of the benchmark failed: " + text);
      }
      return JSON.readValue(text.substring(begin), new TypeReference<Map<String, Object>>() {});
    } finally {
      process.destroyForcibly();
    }
  }

  /** {@code weir simulate} without limits, until it is closed. */
  public static final class Simulator implements AutoCloseable {

    private final Process process;
    private final URI address;

    public Simulator(String latency, long seed) throws IOException {
      this.process =
          weir(
                  List.of("-Xmx2g"),
                  List.of(
                      "simulate",
                      "--port",
                      "0",
                      "--json",
                      "--latency",
                      latency,
                      "--seed",
                      String.valueOf(seed)))
              .start();
      // Libraries may have something to say first.
      var before = new StringBuilder();
      BufferedReader said = process.inputReader();
      String greeting = said.readLine();
      while (greeting != null && !greeting.startsWith("{")) {
        before.append(greeting).append('\n');
        greeting = said.readLine();
      }
      if (greeting == null) {
        process.destroyForcibly();
        throw new IOException("the simulator did not start: " + before);
      }
      this.address = URI.create(String.valueOf(JSON.readValue(greeting, Map.class).get("address")));
    }

    public URI address() {
      return address;
    }

    public long pid() {
      return process.pid();
    }

    @Override
    public void close() {
      process.destroyForcibly();
    }
  }
}
