package dev.weir.model.spi;

import dev.weir.model.ConfigurationException;
import dev.weir.model.ModelName;
import dev.weir.model.Spelling;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.TreeMap;

/** The providers on the class path. */
public final class Providers {

  private Providers() {}

  /** All of them by the names they answer to. */
  public static Map<String, Provider> all() {
    Map<String, Provider> known = new TreeMap<>();
    for (Provider provider : ServiceLoader.load(Provider.class)) {
      provider.names().forEach(name -> known.put(name, provider));
    }
    return known;
  }

  /**
   * @throws ConfigurationException if there is no provider of that name
   */
  public static Provider find(ModelName name) {
    Map<String, Provider> known = all();
    Provider provider = known.get(name.provider());
    if (provider == null) {
      throw new ConfigurationException(
          "model '%s': there is no provider '%s'%s"
              .formatted(name, name.provider(), Spelling.hint(name.provider(), known.keySet())));
    }
    return provider;
  }
}
