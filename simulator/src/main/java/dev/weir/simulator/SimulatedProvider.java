package dev.weir.simulator;

import dev.weir.model.Adapter;
import dev.weir.model.ModelName;
import dev.weir.model.spi.Provider;
import dev.weir.model.spi.Surroundings;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * The provider {@code sim}: models that answer in process.
 *
 * <p>Any model name will do. Settings follow a colon in the name, {@code
 * sim/demo:accuracy=0.7,rpm=600}, or come as arguments, which win.
 */
public final class SimulatedProvider implements Provider {

  @Override
  public Set<String> names() {
    return Set.of("sim");
  }

  @Override
  public String help(String name) {
    return "simulated models, in process: sim/demo:accuracy=0.7,rpm=600";
  }

  /** The quota, and how much of the credit is used. */
  @Override
  public boolean holdsState() {
    return true;
  }

  @Override
  public void check(ModelName name, Map<String, String> arguments) {
    var _ = settings(name, arguments);
  }

  @Override
  public Adapter open(ModelName name, Map<String, String> arguments, Surroundings surroundings) {
    return new SimulatedModel(
        name, settings(name, arguments), surroundings.time(), surroundings.seed());
  }

  private static SimulatedSettings settings(ModelName name, Map<String, String> arguments) {
    Map<String, String> settings = new LinkedHashMap<>(name.argumentsInName());
    settings.putAll(arguments);
    return SimulatedSettings.parse(name, settings);
  }
}
