package dev.weir.providers.http;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.net.ServerSocketFactory;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/** A key with a certificate that it signed itself, made by the JDK's own tool. */
final class Keys {

  private static final String PASSWORD = "changeit";

  private final Path store;
  private final Path certificate;

  /**
   * @param names whom the certificate is for: {@code dns:localhost,ip:127.0.0.1}
   */
  Keys(Path directory, String alias, String names) throws IOException, InterruptedException {
    this.store = directory.resolve(alias + ".p12");
    this.certificate = directory.resolve(alias + ".pem");
    run(
        "-genkeypair",
        "-alias",
        alias,
        "-keyalg",
        "EC",
        "-dname",
        "CN=" + alias,
        "-ext",
        "san=" + names,
        "-validity",
        "30",
        "-storetype",
        "PKCS12");
    run("-exportcert", "-rfc", "-alias", alias, "-file", certificate.toString());
  }

  private void run(String... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
    command.addAll(List.of(arguments));
    command.addAll(List.of("-keystore", store.toString(), "-storepass", PASSWORD));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    process.getOutputStream().close();
    byte[] said = process.getInputStream().readAllBytes();
    if (!process.waitFor(60, TimeUnit.SECONDS) || process.exitValue() != 0) {
      throw new IOException(new String(said, StandardCharsets.UTF_8));
    }
  }

  Path certificate() {
    return certificate;
  }

  ServerSocketFactory sockets() throws Exception {
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(store)) {
      keys.load(in, PASSWORD.toCharArray());
    }
    KeyManagerFactory managers =
        KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    managers.init(keys, PASSWORD.toCharArray());
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(managers.getKeyManagers(), null, null);
    return context.getServerSocketFactory();
  }
}
