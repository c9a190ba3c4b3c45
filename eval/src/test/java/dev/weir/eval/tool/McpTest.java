package dev.weir.eval.tool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.weir.eval.component.Arguments;
import dev.weir.eval.sample.EvalTool;
import dev.weir.eval.sample.Kept;
import dev.weir.eval.sample.Outset;
import dev.weir.eval.sample.ToolSource;
import dev.weir.eval.sandbox.ProcessLimits;
import dev.weir.eval.sandbox.SandboxSpec;
import dev.weir.model.ConfigurationException;
import dev.weir.time.Task;
import dev.weir.time.Time;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** With real servers: {@link McpTestServer} in a process of its own. */
@Timeout(120)
class McpTest {

  private static final String JAVA =
      Path.of(System.getProperty("java.home"), "bin/java").toString();

  /** A Java machine reserves more memory than the usual limit allows. */
  private static final SandboxSpec UNLIMITED =
      SandboxSpec.local()
          .withLimits(
              new ProcessLimits(
                  Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty()));

  private final RealContext context = new RealContext();

  @AfterEach
  void nothingIsLeft() {
    context.close();
    assertThat(servers()).isZero();
  }

  private static long servers() {
    return ProcessHandle.current()
        .descendants()
        .filter(ProcessHandle::isAlive)
        .filter(process -> process.info().command().orElse("").contains("java"))
        .count();
  }

  private static McpProgram server(String mode) {
    return McpProgram.of(
        JAVA,
        "-XX:TieredStopAtLevel=1",
        "-XX:+UseSerialGC",
        "-Xshare:auto",
        "-cp",
        System.getProperty("java.class.path"),
        McpTestServer.class.getName(),
        mode);
  }

  private EvalTool.Result call(ToolSource source, String tool, String arguments)
      throws InterruptedException {
    return context.call(named(source, tool), arguments);
  }

  private EvalTool named(ToolSource source, String name) throws InterruptedException {
    return source.tools(context).stream()
        .filter(tool -> tool.definition().name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void aServerIsTriedBeforeTheFirstCallIfThatIsWanted() throws Exception {
    var trial = new Outset(Optional.empty(), _ -> true, Optional.of(Time.system()));
    assertThat(Tools.mcp(server("normal")).foresee(trial)).contains("echo", "odd_name_x");
    assertThat(servers()).isZero();
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> Tools.mcp(server("normal").withTools("ecko")).foresee(trial))
        .withMessageContaining("has no tool 'ecko'; did you mean 'echo'?");
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> Tools.mcp(server("broken")).foresee(trial))
        .withMessageContaining("exit code 7");

    var noTrial = new Outset(Optional.empty(), _ -> true, Optional.empty());
    assertThat(Tools.mcp("none", "here").foresee(noTrial)).isEmpty();
    assertThat(Tools.mcp(McpProgram.of("none").withTools("a.b")).foresee(noTrial))
        .containsExactly("a_b");
  }

  @Test
  void allPagesOfToolsAreOfferedAndCalled() throws Exception {
    ToolSource source = Tools.mcp(server("normal"));
    assertThat(source.tools(context).stream().map(tool -> tool.definition().name()))
        .startsWith("echo", "seen", "count", "odd_name_x", "fail")
        .endsWith("large", "variables")
        .hasSize(13);
    assertThat(named(source, "echo").definition().parameters()).isEqualTo("{\"type\":\"object\"}");
    assertThat(call(source, "echo", "{\"text\": \"grüß €\\n𝄞\"}"))
        .isEqualTo(EvalTool.Result.of("grüß €\n𝄞"));
    assertThat(call(source, "echo", "").text()).isEqualTo("nothing");
    assertThat(call(source, "echo", "{\"text\"").failed()).isTrue();
    assertThat(call(source, "odd_name_x", "{}").text()).isEqualTo("called by its own name");
    assertThat(call(source, "fail", "{}")).isEqualTo(EvalTool.Result.failure("out of paper"));
    assertThat(call(source, "refuse", "{}"))
        .isEqualTo(EvalTool.Result.failure("refuse was refused: no such colour (-32602)"));
    assertThat(call(source, "rich", "{}").text())
        .isEqualTo(
            """
            a chart
            [image, image/png, 3 bytes: not shown]
            [resource file:///a.txt]
            inside
            [resource file:///b.bin, unknown type, 2 bytes: not shown]
            [resource http://x: x]
            [content of type 'hologram': not shown]\
            """);
    assertThat(call(source, "structured", "{}").text()).isEqualTo("{\"degrees\":21}");
    assertThat(call(source, "large", "{\"size\": 3000000}").text())
        .hasSizeLessThan(16_600)
        .contains("characters are left out here");
    assertThat(call(source, "seen", "{}").text())
        .startsWith("initialize, notifications/initialized, tools/list, tools/list, tools/list");
    assertThat(servers()).as("one for the sample").isOne();
  }

  @Test
  void theServerMayAskUsSomething() throws Exception {
    String heard = call(Tools.mcp(server("normal")), "ping", "{}").text();
    assertThat(heard)
        .contains("{\"jsonrpc\":\"2.0\",\"id\":\"p\",\"result\":{}}")
        .contains("\"id\":99,\"error\":{\"code\":-32601");
  }

  @Test
  void aLineThatIsTooLongEndsTheServer() throws Exception {
    ToolSource source = Tools.mcp(server("normal"));
    assertThatExceptionOfType(McpException.class)
        .isThrownBy(() -> call(source, "large", "{\"size\": 17000000}"))
        .withMessageContaining("a line of more than 16777216 bytes");
    assertThat(servers()).isZero();
  }

  /** What the server has seen; a cancellation is said later, behind other messages. */
  private String seen(ToolSource source, String awaited) throws Exception {
    String seen = "";
    for (int i = 0; i < 2_000 && !seen.contains(awaited); i++) {
      seen = call(source, "seen", "{}").text();
    }
    return seen;
  }

  @Test
  void aCallThatTakesTooLongIsToldAndCancelled() throws Exception {
    ToolSource source = Tools.mcp(server("normal").withTimeout(Duration.ofMillis(400)));
    assertThat(call(source, "slow", "{}"))
        .isEqualTo(EvalTool.Result.timeout("slow took longer than 0.4 s and was given up"));
    // Initialize and three pages came before it.
    assertThat(seen(source, "cancelled 5")).contains("cancelled 5");
  }

  @Test
  void aTaskThatIsCancelledWaitsNoLonger() throws Exception {
    ToolSource source = Tools.mcp(server("normal").withTimeout(Duration.ofHours(1)));
    EvalTool slow = named(source, "slow");
    Task<EvalTool.Result> task = Time.system().start("slow", () -> context.call(slow, "{}"));
    while (!call(source, "seen", "{}").text().contains("tools/call, tools/call")) {
      // Until the server has got the call.
    }
    task.cancel();
    assertThatExceptionOfType(CancellationException.class).isThrownBy(task::join);
    assertThat(seen(source, "cancelled")).contains("cancelled");
  }

  @Test
  void onlyWhatIsNamedIsOffered() throws Exception {
    ToolSource source = Tools.mcp(server("normal").withTools("count", "echo"));
    assertThat(source.tools(context).stream().map(tool -> tool.definition().name()))
        .containsExactly("count", "echo");
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> Tools.mcp(server("normal").withTools("ecko")).tools(context))
        .withMessageContaining("has no tool 'ecko'; did you mean 'echo'?");
    assertThat(servers()).as("the other was ended").isOne();
  }

  @Test
  void theServerGetsNoVariablesButThoseNamed() throws Exception {
    ToolSource source = Tools.mcp(server("normal").withEnvironment(Map.of("TOKEN_OF_X", "abc")));
    List<String> names = List.of(call(source, "variables", "{}").text().split(" "));
    assertThat(names).contains("PATH", "TOKEN_OF_X");
    assertThat(names)
        .isSubsetOf("PATH", "HOME", "LANG", "TMPDIR", "USER", "WEIR_SANDBOX", "TOKEN_OF_X");
  }

  @Test
  void aServerThatEndsFailsTheSampleWithItsLastWords() throws Exception {
    ToolSource source =
        Tools.mcp(server("normal").withEnvironment(Map.of("SECRET", "key-of-nobody-77")));
    McpException failure =
        catchThrowableOfType(McpException.class, () -> call(source, "crash", "{}"));
    assertThat(failure)
        .hasMessageContaining("failed during the call of crash")
        .hasMessageContaining("it ended before it answered tools/call with exit code 3")
        .hasMessageContaining("out of memory, key ***")
        .message()
        .doesNotContain("key-of-nobody")
        .hasSizeLessThan(1_500);
    assertThatExceptionOfType(McpException.class).isThrownBy(() -> call(source, "echo", "{}"));
  }

  @Test
  void whatIsNoServerSaysSo() {
    assertThatExceptionOfType(McpException.class)
        .isThrownBy(
            () ->
                Tools.mcp(server("broken").withEnvironment(Map.of("SECRET", "key-of-nobody-77")))
                    .tools(context))
        .withMessageContaining("failed during initialize")
        .withMessageContaining("exit code 7")
        .withMessageContaining("no license for key ***");
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> Tools.mcp("no-such-program-77", "x", "--token", "y").tools(context))
        .withMessageContaining("'no-such-program-77 x …' cannot be started")
        .withMessageContaining("install the program");
    assertThatExceptionOfType(McpException.class)
        .isThrownBy(() -> Tools.mcp(server("endless")).tools(context))
        .withMessageContaining("no end of tools");
  }

  @Test
  void olderVersionsAreSpokenAndOthersRefused() throws Exception {
    assertThat(call(Tools.mcp(server("old")), "echo", "{}").text()).isEqualTo("nothing");
    assertThatExceptionOfType(McpException.class)
        .isThrownBy(() -> Tools.mcp(server("alien")).tools(context))
        .withMessageContaining("version '1999-01-01'")
        .withMessageContaining("2024-11-05, 2025-03-26, 2025-06-18, 2025-11-25");
  }

  @Test
  void chatterBetweenMessagesIsPassedOver() throws Exception {
    assertThat(call(Tools.mcp(server("noisy")), "echo", "{}").text()).isEqualTo("nothing");
  }

  @Test
  void aSharedServerServesSamplesAtOnce() throws Exception {
    var run = new Kept(Time.system());
    ToolSource source = Tools.mcp(server("normal").asShared());
    List<Task<String>> samples = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      String text = "sample " + i;
      samples.add(
          Time.system()
              .start(
                  text,
                  () -> {
                    try (var own = new RealContext(run, SandboxSpec.local())) {
                      EvalTool echo = source.tools(own).getFirst();
                      for (int call = 0; call < 10; call++) {
                        assertThat(own.call(echo, "{\"text\": \"%s\"}".formatted(text)).text())
                            .isEqualTo(text);
                      }
                      return text;
                    }
                  }));
    }
    for (Task<String> sample : samples) {
      sample.join();
    }
    assertThat(servers()).as("it outlives samples").isOne();
    assertThat(run.close()).isEmpty();
  }

  @Test
  void aServerCanRunInTheSandbox() throws Exception {
    try (var own = new RealContext(new Kept(Time.system()), UNLIMITED)) {
      ToolSource source =
          Tools.mcp(server("normal").withEnvironment(Map.of("TOKEN_OF_X", "abc")).asSandboxed());
      EvalTool variables =
          source.tools(own).stream()
              .filter(tool -> tool.definition().name().equals("variables"))
              .findFirst()
              .orElseThrow();
      assertThat(own.call(variables, "{}").text())
          .isEqualTo("HOME LANG PATH PWD TMPDIR TOKEN_OF_X WEIR_SANDBOX");
      assertThat(servers()).isOne();
    }
  }

  @Test
  void aSandboxThatIsClosedEndsItsServers() throws Exception {
    var own = new RealContext(new Kept(Time.system()), UNLIMITED);
    try (own) {
      Tools.mcp(server("normal").asSandboxed()).tools(own);
      own.sandbox().close();
      assertThat(servers()).isZero();
    }
  }

  @Test
  @Tag("installed")
  void aTaskNamesAServerInPython() throws Exception {
    Path script = Path.of(Objects.requireNonNull(McpTest.class.getResource("server.py")).toURI());
    var arguments =
        new Arguments(
            Map.of(
                "command", List.of("python3", script.getFileName().toString()),
                "tools", List.of("greeting", "add"),
                "env", Map.of("GREETING", "good morning"),
                "timeout", 30),
            Objects.requireNonNull(script.getParent()),
            (name, rule) -> new ConfigurationException(name + " " + rule));
    ToolSource source = Tools.find("mcp").orElseThrow().make(arguments);
    assertThat(call(source, "add", "{\"a\": 1, \"b\": 2.5}").text()).isEqualTo("3.5");
    assertThat(call(source, "add", "{\"a\": 1}"))
        .isEqualTo(EvalTool.Result.failure("KeyError('b')"));
    assertThat(call(source, "greeting", "{}").text()).isEqualTo("good morning");
  }

  @Test
  void aTaskNamesAServer() {
    var mcp = Tools.find("mcp").orElseThrow();
    assertThat(mcp.make(Arguments.of(Map.of("command", List.of("python3", "server.py")))))
        .isNotNull();
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> mcp.make(Arguments.of(Map.of("comand", "x"))))
        .withMessageContaining("did you mean 'command'?");
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> mcp.make(Arguments.of(Map.of("command", ""))))
        .withMessageContaining("must name a program");
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(
            () -> mcp.make(Arguments.of(Map.of("command", "x", "shared", true, "sandbox", true))))
        .withMessageContaining("cannot be true in a sandbox");
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> mcp.make(Arguments.of(Map.of("command", "x", "timeout", "0"))))
        .withMessageContaining("must be a number from 0.001");
    assertThatIllegalArgumentException().isThrownBy(McpProgram::of);
    assertThat(server("normal").withEnvironment(Map.of("SECRET", "key-of-nobody-77")).toString())
        .contains("SECRET")
        .doesNotContain("key-of-nobody");
  }
}
