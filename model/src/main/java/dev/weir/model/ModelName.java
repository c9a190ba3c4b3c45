package dev.weir.model;

import java.util.Set;

/**
 * A model as people name it: {@code provider/model}. Those that are configured in a file may be
 * written with a colon, {@code exec:model.yaml}, which is {@code exec/model.yaml}.
 *
 * @param provider the part before the first slash
 * @param model everything after it; the provider gives it a meaning
 */
public record ModelName(String provider, String model) {

  private static final Set<String> CONFIGURED_IN_A_FILE = Set.of("exec", "http");

  public static ModelName parse(String text) {
    int colon = text.indexOf(':');
    if (colon > 0
        && colon < text.length() - 1
        && CONFIGURED_IN_A_FILE.contains(text.substring(0, colon))) {
      return new ModelName(text.substring(0, colon), text.substring(colon + 1));
    }
    int slash = text.indexOf('/');
    if (slash < 1 || slash == text.length() - 1) {
      throw new ConfigurationException(
          "model '%s' is not of the form provider/model, for example sim/demo".formatted(text));
    }
    return new ModelName(text.substring(0, slash), text.substring(slash + 1));
  }

  @Override
  public String toString() {
    return provider + "/" + model;
  }
}
