package dev.weir.providers.http;

import dev.weir.model.ConfigurationException;
import dev.weir.model.Secret;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.hc.client5.http.auth.UsernamePasswordCredentials;
import org.apache.hc.core5.http.HttpHost;
import org.jspecify.annotations.Nullable;

/**
 * One to ask instead of the server itself.
 *
 * @param user whom it is told at once; empty if it asks for nobody
 */
record ProxyServer(HttpHost host, String user, Secret password) {

  private static final int USUAL_PORT = 80;

  /**
   * @param where what the user gave it with
   * @param text {@code http://user:password@proxy:3128}; all but the name may be missing
   */
  static ProxyServer parse(String where, String text) {
    String stripped = text.strip();
    try {
      URI uri = new URI(stripped.contains("://") ? stripped : "http://" + stripped);
      if ("http".equalsIgnoreCase(uri.getScheme()) && uri.getHost() != null) {
        int port = uri.getPort() < 0 ? USUAL_PORT : uri.getPort();
        String userInfo = uri.getRawUserInfo() == null ? "" : uri.getRawUserInfo();
        int colon = userInfo.indexOf(':');
        return new ProxyServer(
            new HttpHost("http", uri.getHost(), port),
            decoded(colon < 0 ? userInfo : userInfo.substring(0, colon)),
            new Secret(colon < 0 ? "" : decoded(userInfo.substring(colon + 1))));
      }
    } catch (URISyntaxException | IllegalArgumentException malformed) {
      // Reported below; its message would hold the password.
    }
    throw new ConfigurationException(
        "%s must be the address of an HTTP proxy such as http://proxy.example:3128, was '%s'"
            .formatted(where, stripped.replaceAll("(?s)^(\\w+://)?.*@", "$1…@")));
  }

  /** What it is told at once; nothing if it asks for nobody. */
  @Nullable UsernamePasswordCredentials credentials() {
    return user.isEmpty()
        ? null
        : new UsernamePasswordCredentials(user, password.reveal().toCharArray());
  }

  /** The password, and what the header makes of user and password together. */
  List<Secret> secrets() {
    return password.isEmpty()
        ? List.of()
        : List.of(password, new Secret(user + ":" + password.reveal()));
  }

  /** A plus is a plus, unlike in forms. */
  private static String decoded(String text) {
    return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
  }
}
