package dev.weir.simulator;

import dev.weir.model.Adapter;
import dev.weir.model.ModelName;
import dev.weir.model.Request;
import dev.weir.testkit.Feature;
import dev.weir.testkit.ProviderContract;
import dev.weir.testkit.Scene;
import dev.weir.time.Time;
import dev.weir.time.virtual.VirtualTime;
import java.util.Map;

/** Simulated models keep the contract: one that is always right says what it is told to. */
class SimulatedProviderContractTest extends ProviderContract {

  private final Time time = VirtualTime.seeded(1);

  @Override
  protected ModelName model() {
    return ModelName.parse("sim/right:accuracy=1,rpm=60000,burst=100");
  }

  @Override
  protected String knownArgument() {
    return "latency";
  }

  @Override
  protected Time time() {
    return time;
  }

  @Override
  protected Request request(Scene scene) {
    return switch (scene) {
      case Scene.Says(String text) -> Request.of("What is it?").withTarget(text);
      case Scene.SaysWithNothingLeft(String text) -> Request.of("What is it?").withTarget(text);
      default -> Request.of("What is it?");
    };
  }

  @Override
  protected Adapter open(Scene scene) {
    Map<String, String> arguments =
        switch (scene) {
          case Scene.TakesLong _ -> Map.of("latency", "1h");
          case Scene.SaysWithNothingLeft _ -> Map.of("burst", "1", "rpm", "1");
          default -> Map.of();
        };
    return open(arguments, Map.of());
  }

  @Override
  protected Map<Feature, String> lacking() {
    return Map.of(
        Feature.TOOLS, "models in process call no tools",
        Feature.TOOL_CHOICE, "models in process call no tools",
        Feature.STREAMING, "an answer is one piece",
        Feature.IMAGES, "nothing is sent anywhere",
        Feature.MAX_TOKENS, "answers are as short as their target",
        Feature.WIRE, "there is no exchange behind an answer",
        Feature.REFUSALS, "refusals follow from rates, see SimulatedProviderTest",
        Feature.MALFORMED, "answers are never written and read",
        Feature.CREDENTIAL, "there is one account for all");
  }
}
