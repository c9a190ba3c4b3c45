package dev.weir.providers.http;

import dev.weir.model.ConfigurationException;
import dev.weir.model.Secret;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import org.apache.hc.client5.http.impl.routing.DefaultRoutePlanner;
import org.apache.hc.client5.http.routing.HttpRoutePlanner;
import org.apache.hc.core5.http.HttpHost;
import org.apache.hc.core5.http.protocol.HttpContext;
import org.jspecify.annotations.Nullable;

/**
 * Which servers are asked through a proxy. This machine is always asked directly.
 *
 * @param http for addresses in clear
 * @param https for addresses with TLS
 * @param direct who is asked directly
 */
record Proxies(@Nullable ProxyServer http, @Nullable ProxyServer https, List<DirectHost> direct) {

  /**
   * What Java was told ({@code -Dhttps.proxyHost}), else what all programs are told ({@code
   * HTTPS_PROXY}).
   *
   * @throws ConfigurationException if an address is not one
   */
  static Proxies of(Map<String, String> environment, Properties properties) {
    List<DirectHost> direct = new ArrayList<>();
    for (String word : variable(environment, "no_proxy").split("[,\\s]+", -1)) {
      DirectHost.parse(word).ifPresent(direct::add);
    }
    for (String word : properties.getProperty("http.nonProxyHosts", "").split("\\|", -1)) {
      DirectHost.parse(word).ifPresent(direct::add);
    }
    return new Proxies(
        server("http", environment, properties),
        server("https", environment, properties),
        List.copyOf(direct));
  }

  private static @Nullable ProxyServer server(
      String scheme, Map<String, String> environment, Properties properties) {
    String host = properties.getProperty(scheme + ".proxyHost", "");
    if (!host.isBlank()) {
      String usual = scheme.equals("https") ? "443" : "80";
      String port = properties.getProperty(scheme + ".proxyPort", usual);
      return ProxyServer.parse("-D" + scheme + ".proxyHost and proxyPort", host + ":" + port);
    }
    String name = scheme + "_proxy";
    String address = variable(environment, name);
    return address.isBlank() ? null : ProxyServer.parse(name.toUpperCase(Locale.ROOT), address);
  }

  /** In lower case, as it once was, or in upper case. */
  private static String variable(Map<String, String> environment, String name) {
    String value = environment.getOrDefault(name, "");
    return value.isBlank() ? environment.getOrDefault(name.toUpperCase(Locale.ROOT), "") : value;
  }

  /** Whom to ask for a server; nobody if it is to be asked directly. */
  @Nullable ProxyServer of(HttpHost target) {
    ProxyServer proxy = "https".equalsIgnoreCase(target.getSchemeName()) ? https : http;
    return proxy == null || isThisMachine(target.getHostName()) || isDirect(target) ? null : proxy;
  }

  /** What is told to any of them. */
  Secret secret() {
    List<Secret> secrets = new ArrayList<>();
    if (http != null) {
      secrets.addAll(http.secrets());
    }
    if (https != null) {
      secrets.addAll(https.secrets());
    }
    return Secret.all(secrets);
  }

  HttpRoutePlanner routes() {
    return new DefaultRoutePlanner(null) {
      @Override
      protected @Nullable HttpHost determineProxy(HttpHost target, HttpContext context) {
        ProxyServer proxy = of(target);
        return proxy == null ? null : proxy.host();
      }
    };
  }

  private boolean isDirect(HttpHost target) {
    int usual = "https".equalsIgnoreCase(target.getSchemeName()) ? 443 : 80;
    int port = target.getPort() < 0 ? usual : target.getPort();
    return direct.stream().anyMatch(host -> host.matches(target.getHostName(), port));
  }

  private static boolean isThisMachine(String name) {
    try {
      return name.equalsIgnoreCase("localhost") || InetAddress.ofLiteral(name).isLoopbackAddress();
    } catch (IllegalArgumentException notAnAddress) {
      return false;
    }
  }
}
