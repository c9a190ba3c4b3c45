package dev.weir.model.spi;

import dev.weir.model.Adapter;
import dev.weir.model.ConfigurationException;
import dev.weir.model.GenerationSettings;
import dev.weir.model.ModelName;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;

/** Opens models of one provider, or of several that are alike; found with ServiceLoader. */
public interface Provider {

  /** The parts of a model name before the slash that it answers to. */
  Set<String> names();

  /** One line of help: {@code "OpenAI; needs OPENAI_API_KEY"}. */
  String help(String name);

  /**
   * The most tokens that an answer of a model may have, as the provider would be told: what the
   * settings say, or what goes in their place. Known without a credential.
   */
  default OptionalInt maxTokens(ModelName name, GenerationSettings settings) {
    return settings.maxTokens();
  }

  /**
   * Whether the models that it opens are limited, see {@link Adapter#isLimited()}. Known without a
   * credential.
   *
   * @param arguments as for {@link #open}
   * @throws ConfigurationException if it has no such model or argument
   */
  default boolean isLimited(ModelName name, Map<String, String> arguments) {
    return true;
  }

  /**
   * Whether an adapter holds what belongs to the provider, such as a quota. All users of a model
   * within an evaluation then share the adapter if name, arguments and address are the same.
   */
  default boolean holdsState() {
    return false;
  }

  /**
   * Refuses what {@link #open} would refuse in a name and its arguments, as far as that is known
   * without a credential: nothing is opened when a run is only foretold.
   *
   * @throws ConfigurationException as {@link #open} would
   */
  default void check(ModelName name, Map<String, String> arguments) {}

  /**
   * @param name one whose first part is among {@link #names()}
   * @param arguments what the user gave with {@code -M key=value}
   * @throws ConfigurationException if the provider has no such model or argument, or a credential
   *     is missing
   */
  Adapter open(ModelName name, Map<String, String> arguments, Surroundings surroundings);
}
