package dev.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.time.Time;
import dev.weir.time.virtual.VirtualTime;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** {@code weir log show} and {@code weir log failures}. */
class LogShowCommandTest {

  private static final Path ROOT =
      Path.of(System.getProperty("weir.root", "..")).toAbsolutePath().normalize();

  private static final Path INSPECT = ROOT.resolve("log/src/test/resources/dev/weir/log/inspect");

  @TempDir Path directory;

  private final VirtualTime time = VirtualTime.seeded(1);
  private final Map<String, String> environment = new HashMap<>();

  @BeforeEach
  void setUp() {
    environment.put("HOME", directory.toString());
    environment.put("WEIR_LOG_DIR", directory.resolve("logs").toString());
  }

  private Spoken weir(Object... words) throws Exception {
    return time.run(() -> Spoken.of(time, environment, words));
  }

  private Path evaluated(String model, Object... options) throws Exception {
    Object[] words = new Object[options.length + 7];
    words[0] = "eval";
    words[1] = ROOT.resolve("examples/capitals.yaml");
    words[2] = "--json";
    words[3] = "--seed";
    words[4] = 7;
    words[5] = "--model";
    words[6] = model;
    System.arraycopy(options, 0, words, 7, options.length);
    return Path.of(weir(words).json().path("log").asString());
  }

  @Test
  void showsConversationTargetAndScoreInTheOrderOfTheDataset() throws Exception {
    Path log = evaluated("sim/x:accuracy=0.5", "--limit", 4);
    Spoken said = weir("log", "show", log);
    assertThat(said.code()).isZero();
    assertThat(said.out())
        .containsSubsequence(
            "── 1 of 4 · france ",
            "user\n  What is the capital of France?",
            "assistant\n",
            "target\n  Paris\n",
            "score includes: ",
            "tokens in, ",
            "── 2 of 4 · ");
    assertThat(weir("log", "show").out()).as("the newest log").isEqualTo(said.out());
  }

  @Test
  void saysThatASampleWasNotReached() throws Exception {
    Path log = evaluated("sim/x:rpm=60,burst=1", "--max-tokens-total", 100);
    Spoken said = weir("log", "show", log, "--sample", "colombia");
    assertThat(said.code()).isEqualTo(ExitCode.USAGE);
    assertThat(said.err()).contains("the run ended before it").doesNotContain("did you mean");
    Spoken epoch = weir("log", "show", log, "--sample", "france", "--epoch", 2);
    assertThat(epoch.err())
        .contains("has no sample 'france' of epoch 2")
        .doesNotContain("did you mean");
  }

  @Test
  void showsOnlyWhatIsAskedFor() throws Exception {
    Path log = evaluated("sim/x:accuracy=0.5");
    JsonNode all = weir("log", "show", log, "--json").json().path("samples");
    assertThat(all).hasSize(50);
    long wrong =
        all.valueStream().filter(it -> !it.path("verdict").asString().equals("passed")).count();
    JsonNode failed = weir("log", "show", log, "--json", "--failed").json().path("samples");
    assertThat(failed).hasSize((int) wrong);
    assertThat(
            failed
                .valueStream()
                .map(it -> it.path("scores").path("includes").path("value").asInt()))
        .containsOnly(0);
    assertThat(weir("log", "show", log, "--failed", "--limit", 2, "--json").json().path("samples"))
        .hasSize(2);
    Spoken one = weir("log", "show", log, "--sample", "france");
    assertThat(one.out()).contains("── 1 of 1 · france ").doesNotContain("Spain");
    Spoken none = weir("log", "show", log, "--sample", "frence");
    assertThat(none.code()).isEqualTo(ExitCode.USAGE);
    assertThat(none.err()).contains("has no sample 'frence'", "france");
    assertThat(weir("log", "show", log, "--sample", "frence", "--failed").code())
        .isEqualTo(ExitCode.USAGE);
  }

  @Test
  void aLogWithoutFailuresSaysSo() throws Exception {
    Path log = evaluated("sim/x:accuracy=1", "--limit", 2);
    Spoken said = weir("log", "show", log, "--failed");
    assertThat(said.code()).isZero();
    assertThat(said.out()).contains("has no such samples");
    assertThat(weir("log", "show", log, "--failed", "--json").json().path("samples")).isEmpty();
    assertThat(weir("log", "failures", log).out()).contains("ended with an error.");
  }

  @Test
  void callsOfToolsAreFoldedUnlessAllIsWanted() throws Exception {
    Path log = INSPECT.resolve("tools.eval");
    assertThat(weir("log", "show", log).out()).contains("assistant\n", "  → ", "tool ");
    Path folded = longToolResult();
    assertThat(weir("log", "show", folded).out())
        .contains("  line 4\n  … 16 more lines; --full shows them\n")
        .doesNotContain("line 5");
    assertThat(weir("log", "show", folded, "--full").out()).contains("  line 20\n");
  }

  /** A log of a tool that gives twenty lines back. */
  private Path longToolResult() throws Exception {
    Path log = directory.resolve("logs").resolve("2026-11-15T10-11-12_folded1.json");
    Files.createDirectories(log.getParent());
    String lines =
        String.join("\\n", IntStream.rangeClosed(1, 20).mapToObj(i -> "line " + i).toList());
    Files.writeString(
        log,
        """
        {"version": 2, "status": "success",
         "eval": {"run_id": "r", "created": "2026-11-15T10:11:12+00:00", "task": "long",
           "task_id": "t", "dataset": {"samples": 1, "sample_ids": ["a"]}, "model": "m",
           "config": {}},
         "samples": [{"id": "a", "epoch": 1, "input": "Go.", "target": "", "scores": {},
           "output": {"model": "m", "choices": []},
           "messages": [
             {"role": "user", "content": "Go."},
             {"role": "assistant", "content": "", "tool_calls":
               [{"id": "1", "function": "bash", "arguments": {"cmd": "\\u001b[2Jls"}}]},
             {"role": "tool", "tool_call_id": "1", "function": "bash", "content": "%s"}]}]}
        """
            .formatted(lines));
    return log;
  }

  @Test
  void nothingThatAModelWroteControlsTheTerminal() throws Exception {
    assertThat(weir("log", "show", longToolResult()).out()).doesNotContain("\u001b");
  }

  @Test
  void errorsAreGroupedByKind() throws Exception {
    Path log =
        evaluated(
            "sim/x:error-rate=0.5", "--max-retries=0", "--fail-on-error=false", "--limit", 20);
    Spoken said = weir("log", "failures", log);
    assertThat(said.code()).isZero();
    JsonNode document = weir("log", "failures", log, "--json").json();
    long failed = document.path("failed").asLong();
    assertThat(failed).isBetween(3L, 17L);
    assertThat(document.path("kinds")).hasSize(1);
    assertThat(document.path("kinds").get(0).path("samples")).hasSize((int) failed);
    assertThat(said.out())
        .startsWith(failed + " samples failed in " + log)
        .contains(" and " + (failed - 5) + " more", "weir log show " + log + " --failed");
    assertThat(weir("log", "show", log, "--failed").out()).contains(" error ──", "\nerror\n  ");
  }

  @Test
  void aTerminalGetsItThroughThePagerOfTheUser() throws Exception {
    Path log = evaluated("sim/x", "--limit", 2);
    Path paged = directory.resolve("paged.txt");
    environment.put("PAGER", "cat > '" + paged + "'");
    assertThat(onTerminal("log", "show", log, "--sample", "france")).isEmpty();
    assertThat(paged).content().contains("── 1 of 1 · france ").contains("\u001b[");
    assertThat(onTerminal("log", "show", log, "--no-pager")).contains("france");
    environment.put("WEIR_PAGER", "cat");
    assertThat(onTerminal("log", "show", log)).contains("france");
  }

  @Test
  void aPagerThatIsLeftEarlyIsNoFailure() throws Exception {
    Path log = evaluated("sim/x");
    environment.put("PAGER", "head -n 1 > /dev/null");
    assertThat(onTerminal("log", "show", log)).isEmpty();
  }

  /** On the clock of this machine: the pager is a process. */
  private String onTerminal(Object... words) {
    var out = new StringWriter();
    var err = new StringWriter();
    var surroundings =
        new Surroundings(
            Time.system(), new PrintWriter(out), new PrintWriter(err), environment, true);
    String[] texts = List.of(words).stream().map(Object::toString).toArray(String[]::new);
    assertThat(Weir.run(surroundings, texts)).as(err.toString()).isZero();
    return out.toString();
  }
}
