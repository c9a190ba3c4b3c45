package dev.weir.providers.http;

import java.net.InetAddress;
import java.util.Locale;
import java.util.Optional;

/**
 * One word of {@code NO_PROXY}.
 *
 * @param name of a host, which stands for the hosts below it too; a star for all; an address or, as
 *     in {@code 10.0.0.0/8}, a network
 * @param port the only one that is meant; 0 for any
 */
record DirectHost(String name, int port) {

  static Optional<DirectHost> parse(String word) {
    String text = word.strip().toLowerCase(Locale.ROOT);
    int port = 0;
    int colon = text.lastIndexOf(':');
    // Not within an address of version 6.
    if (colon > 0 && (text.indexOf(':') == colon || text.charAt(colon - 1) == ']')) {
      try {
        port = Integer.parseInt(text.substring(colon + 1));
      } catch (NumberFormatException notAPort) {
        return Optional.empty();
      }
      text = text.substring(0, colon);
    }
    String name = text.replaceAll("^\\[|\\]$", "").replaceAll("^\\*?\\.", "");
    return name.isEmpty() ? Optional.empty() : Optional.of(new DirectHost(name, port));
  }

  boolean matches(String host, int hostPort) {
    if (port != 0 && port != hostPort) {
      return false;
    }
    String asked = host.toLowerCase(Locale.ROOT).replaceAll("^\\[|\\]$", "");
    return name.equals("*")
        || asked.equals(name)
        || asked.endsWith("." + name)
        || (name.endsWith("*") && asked.startsWith(name.substring(0, name.length() - 1)))
        || isInNetwork(asked);
  }

  private boolean isInNetwork(String asked) {
    int slash = name.indexOf('/');
    if (slash < 0) {
      return false;
    }
    try {
      byte[] network = InetAddress.ofLiteral(name.substring(0, slash)).getAddress();
      byte[] address = InetAddress.ofLiteral(asked).getAddress();
      int bits = Integer.parseInt(name.substring(slash + 1));
      return network.length == address.length && sharePrefix(network, address, bits);
    } catch (IllegalArgumentException neither) {
      return false;
    }
  }

  private static boolean sharePrefix(byte[] network, byte[] address, int bits) {
    for (int bit = 0; bit < Math.min(bits, 8 * network.length); bit++) {
      int mask = 0x80 >> (bit % 8);
      if ((network[bit / 8] & mask) != (address[bit / 8] & mask)) {
        return false;
      }
    }
    return true;
  }
}
