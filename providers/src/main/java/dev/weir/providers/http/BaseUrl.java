package dev.weir.providers.http;

import dev.weir.model.ConfigurationException;
import dev.weir.model.ModelName;
import dev.weir.model.spi.Surroundings;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Where a server is found. */
public final class BaseUrl {

  private static final Pattern HOST_AND_PORT =
      Pattern.compile("(?:\\[[0-9A-Fa-f:.%]+]|[A-Za-z0-9._~-]+)(?::(\\d{1,5}))?");

  private static final int MOST_PORT = 65_535;

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
      if (isServer(uri) && uri.getQuery() == null) {
        return text.replaceAll("/+$", "");
      }
    } catch (URISyntaxException malformed) {
      // Reported below, like an address without a host.
    }
    throw new ConfigurationException(
        "model '%s': %s must be an address such as http://127.0.0.1:8080/v1, was '%s'"
            .formatted(model, where, withoutCredentials(text)));
  }

  /**
   * Whether this is an http or https address that can be asked: with a host, which may have
   * underscores as in many networks of containers; without a password, which would be shown with
   * it; without a fragment, which no server sees.
   */
  public static boolean isServer(URI uri) {
    boolean isWeb = "http".equals(uri.getScheme()) || "https".equals(uri.getScheme());
    String authority = uri.getRawAuthority();
    if (!isWeb || authority == null || uri.getRawFragment() != null) {
      return false;
    }
    Matcher server = HOST_AND_PORT.matcher(authority);
    return server.matches() && (server.group(1) == null || isPort(server.group(1)));
  }

  private static boolean isPort(String digits) {
    int port = Integer.parseInt(digits);
    return port > 0 && port <= MOST_PORT;
  }

  /**
   * Refuses a name that would lead elsewhere as a part of an address: {@code a/../b}.
   *
   * @param what such as {@code the name of the model}
   * @throws ConfigurationException if it does
   */
  public static void requireStaysInPlace(ModelName model, String what, String path) {
    for (String segment : path.split("/", -1)) {
      if (segment.isEmpty() || segment.equals(".") || segment.equals("..")) {
        throw new ConfigurationException(
            "model '%s': %s must have no empty part and no '.' or '..' between slashes, was '%s'"
                .formatted(model, what, path));
      }
    }
  }

  /**
   * An address as it may be shown: what stands before the last {@code @} may be a password, with or
   * without a scheme before it, and what follows a question mark may be a key.
   */
  public static String withoutCredentials(String address) {
    String shown = address.replaceFirst("(?s)^(\\w[\\w+.-]*://)?.*@", "$1…@");
    return shown.replaceFirst("(?s)[?#].*$", "?…");
  }
}
