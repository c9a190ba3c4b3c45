package dev.weir.providers.http;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.apache.hc.client5.http.DnsResolver;

/**
 * Asks the system for addresses, on a thread of its own: the system knows no interrupt, and takes
 * its time when nobody answers. Thread-safe.
 */
final class HostNames implements DnsResolver {

  @Override
  public InetAddress[] resolve(String host) throws UnknownHostException {
    try {
      return new InetAddress[] {InetAddress.ofLiteral(host)};
    } catch (IllegalArgumentException notAnAddress) {
      return asked(host);
    }
  }

  @Override
  public String resolveCanonicalHostname(String host) {
    return host;
  }

  private static InetAddress[] asked(String host) throws UnknownHostException {
    var answer = new CompletableFuture<InetAddress[]>();
    Thread.ofVirtual()
        .name("address of " + host)
        .start(
            () -> {
              try {
                answer.complete(InetAddress.getAllByName(host));
              } catch (UnknownHostException | RuntimeException unknown) {
                answer.completeExceptionally(unknown);
              }
            });
    try {
      return answer.get();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new UnknownHostException("cancelled while asking for the address of " + host);
    } catch (ExecutionException unknown) {
      var failed = new UnknownHostException("there is no host " + host);
      failed.initCause(unknown.getCause());
      throw failed;
    }
  }
}
