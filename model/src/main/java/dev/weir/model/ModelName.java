package dev.weir.model;

import java.util.LinkedHashMap;
import java.util.Map;
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

  /** The model without what follows a colon: {@code demo} of {@code sim/demo:rpm=60}. */
  public String plain() {
    int colon = model.indexOf(':');
    return colon < 0 ? model : model.substring(0, colon);
  }

  /**
   * What follows a colon, for providers that take arguments there: {@code rpm=60} of {@code
   * sim/demo:rpm=60}.
   *
   * @throws ConfigurationException if that is not of the form {@code key=value,key=value}
   */
  public Map<String, String> argumentsInName() {
    int colon = model.indexOf(':');
    Map<String, String> arguments = new LinkedHashMap<>();
    if (colon < 0) {
      return arguments;
    }
    for (String pair : model.substring(colon + 1).split(",", -1)) {
      int equals = pair.indexOf('=');
      if (equals < 1) {
        throw new ConfigurationException(
            "model '%s': '%s' is not of the form key=value, as in sim/demo:accuracy=0.7"
                .formatted(this, pair));
      }
      arguments.put(pair.substring(0, equals).strip(), pair.substring(equals + 1).strip());
    }
    return arguments;
  }

  @Override
  public String toString() {
    return provider + "/" + model;
  }
}
