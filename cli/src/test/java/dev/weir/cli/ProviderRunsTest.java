package dev.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.weir.simulator.server.Given;
import dev.weir.simulator.server.Setting;
import dev.weir.simulator.server.Simulation;
import dev.weir.simulator.server.SimulatorServer;
import dev.weir.time.Time;
import dev.weir.web.WebSettings;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Whole runs over HTTP: against the simulator, and against a server that tells secrets. */
@Timeout(120)
class ProviderRunsTest {

  private static final String KEY = "sk-weir-test-0123456789abcdef";

  @TempDir Path directory;

  private final Map<String, String> environment = new HashMap<>();
  private SimulatorServer server;
  private String task;

  private record Said(int code, String out, String err) {}

  @BeforeEach
  void start() throws Exception {
    Map<Setting, List<Given>> given = new EnumMap<>(Setting.class);
    given.put(Setting.LATENCY, List.of(new Given("test", "1ms")));
    given.put(Setting.API_KEY, List.of(new Given("test", KEY)));
    given.put(Setting.BATCH_TIME, List.of(new Given("test", "50ms")));
    server =
        SimulatorServer.start(
            Time.system(), WebSettings.loopback(0), Simulation.of(Optional.empty(), given, 1));
    environment.put("OPENAI_API_KEY", KEY);
    environment.put("OPENAI_BASE_URL", server.address().resolve("/v1").toString());
    environment.put("ANTHROPIC_API_KEY", KEY);
    environment.put("ANTHROPIC_BASE_URL", server.address().toString());
    environment.put("WEIR_TRACE_DIR", directory.resolve("traces").toString());
    environment.put("WEIR_CACHE_DIR", directory.resolve("cache").toString());
    environment.put("WEIR_LOG_DIR", directory.resolve("logs").toString());
    Path file = directory.resolve("task.yaml");
    Files.writeString(
        file,
        """
        task: echoes
        dataset:
          - {input: "[[echo: one]]", target: one}
          - {input: "[[echo: two]]", target: two}
          - {input: "[[echo: three]]", target: three}
        solver: generate
        scorer: includes
        """);
    task = file.toString();
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private Said weir(String... words) {
    var out = new StringWriter();
    var err = new StringWriter();
    int code =
        Weir.run(
            new Surroundings(
                Time.system(), new PrintWriter(out), new PrintWriter(err), environment, false),
            words);
    return new Said(code, out.toString(), err.toString());
  }

  private JsonNode eval(String... more) {
    Said said =
        weir(
            Stream.concat(Stream.of("eval", task, "--json"), Stream.of(more))
                .toArray(String[]::new));
    assertThat(said.code()).as(said.toString()).isZero();
    return new JsonMapper().readTree(said.out());
  }

  private long requests() {
    return server.stats().requests();
  }

  @ParameterizedTest
  @ValueSource(strings = {"openai/gpt-4o-mini", "anthropic/claude-sonnet-4-5"})
  void aRealRunIsScoredAndPriced(String model) {
    JsonNode result = eval("--model", model);
    assertThat(result.get("metrics").get("accuracy").asDouble()).isEqualTo(1);
    assertThat(result.get("tokens").get("input").asLong()).isPositive();
    assertThat(result.get("cost").get("usd").asDouble()).isPositive();
    assertThat(result.get("cost").get("unknown_calls").asLong()).isZero();
    assertThat(requests()).isEqualTo(3);
  }

  @Test
  void whereTheServerIsCanBeSaidOfGraders() {
    String log = eval("--model", "sim/x").get("log").asString();
    environment.put("OPENAI_BASE_URL", "http://127.0.0.1:9/nobody");
    // What it answers is no grade; here it matters who is asked.
    Said said =
        weir(
            "score",
            log,
            "--scorer=model_graded_qa",
            "--model-role=grader=openai/gpt-4o-mini",
            "--model-base-url=" + server.address().resolve("/v1"),
            "--scorer-retries=0",
            "--fail-on-error=false");
    assertThat(said.code()).as(said.toString()).isEqualTo(ExitCode.FAILED);
    assertThat(said.out()).contains("Failed: none of 3 samples was scored");
    assertThat(requests()).isEqualTo(3);
  }

  @Test
  void aServerThatIsAwayIsToldWithTheModelAsItWasWrittenAndTheCause() {
    String address = server.address().resolve("/v1").toString();
    server.close();
    Said said = weir("eval", task, "--model", "openai/gpt-4o-mini", "--timeout", "2");
    assertThat(said.code()).isEqualTo(ExitCode.FAILED);
    assertThat(said.out())
        .containsPattern(
            "while a request waited for openai/gpt-4o-mini; the last attempt: connection to %s: .*Connection refused"
                .formatted(address))
        .doesNotContain("Exception", "openai@");
  }

  @Test
  void anUnknownPriceIsNotZero() {
    JsonNode result = eval("--model", "openai/nobody-knows");
    assertThat(result.get("cost").get("usd").isNull()).isTrue();
    assertThat(result.get("cost").get("unknown_calls").asLong()).isEqualTo(3);
    assertThat(weir("eval", task, "--model", "openai/nobody-knows").out()).contains("unknown");
  }

  @Test
  void whatIsCachedIsNotAskedAgain() {
    eval("--model", "openai/gpt-4o-mini", "--cache");
    assertThat(requests()).isEqualTo(3);
    JsonNode again = eval("--model", "openai/gpt-4o-mini", "--cache=1h");
    assertThat(requests()).isEqualTo(3);
    assertThat(again.get("cached_answers").asLong()).isEqualTo(3);
    assertThat(again.get("cost").get("usd").asDouble()).isZero();
    assertThat(again.get("metrics").get("accuracy").asDouble()).isEqualTo(1);
    eval("--model", "openai/gpt-4o-mini", "--cache", "--temperature", "1");
    assertThat(requests()).isEqualTo(6);
    assertThat(weir("cache", "list").out()).contains("openai/gpt-4o-mini");
  }

  @Test
  void aChangedScriptIsAnotherModelToTheCache() throws IOException {
    Path replies = directory.resolve("replies.yaml");
    Files.writeString(replies, "[one, one, one]");
    String script = "replies=" + replies;
    assertThat(accuracy(eval("--model", "mock/x", "-M", script, "--cache"))).isPositive();
    Files.writeString(replies, "[no, no, no]");
    assertThat(accuracy(eval("--model", "mock/x", "-M", script, "--cache"))).isZero();
  }

  private static double accuracy(JsonNode result) {
    return result.get("metrics").get("accuracy").asDouble();
  }

  @ParameterizedTest
  @ValueSource(strings = {"openai/gpt-4o-mini", "anthropic/claude-sonnet-4-5"})
  void batchesAreARunLikeAnother(String model) {
    JsonNode result =
        eval("--model", model, "--batch", "--batch-delay", "50ms", "--batch-poll", "50ms");
    assertThat(result.get("metrics").get("accuracy").asDouble()).isEqualTo(1);
    // None of the calls that limits would count.
    assertThat(requests()).isZero();
    Said refused = weir("eval", task, "--model", "sim/demo", "--batch");
    assertThat(refused.code()).isEqualTo(2);
    assertThat(refused.err()).contains("'sim/demo' takes no batches");
  }

  @Test
  void aWrongCredentialEndsTheRunForGood() {
    environment.put("OPENAI_API_KEY", "sk-wrong-0123456789");
    Said said = weir("eval", task, "--model", "openai/gpt-4o-mini");
    assertThat(said.code()).isEqualTo(3);
    assertThat(said.out())
        .containsOnlyOnce("401 Unauthorized")
        .contains("Rejected credential: OPENAI_API_KEY", "Fix the problem, then resume: ");
    assertThat(said.out() + said.err()).doesNotContain("sk-wrong");
    environment.remove("OPENAI_API_KEY");
    Said missing = weir("eval", task, "--model", "openai/gpt-4o-mini");
    assertThat(missing.code()).isEqualTo(2);
    assertThat(missing.err()).contains("OPENAI_API_KEY", ".env");
  }

  /** Some servers repeat what they were sent, headers and all. */
  @ParameterizedTest
  @ValueSource(ints = {200, 400, 401, 429, 500})
  void nothingThatARunWritesHoldsTheCredential(int status) throws Exception {
    HttpServer telltale =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    telltale.createContext(
        "/",
        exchange -> {
          exchange.getRequestBody().readAllBytes();
          String sent = exchange.getRequestHeaders().getFirst("Authorization");
          String body =
              """
              {"id":"%1$s","error":{"message":"you sent %1$s","type":"%1$s","code":"x"},
               "choices":[{"message":{"role":"assistant","content":"you sent %1$s"},
               "finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":1}}
              """
                  .formatted(sent);
          byte[] bytes =
              (status == 200 ? body.replaceAll("\"error\".*\\R", "") : body)
                  .getBytes(StandardCharsets.UTF_8);
          exchange.getResponseHeaders().add("content-type", "application/json");
          exchange.getResponseHeaders().add("x-request-id", "id of " + sent);
          exchange.sendResponseHeaders(status, bytes.length);
          exchange.getResponseBody().write(bytes);
          exchange.close();
        });
    telltale.start();
    try {
      environment.put(
          "OPENAI_BASE_URL", "http://127.0.0.1:" + telltale.getAddress().getPort() + "/v1");
      Said said =
          weir(
              "--debug",
              "eval",
              task,
              "--model",
              "openai/gpt-4o-mini",
              "--log-level",
              "debug",
              "--trace-bodies",
              "--cache",
              "--max-retries",
              "0");
      assertThat(said.out() + said.err()).contains("[redacted]").doesNotContain(KEY);
      assertThat(weir("trace", "dump", "--json").out()).contains("[redacted]").doesNotContain(KEY);
      try (Stream<Path> files = Files.walk(directory)) {
        for (Path file : files.filter(Files::isRegularFile).toList()) {
          assertThat(text(file)).as(file.toString()).doesNotContain(KEY);
        }
      }
    } finally {
      telltale.stop(0);
    }
  }

  private static String text(Path file) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    if (file.toString().endsWith(".gz")) {
      try (var in = new GZIPInputStream(Files.newInputStream(file))) {
        bytes = in.readAllBytes();
      }
    }
    return new String(bytes, StandardCharsets.UTF_8);
  }
}
