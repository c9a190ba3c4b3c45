package dev.weir.model;

/**
 * A model as people name it: {@code provider/model}.
 *
 * @param provider the part before the first slash
 * @param model everything after it; the provider gives it a meaning
 */
public record ModelName(String provider, String model) {

  public static ModelName parse(String text) {
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
