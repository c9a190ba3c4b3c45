package dev.weir.providers.http;

import dev.weir.model.ConfigurationException;
import dev.weir.model.ModelName;
import dev.weir.model.spi.Surroundings;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Optional;

/** Where a server is found. */
public final class BaseUrl {

  private BaseUrl() {}

  /**
   * What the user said with {@code --model-base-url}, else the variable, else the usual place.
   *
   * @return an http or https address with a host, without a slash at its end
   * @throws ConfigurationException if it is not one
   */
  public static String of(
      ModelName model, Surroundings surroundings, String variable, String usual) {
    Optional<URI> given = surroundings.baseUrl();
    if (given.isPresent()) {
      return checked(model, "--model-base-url", given.get().toString());
    }
    return surroundings
        .variable(variable)
        .map(value -> checked(model, variable, value.strip()))
        .orElse(usual);
  }

  /** As {@link #of}, for a server that has no usual place. */
  public static String required(ModelName model, Surroundings surroundings, String variable) {
    String url = of(model, surroundings, variable, "");
    if (url.isEmpty()) {
      throw new ConfigurationException(
          "model '%s' needs the address of its server: give --model-base-url or set %s"
              .formatted(model, variable));
    }
    return url;
  }

  private static String checked(ModelName model, String where, String text) {
    try {
      URI uri = new URI(text);
      boolean isWeb = "http".equals(uri.getScheme()) || "https".equals(uri.getScheme());
      if (isWeb && uri.getHost() != null && uri.getUserInfo() == null && uri.getQuery() == null) {
        return text.replaceAll("/+$", "");
      }
    } catch (URISyntaxException malformed) {
      // Reported below, like an address without a host.
    }
    throw new ConfigurationException(
        "model '%s': %s must be an address such as http://127.0.0.1:8080/v1, was '%s'"
            .formatted(model, where, withoutCredentials(text)));
  }

  /** A password in an address is one, and what follows a question mark may be. */
  private static String withoutCredentials(String text) {
    return text.replaceAll("//[^/]*@", "//…@").replaceAll("[?#].*$", "?…");
  }
}
