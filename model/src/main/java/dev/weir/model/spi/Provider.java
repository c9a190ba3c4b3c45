package dev.weir.model.spi;

import dev.weir.model.Adapter;
import dev.weir.model.ConfigurationException;
import dev.weir.model.ModelName;
import dev.weir.time.Time;
import java.util.Map;

/** Opens models of one provider; found with {@link java.util.ServiceLoader}. */
public interface Provider {

  /** The part of a model name before the slash. */
  String name();

  /**
   * @param arguments what the user gave with {@code -M key=value}
   * @throws ConfigurationException if the provider has no such model or argument
   */
  Adapter open(ModelName name, Map<String, String> arguments, Surroundings surroundings);

  /**
   * What a provider may use of the run it serves.
   *
   * @param seed the run's seed, for providers that simulate
   */
  record Surroundings(Time time, long seed) {}
}
