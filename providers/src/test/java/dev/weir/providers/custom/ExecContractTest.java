package dev.weir.providers.custom;

import dev.weir.model.ModelName;
import dev.weir.testkit.Feature;
import dev.weir.testkit.ProviderContract;
import dev.weir.testkit.Scene;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Programs keep the contract; this one is a shell script that does what its prompt says. */
class ExecContractTest extends ProviderContract {

  @TempDir Path folder;

  @BeforeEach
  void writeProgram() {
    ExecFolder.fill(
        folder,
        "command: [./model.sh]",
        "env: {MODEL_KEY: '${WEIR_TEST_KEY}'}",
        "max_output: 200000");
  }

  @Override
  protected ModelName model() {
    return ModelName.parse("exec:" + folder.resolve("model.yaml"));
  }

  @Override
  protected String knownArgument() {
    return "timeout";
  }

  @Override
  protected Map<String, String> environment(String credential) {
    return Map.of("WEIR_TEST_KEY", credential);
  }

  @Override
  protected String prompt(Scene scene) {
    return switch (scene) {
      case Scene.Says(String text) -> "say " + text;
      case Scene.SaysWithNothingLeft(String text) -> "left " + text;
      case Scene.CallsTool(String tool, _) -> "call " + tool;
      case Scene.Refuses refusal ->
          "refuse %d %d %s"
              .formatted(refusal.status(), refusal.retryAfter().toSeconds(), refusal.message());
      case Scene.SendsPage _ -> "page";
      case Scene.BreaksOff _ -> "break";
      case Scene.SendsNonsense _ -> "nonsense";
      case Scene.SendsTooMuch _ -> "much";
      case Scene.TakesLong _ -> "long";
    };
  }

  @Override
  protected Map<Feature, String> lacking() {
    return Map.of(
        Feature.STREAMING, "a program answers at once",
        Feature.WIRE, "a program has no status and no request id");
  }
}
