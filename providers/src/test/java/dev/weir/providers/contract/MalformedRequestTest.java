package dev.weir.providers.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limits.retry.Outcome;
import dev.weir.model.GenerationSettings;
import dev.weir.model.ModelName;
import dev.weir.model.Request;
import dev.weir.model.Response;
import dev.weir.model.Tool;
import dev.weir.model.ToolChoice;
import dev.weir.model.spi.Providers;
import dev.weir.model.spi.Surroundings;
import dev.weir.time.Time;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A request that cannot be written is a failure of that request, not of the program. */
class MalformedRequestTest {

  private static final Map<String, String> VARIABLES =
      Map.ofEntries(
          Map.entry("OPENAI_API_KEY", "key"),
          Map.entry("AZURE_OPENAI_API_KEY", "key"),
          Map.entry("AZURE_OPENAI_ENDPOINT", "http://127.0.0.1:1"),
          Map.entry("ANTHROPIC_API_KEY", "key"),
          Map.entry("GEMINI_API_KEY", "key"),
          Map.entry("VERTEX_ACCESS_TOKEN", "key"),
          Map.entry("GOOGLE_CLOUD_PROJECT", "project"),
          Map.entry("GOOGLE_CLOUD_LOCATION", "global"),
          Map.entry("MINE_BASE_URL", "http://127.0.0.1:1"),
          Map.entry("AWS_BEARER_TOKEN_BEDROCK", "key"),
          Map.entry("AWS_REGION", "us-east-1"));

  @TempDir private static Path folder;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "openai/gpt-4o",
        "openai/gpt-5",
        "anthropic/claude-sonnet-4-5",
        "google/gemini-2.5-flash",
        "bedrock/some-model",
        "azure/gpt-4o",
        "vertex/gemini-2.5-flash",
        "openai-api/mine/some-model",
        "exec:model.yaml"
      })
  void isToldAndNotThrown(String name) throws Exception {
    ModelName model = ModelName.parse(name.replace("exec:", "exec:" + folder + "/"));
    Files.writeString(folder.resolve("model.yaml"), "command: [cat]");
    var adapter =
        Providers.find(model)
            .open(model, Map.of(), new Surroundings(Time.system(), 1, VARIABLES, Optional.empty()));
    Request request = Request.of("hello");
    for (Request malformed :
        List.of(
            request.withTools(List.of(new Tool("t", "", "{")), new ToolChoice.Auto()),
            request.with(GenerationSettings.NONE.withExtraBody(Map.of("x", "{"))))) {
      assertThat(adapter.exchange(malformed))
          .isInstanceOfSatisfying(
              Response.InvalidRequest.class,
              invalid -> {
                assertThat(invalid.reach()).isEqualTo(Outcome.Reach.REQUEST);
                assertThat(invalid.message()).contains("cannot be written", "not JSON");
              });
    }
  }
}
