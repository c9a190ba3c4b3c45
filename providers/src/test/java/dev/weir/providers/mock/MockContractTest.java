package dev.weir.providers.mock;

import dev.weir.model.Adapter;
import dev.weir.model.ModelName;
import dev.weir.testkit.Feature;
import dev.weir.testkit.ProviderContract;
import dev.weir.testkit.Scene;
import dev.weir.time.Time;
import dev.weir.time.virtual.VirtualTime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Scripted models keep the contract: by echo, or by a reply that matches the prompt of a scene. */
class MockContractTest extends ProviderContract {

  private final Time time = VirtualTime.seeded(1);

  @TempDir Path folder;

  @BeforeEach
  void writeReplies() throws IOException {
    Files.writeString(
        replies(),
        """
        - match: ^call weather
          tool_calls: [{name: weather, arguments: {city: Lima}}]
        - match: ^refuse 401
          error: {kind: authentication, message: The key is wrong., status: 401}
        - match: ^refuse 429
          error: {kind: rate_limited, message: Slow down., status: 429, retry_after: 7}
        - match: ^refuse 503
          error: {kind: overloaded, message: Something broke., status: 503}
        - match: ^refuse
          error: {kind: transient, message: Something broke., status: 500}
        - match: ^unreadable
          error: {kind: unreadable_reply, message: It is a page.}
        - match: ^late
          text: late
          latency: 2m
        """);
  }

  private Path replies() {
    return folder.resolve("replies.yaml");
  }

  @Override
  protected ModelName model() {
    return ModelName.parse("mock/echo");
  }

  @Override
  protected Adapter open(Scene scene) {
    Map<String, String> arguments =
        scene instanceof Scene.Says ? Map.of() : Map.of("replies", replies().toString());
    return open(arguments, Map.of());
  }

  @Override
  protected String knownArgument() {
    return "exhausted";
  }

  @Override
  protected Time time() {
    return time;
  }

  @Override
  protected String prompt(Scene scene) {
    return switch (scene) {
      case Scene.Says(String text) -> text;
      case Scene.SaysWithNothingLeft(String text) -> text;
      case Scene.CallsTool(String tool, _) -> "call " + tool;
      case Scene.Refuses refusal -> "refuse " + refusal.status();
      case Scene.SendsPage _, Scene.BreaksOff _, Scene.SendsNonsense _, Scene.SendsTooMuch _ ->
          "unreadable";
      case Scene.TakesLong _ -> "late";
    };
  }

  @Override
  protected Map<Feature, String> lacking() {
    return Map.of(
        Feature.TOOL_CHOICE, "the script says which tools are called",
        Feature.IMAGES, "nothing is sent anywhere",
        Feature.WIRE, "there is no exchange behind a reply",
        Feature.QUOTAS, "a script has no quota",
        Feature.CREDENTIAL, "a script needs none");
  }
}
