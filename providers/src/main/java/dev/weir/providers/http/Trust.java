package dev.weir.providers.http;

import dev.weir.model.ConfigurationException;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;
import org.apache.hc.client5.http.ssl.DefaultClientTlsStrategy;
import org.apache.hc.client5.http.ssl.HostnameVerificationPolicy;
import org.apache.hc.client5.http.ssl.HttpsSupport;
import org.apache.hc.client5.http.ssl.TlsSocketStrategy;
import org.apache.hc.core5.http.protocol.HttpContext;
import org.jspecify.annotations.Nullable;

/**
 * Whose certificates are believed: those of Java's trust store and, beside them, the user's own.
 * Certificates and host names are always verified. Two with the same certificates are equal.
 * Thread-safe.
 */
final class Trust implements TlsSocketStrategy {

  private static final List<String> VARIABLES =
      List.of("WEIR_CA_BUNDLE", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE");

  private final List<Certificate> added;

  // Made with the first secure connection: it takes a moment that others need not wait.
  private volatile @Nullable TlsSocketStrategy strategy;

  private Trust(List<Certificate> added) {
    this.added = List.copyOf(added);
  }

  /**
   * @param environment the first of the usual variables in it names a file
   * @throws ConfigurationException if there are no certificates in that file
   */
  static Trust of(Map<String, String> environment) {
    for (String variable : VARIABLES) {
      String file = environment.getOrDefault(variable, "");
      if (!file.isBlank()) {
        return new Trust(read(variable, Path.of(file.strip())));
      }
    }
    return new Trust(List.of());
  }

  private static List<Certificate> read(String variable, Path file) {
    try (InputStream in = Files.newInputStream(file)) {
      Collection<? extends Certificate> found =
          CertificateFactory.getInstance("X.509").generateCertificates(in);
      if (!found.isEmpty()) {
        return new ArrayList<>(found);
      }
    } catch (IOException unreadable) {
      throw new ConfigurationException(
          "%s names '%s', which cannot be read: %s".formatted(variable, file, unreadable),
          unreadable);
    } catch (CertificateException malformed) {
      throw new ConfigurationException(
          "%s names '%s', whose certificates cannot be read (%s); it must be a PEM file"
              .formatted(variable, file, malformed.getMessage()),
          malformed);
    }
    throw new ConfigurationException(
        "%s names '%s', in which there is no certificate; it must be a PEM file"
            .formatted(variable, file));
  }

  @Override
  public SSLSocket upgrade(
      Socket socket, String target, int port, @Nullable Object attachment, HttpContext context)
      throws IOException {
    return strategy().upgrade(socket, target, port, attachment, context);
  }

  private TlsSocketStrategy strategy() throws IOException {
    TlsSocketStrategy ready = strategy;
    if (ready == null) {
      synchronized (this) {
        ready = strategy;
        if (ready == null) {
          ready =
              new DefaultClientTlsStrategy(
                  context(),
                  HostnameVerificationPolicy.BOTH,
                  HttpsSupport.getDefaultHostnameVerifier());
          strategy = ready;
        }
      }
    }
    return ready;
  }

  private SSLContext context() throws IOException {
    try {
      if (added.isEmpty()) {
        return SSLContext.getDefault();
      }
      KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
      store.load(null, null);
      int index = 0;
      for (X509Certificate usual : usual()) {
        store.setCertificateEntry("usual-" + index++, usual);
      }
      for (Certificate own : added) {
        store.setCertificateEntry("own-" + index++, own);
      }
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, managers(store), null);
      return context;
    } catch (GeneralSecurityException unusable) {
      throw new IOException("the certificates to trust cannot be used", unusable);
    }
  }

  /** Those of the trust store that Java uses, which properties may change. */
  private static List<X509Certificate> usual() throws GeneralSecurityException {
    List<X509Certificate> usual = new ArrayList<>();
    for (TrustManager manager : managers(null)) {
      if (manager instanceof X509TrustManager authorities) {
        usual.addAll(List.of(authorities.getAcceptedIssuers()));
      }
    }
    return usual;
  }

  private static TrustManager[] managers(@Nullable KeyStore store) throws GeneralSecurityException {
    TrustManagerFactory factory =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    factory.init(store);
    return factory.getTrustManagers();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Trust trust && trust.added.equals(added);
  }

  @Override
  public int hashCode() {
    return added.hashCode();
  }
}
