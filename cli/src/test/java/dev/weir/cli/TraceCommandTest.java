package dev.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.time.virtual.VirtualTime;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Traces of runs, live and afterwards. */
class TraceCommandTest {

  private static final String CAPITALS =
      Path.of(System.getProperty("weir.root"), "examples", "capitals.yaml").toString();

  @TempDir Path directory;

  private final Map<String, String> environment = new HashMap<>();
  private final StringWriter err = new StringWriter();

  @BeforeEach
  void keepTraces() {
    environment.put("WEIR_TRACE_DIR", directory.resolve("traces").toString());
    environment.put("WEIR_LOG_DIR", directory.resolve("logs").toString());
  }

  private String weir(int expected, String... words) throws Exception {
    var out = new StringWriter();
    err.getBuffer().setLength(0);
    VirtualTime time = VirtualTime.seeded(1);
    int code =
        time.run(
            () ->
                Weir.run(
                    new Surroundings(
                        time, new PrintWriter(out), new PrintWriter(err), environment, false),
                    words));
    assertThat(code).as(err.toString()).isEqualTo(expected);
    return out.toString();
  }

  @Test
  void showsAttemptsRefusalsAndChangesOfWindows() throws Exception {
    weir(
        0,
        "eval",
        CAPITALS,
        "--model",
        "sim/x:rpm=120,burst=5",
        "--adaptive-connections",
        "1-20-40",
        "--seed",
        "1");
    assertThat(weir(0, "trace", "list")).contains(".trace.gz").hasLineCount(1);
    assertThat(weir(0, "trace", "dump", "--filter", "[connections]").lines())
        .isNotEmpty()
        .allMatch(
            line ->
                line.matches(".*\\[connections\\] sim/x:rpm=120,burst=5 \\d+ -> \\d+ \\(\\w+\\)"));
    assertThat(weir(0, "trace", "http").lines().filter(line -> line.contains("clean"))).hasSize(50);
    assertThat(weir(0, "trace", "http", "--failed").lines())
        .isNotEmpty()
        .allMatch(line -> line.contains("rate limited") && line.contains("asked to wait"));
    assertThat(weir(0, "trace", "dump"))
        .contains("ratelimit:hit", "request:retrying")
        .contains("again in");
    JsonNode first =
        new JsonMapper()
            .readTree(weir(0, "trace", "dump", "--json").lines().findFirst().orElseThrow());
    assertThat(first.get("event").asString()).isNotEmpty();
    assertThat(weir(0, "trace", "dump", "--json")).contains("\"event\":\"concurrency:decreased\"");
  }

  @Test
  void theLevelDecidesWhatIsShownLive() throws Exception {
    String[] eval = {
      "eval", CAPITALS, "--model", "sim/x:rpm=120,burst=5", "--max-connections", "30", "--seed", "1"
    };
    weir(0, eval);
    assertThat(err.toString()).doesNotContain("http sim/", "ratelimit:");
    environment.put("WEIR_LOG_LEVEL", "http");
    weir(0, eval);
    assertThat(err.toString())
        .contains("http sim/x:rpm=120,burst=5 clean in", "request:retrying")
        .doesNotContain("ratelimit:hit");
    environment.put("WEIR_LOG_LEVEL", "");
    environment.put("LOG_LEVEL", "debug");
    weir(0, eval);
    assertThat(err.toString()).contains("http sim/", "ratelimit:hit");
    environment.put("LOG_LEVEL", "DEBUG");
    weir(0, eval);
    assertThat(err.toString()).contains("ratelimit:hit");
    environment.put("LOG_LEVEL", "CRITICAL");
    weir(0, eval);
    assertThat(err.toString()).doesNotContain("http sim/");
    environment.put("WEIR_LOG_LEVEL", "loud");
    weir(2, eval);
    assertThat(err.toString()).contains("must be one of debug, http, info, warning, was 'loud'");
  }

  @Test
  void whatIsNotThereIsExplained() throws Exception {
    weir(2, "trace", "http");
    assertThat(err.toString()).contains("there are no traces in", "run weir eval first");
    assertThat(weir(0, "trace", "list")).contains("There are no traces");
    weir(0, "eval", CAPITALS, "--limit", "2");
    weir(2, "trace", "dump", "yesterday");
    assertThat(err.toString()).contains("no trace 'yesterday'", "weir trace list");
    environment.clear();
    weir(2, "trace", "list");
    assertThat(err.toString()).contains("WEIR_TRACE_DIR");
  }

  @Test
  void aGraderHasARoleOfItsOwn() throws Exception {
    Path task = directory.resolve("graded.yaml");
    java.nio.file.Files.writeString(
        task,
        """
        task: graded
        dataset: [{input: "2+2?", target: "4"}, {input: "3+3?", target: "6"}]
        solver: generate
        scorer: model_graded_qa
        model: sim/pupil:accuracy=1
        """);
    assertThat(weir(0, "eval", task.toString(), "--model-role", "grader=sim/judge:accuracy=1"))
        .contains("1.000");
    assertThat(weir(0, "trace", "http").lines())
        .hasSize(4)
        .anyMatch(line -> line.contains("sim/pupil"))
        .anyMatch(line -> line.contains("sim/judge"));
    weir(2, "eval", task.toString(), "--model-role", "grader");
    assertThat(err.toString()).contains("--model-role must be of the form role=provider/model");
    weir(0, "eval", task.toString(), "--model-role", "gradr=sim/judge");
    assertThat(err.toString()).contains("nothing has asked for the role 'gradr'");
    weir(2, "eval", task.toString(), "--model-role", "grader=gpt");
    assertThat(err.toString()).contains("model 'gpt' is not of the form provider/model");
  }
}
