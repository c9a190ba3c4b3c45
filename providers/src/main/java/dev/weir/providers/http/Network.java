package dev.weir.providers.http;

import dev.weir.model.ConfigurationException;
import java.util.Map;
import java.util.Properties;

/** What lies between us and the servers. Two that are equal can share their connections. */
record Network(Proxies proxies, Trust trust) {

  /**
   * @param properties Java's own
   * @throws ConfigurationException if they cannot be used
   */
  static Network of(Map<String, String> environment, Properties properties) {
    return new Network(Proxies.of(environment, properties), Trust.of(environment));
  }
}
