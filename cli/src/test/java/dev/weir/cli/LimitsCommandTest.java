package dev.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.eval.memory.LearnedLimits;
import dev.weir.eval.memory.LimitStore;
import dev.weir.limits.pace.PaceMemory;
import dev.weir.time.virtual.VirtualTime;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** {@code weir limits} on a real directory and virtual time. */
class LimitsCommandTest {

  @TempDir Path state;

  private final VirtualTime time = VirtualTime.seeded(1);

  private record Said(int code, String out, String err) {}

  private Said weir(String... words) throws Exception {
    var out = new StringWriter();
    var err = new StringWriter();
    var surroundings =
        new Surroundings(
            time,
            new PrintWriter(out),
            new PrintWriter(err),
            Map.of("WEIR_STATE_DIR", state.toString()),
            false);
    int code = time.run(() -> Weir.run(surroundings, words));
    return new Said(code, out.toString(), err.toString());
  }

  private void write(String scope, String model, Duration age, PaceMemory memory) throws Exception {
    var aged =
        new PaceMemory(
            memory.version(),
            time.instant().minus(age).toEpochMilli(),
            memory.requestsPerSecond(),
            memory.tokensPerSecond(),
            memory.cap());
    new LimitStore(state.resolve("limits"), time)
        .write(new LearnedLimits(scope, model, "api.example", aged));
  }

  private static PaceMemory rate(double requestsPerMinute) {
    return new PaceMemory(
        PaceMemory.VERSION,
        0,
        OptionalDouble.of(requestsPerMinute / 60),
        OptionalDouble.empty(),
        OptionalInt.empty());
  }

  private void fill() throws Exception {
    write("openai@3f9a0c51d2e7/gpt-4o", "openai/gpt-4o", Duration.ofMinutes(5), rate(500));
    write("openai@aaaaaaaaaaaa/gpt-4o", "openai/gpt-4o", Duration.ofDays(2), rate(100));
    write(
        "anthropic@3f9a0c51d2e7#sonnet-4",
        "anthropic/claude-sonnet-4-5",
        Duration.ofHours(3),
        new PaceMemory(
            PaceMemory.VERSION,
            0,
            OptionalDouble.empty(),
            OptionalDouble.of(30_000 / 60.0),
            OptionalInt.of(12)));
  }

  @Test
  void showsATable() throws Exception {
    fill();
    Said said = weir("limits", "show");
    assertThat(said.code()).isZero();
    assertThat(said.out().lines().map(line -> line.replaceAll(" {2,}", " | ")))
        .containsExactly(
            "model | host | account | rpm | tpm | cap | learned | a run starts with",
            "anthropic/claude-sonnet-4-5 (pool sonnet-4) | api.example | 3f9a0c | - | 30k | 12 | 3"
                + " hours ago | 23k tpm, 11 in flight",
            "openai/gpt-4o | api.example | 3f9a0c | 500 | - | - | 5 min ago | 400 rpm",
            "openai/gpt-4o | api.example | aaaaaa | 100 | - | - | 2 days ago | 40 rpm");
  }

  @Test
  void showsOneModelAsJson() throws Exception {
    fill();
    JsonNode document =
        new JsonMapper().readTree(weir("limits", "show", "openai/gpt-4o", "--json").out());
    assertThat(document.get("directory").asString()).isEqualTo(state.resolve("limits").toString());
    assertThat(document.get("limits").size()).isEqualTo(2);
    JsonNode first = document.get("limits").get(0);
    assertThat(first.get("account").asString()).isEqualTo("3f9a0c51d2e7");
    assertThat(first.get("host").asString()).isEqualTo("api.example");
    assertThat(first.get("requests_per_minute").asDouble()).isEqualTo(500);
    assertThat(first.get("tokens_per_minute").isNull()).isTrue();
    assertThat(first.get("learned").asString()).isEqualTo("2025-12-31T23:55:00Z");
    assertThat(first.get("start").get("requests_per_minute").asDouble()).isEqualTo(400);
  }

  @Test
  void forgetsAModelOrAll() throws Exception {
    fill();
    assertThat(weir("limits", "forget", "openai/gpt-4o").out()).startsWith("Removed 2 files from");
    assertThat(weir("limits", "show").out()).contains("anthropic").doesNotContain("openai");
    assertThat(weir("limits", "forget", "--all", "--json").out()).contains("\"removed\" : 1");
    assertThat(weir("limits", "show").out()).startsWith("No limits are saved in " + state);
    assertThat(weir("limits", "forget", "--all").out()).startsWith("Removed 0 files");
  }

  @Test
  void reportsUnusableFilesAndRemovesThem() throws Exception {
    fill();
    Path bad = Files.writeString(state.resolve("limits/bad.limits"), "?");
    Said said = weir("limits", "show");
    assertThat(said.code()).isZero();
    assertThat(said.err())
        .startsWith("weir: %s is not a file of learned limits, and is ignored".formatted(bad))
        .contains("weir limits forget --unusable");
    assertThat(weir("limits", "forget", "--unusable").out()).startsWith("Removed 1 file from");
    assertThat(bad).doesNotExist();
    assertThat(weir("limits", "show").out()).contains("openai/gpt-4o");
  }

  @Test
  void rejectsWhatIsAmbiguousOrUnknown() throws Exception {
    fill();
    for (String[] words :
        new String[][] {
          {"limits"},
          {"limits", "forget"},
          {"limits", "forget", "--all", "openai/gpt-4o"},
          {"limits", "show", "openai/gpt-4"}
        }) {
      Said said = weir(words);
      assertThat(said.code()).as(String.join(" ", words)).isEqualTo(ExitCode.USAGE);
      assertThat(said.err()).startsWith("weir: ");
    }
    assertThat(weir("limits", "show", "openai/gpt-4").err())
        .contains("no limits are saved for the model 'openai/gpt-4'", "openai/gpt-4o");
  }
}
