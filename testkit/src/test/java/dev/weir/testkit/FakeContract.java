package dev.weir.testkit;

import dev.weir.model.ModelName;
import dev.weir.time.Time;
import dev.weir.time.virtual.VirtualTime;
import java.util.Map;

/** The suite for a provider that breaks one promise, or none. */
class FakeContract extends ProviderContract {

  private final Sabotage sabotage;
  private final Time time = VirtualTime.seeded(1);

  FakeContract(Sabotage sabotage) {
    this.sabotage = sabotage;
  }

  @Override
  protected ModelName model() {
    return ModelName.parse(
        sabotage == Sabotage.HELPS_IN_TWO_LINES ? "two-lines/model" : "fake/model");
  }

  @Override
  protected String knownArgument() {
    return "colour";
  }

  @Override
  protected Map<String, String> arguments() {
    return Map.of("sabotage", sabotage.name());
  }

  @Override
  protected Map<String, String> environment(String credential) {
    return Map.of(FakeProvider.VARIABLE, credential);
  }

  @Override
  protected Time time() {
    return time;
  }

  @Override
  protected String prompt(Scene scene) {
    return switch (scene) {
      case Scene.Says(String text) -> "say " + text;
      case Scene.SaysWithNothingLeft(String text) -> "left " + text;
      case Scene.CallsTool(String tool, String arguments) ->
          "call %s %s".formatted(tool, arguments);
      case Scene.Refuses refusal ->
          "refuse %d %d %s"
              .formatted(refusal.status(), refusal.retryAfter().toSeconds(), refusal.message());
      case Scene.SendsPage _, Scene.SendsNonsense _ -> "page";
      case Scene.BreaksOff _ -> "break";
      case Scene.SendsTooMuch _ -> "much";
      case Scene.TakesLong _ -> "long";
    };
  }

  @Override
  protected Map<Feature, String> lacking() {
    return switch (sabotage) {
      case CLAIMS_TO_LACK_TOOLS -> Map.of(Feature.TOOLS, "so it says");
      case GIVES_NO_REASON -> Map.of(Feature.TOOLS, " ");
      default -> Map.of();
    };
  }
}
