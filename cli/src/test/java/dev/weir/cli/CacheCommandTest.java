package dev.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.model.cache.CacheAge;
import dev.weir.model.cache.CacheKey;
import dev.weir.model.cache.ResponseCache;
import dev.weir.model.cache.ResponseCache.Lookup;
import dev.weir.model.cache.ResponseCache.Settings;
import dev.weir.time.Time;
import dev.weir.time.virtual.VirtualTime;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** {@code weir cache} on a real directory and virtual time. */
class CacheCommandTest {

  @TempDir Path home;

  private final VirtualTime time = VirtualTime.seeded(1);
  private final Map<String, String> environment = new HashMap<>();
  private Path directory = Path.of("");

  private record Said(int code, String out, String err) {}

  @BeforeEach
  void setHome() {
    environment.put("HOME", home.toString());
    directory = home.resolve(".cache/weir/responses");
  }

  private Said weir(String... words) throws Exception {
    var out = new StringWriter();
    var err = new StringWriter();
    int code =
        time.run(
            () ->
                Weir.run(
                    new Surroundings(
                        time, new PrintWriter(out), new PrintWriter(err), environment, false),
                    words));
    return new Said(code, out.toString(), err.toString());
  }

  /** Two answers of one model, three days apart, and one of another. */
  private void fill() throws Exception {
    time.run(
        () -> {
          ResponseCache cache =
              ResponseCache.open(
                  time, directory, new Settings(CacheAge.DEFAULT, Settings.DEFAULT_MAX_BYTES));
          put(cache, "openai/gpt-4o", "one");
          time.sleep(Duration.ofDays(3));
          put(cache, "openai/gpt-4o", "two");
          put(cache, "anthropic/claude\u001b[31m", "three");
        });
  }

  private static void put(ResponseCache cache, String model, String text)
      throws InterruptedException {
    CacheKey key = CacheKey.of(text.getBytes(StandardCharsets.UTF_8));
    if (cache.look(key, Time.NEVER) instanceof Lookup.Miss(ResponseCache.Flight flight)) {
      try (flight) {
        flight.land(model, text);
      }
    }
  }

  @Test
  void listsByModel() throws Exception {
    fill();
    Said said = weir("cache", "list");
    assertThat(said.code()).isZero();
    assertThat(said.out())
        .isEqualToNormalizingNewlines(
            """
            model                   entries        size  oldest                newest
            anthropic/claude\uFFFD[31m         1       4 KiB  2026-01-04T00:00:00Z  2026-01-04T00:00:00Z
            openai/gpt-4o                 2       8 KiB  2026-01-01T00:00:00Z  2026-01-04T00:00:00Z
            """);
  }

  @Test
  void listsAsJson() throws Exception {
    fill();
    JsonNode document = new JsonMapper().readTree(weir("cache", "list", "--json").out());
    assertThat(document.get("directory").asString()).isEqualTo(directory.toString());
    assertThat(document.get("entries").asInt()).isEqualTo(3);
    assertThat(document.get("bytes").asInt()).isEqualTo(3 * 4096);
    assertThat(document.get("max_bytes").asLong()).isEqualTo(1L << 30);
    JsonNode model = document.get("models").get(1);
    assertThat(model.get("model").asString()).isEqualTo("openai/gpt-4o");
    assertThat(model.get("oldest").asString()).isEqualTo("2026-01-01T00:00:00Z");
  }

  @Test
  void looksAtNothingThatIsNotThere() throws Exception {
    assertThat(weir("cache", "list").out()).contains("Nothing is kept in " + directory);
    assertThat(weir("cache", "clear").out()).contains("Removed 0 entries");
    assertThat(weir("cache", "prune").out()).contains("Removed 0 entries");
    assertThat(weir("cache", "path").out().strip()).isEqualTo(directory.toString());
    assertThat(home).isEmptyDirectory();
  }

  @Test
  void prunesWhatIsTooOld() throws Exception {
    fill();
    assertThat(weir("cache", "prune").out()).startsWith("Removed 0 entries (0 KiB) from ");
    assertThat(weir("cache", "prune", "--older-than", "2d").out())
        .isEqualToNormalizingNewlines("Removed 1 entry (4 KiB) from " + directory + "\n");
    JsonNode rest =
        new JsonMapper().readTree(weir("cache", "prune", "--older-than", "2d", "--json").out());
    assertThat(rest.get("removed").asInt()).isZero();
    Said wrong = weir("cache", "prune", "--older-than", "old");
    assertThat(wrong.code()).isEqualTo(ExitCode.USAGE);
    assertThat(wrong.err()).contains("--older-than must be an age such as", "was 'old'");
  }

  @Test
  void clearsOneModelOrAll() throws Exception {
    fill();
    Said wrong = weir("cache", "clear", "--model", "openai/gpt-40");
    assertThat(wrong.code()).isEqualTo(ExitCode.USAGE);
    assertThat(wrong.err())
        .contains("nothing is kept of the model 'openai/gpt-40'; did you mean 'openai/gpt-4o'?");
    assertThat(weir("cache", "clear", "--model", "openai/gpt-4o").out())
        .startsWith("Removed 2 entries (8 KiB)");
    environment.put("WEIR_JSON", "1");
    JsonNode rest = new JsonMapper().readTree(weir("cache", "clear").out());
    assertThat(rest.get("removed").asInt()).isEqualTo(1);
    assertThat(rest.get("bytes").asInt()).isEqualTo(4096);
  }

  @Test
  void showsWhatCannotBeRead() throws Exception {
    Path folder = Files.createDirectories(directory.resolve("00"));
    Files.writeString(folder.resolve("0".repeat(64) + ".entry"), "damaged");
    assertThat(weir("cache", "list").out()).contains("(unreadable)");
    assertThat(weir("cache", "prune", "--older-than", "never").out()).contains("Removed 1 entry");
  }

  @Test
  void badPlacesAndWordsAreTold() throws Exception {
    Said none = weir("cache");
    assertThat(none.code()).isEqualTo(ExitCode.USAGE);
    assertThat(none.err()).contains("there are list, clear, prune and path");
    assertThat(weir("cache", "lst").err()).contains("did you mean 'list'?");
    Path file = Files.writeString(home.resolve("file"), "");
    environment.put("WEIR_CACHE_DIR", file.toString());
    Said said = weir("cache", "list");
    assertThat(said.code()).isEqualTo(ExitCode.USAGE);
    assertThat(said.err()).contains("is a file; choose another one with WEIR_CACHE_DIR");
    environment.clear();
    assertThat(weir("cache", "path").err()).contains("HOME is not set; set WEIR_CACHE_DIR");
  }

  @ParameterizedTest
  @ValueSource(strings = {"list", "clear", "prune", "path"})
  void eachHasHelpWithExamples(String command) throws Exception {
    Said said = weir("cache", command, "--help");
    assertThat(said.code()).isZero();
    assertThat(said.out()).contains("Usage: weir cache " + command, "Examples:", "  weir cache ");
    assertThat(weir("cache", "--help").out()).contains(command, "Examples:");
    assertThat(weir("help", "cache").out()).isEqualTo(weir("cache", "--help").out());
  }
}
