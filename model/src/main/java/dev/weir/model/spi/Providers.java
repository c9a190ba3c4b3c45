package dev.weir.model.spi;

import dev.weir.model.ConfigurationException;
import dev.weir.model.ModelName;
import dev.weir.model.Spelling;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The providers on the class path. */
public final class Providers {

  private Providers() {}

  /**
   * @throws ConfigurationException if there is no provider of that name
   */
  public static Provider find(ModelName name) {
    Map<String, Provider> known =
        ServiceLoader.load(Provider.class).stream()
            .map(ServiceLoader.Provider::get)
            .collect(Collectors.toMap(Provider::name, Function.identity()));
    Provider provider = known.get(name.provider());
    if (provider == null) {
      throw new ConfigurationException(
          "model '%s': there is no provider '%s'%s"
              .formatted(name, name.provider(), Spelling.hint(name.provider(), known.keySet())));
    }
    return provider;
  }
}
