package dev.weir.providers.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.limits.retry.Outcome;
import dev.weir.model.ConfigurationException;
import dev.weir.model.Response;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** TLS with real certificates. */
@Timeout(120)
class SecureConnectionTest {

  @TempDir private static Path directory;

  private static Keys ours;
  private static Keys anothers;

  @BeforeAll
  static void makeKeys() throws Exception {
    ours = new Keys(directory, "ours", "dns:localhost,ip:127.0.0.1");
    anothers = new Keys(directory, "anothers", "dns:other.example");
  }

  private static Transport trusting(Map<String, String> environment) {
    return Transport.open(Asked.SETTINGS, Network.of(environment, new Properties()));
  }

  private static Transport trusting(Keys keys) {
    return trusting(Map.of("WEIR_CA_BUNDLE", keys.certificate().toString()));
  }

  private static ScriptedServer server(Keys keys) throws Exception {
    return ScriptedServer.start(
        "https",
        keys.sockets(),
        connection -> {
          while (connection.readRequest()) {
            connection.write(ScriptedServer.ok("{\"answer\": \"y\"}"));
          }
        });
  }

  @ParameterizedTest
  @ValueSource(strings = {"WEIR_CA_BUNDLE", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE"})
  void anAuthorityOfTheUsersIsTrusted(String variable) throws Exception {
    try (var server = server(ours);
        var transport = trusting(Map.of(variable, ours.certificate().toString()))) {
      assertThat(Asked.ask(server.address(), transport)).isInstanceOf(Response.Reply.class);
      assertThat(Asked.ask(server.address(), transport)).isInstanceOf(Response.Reply.class);
      assertThat(server.connections()).isEqualTo(1);
    }
  }

  @Test
  void aServerThatFallsSilentIsHungUp() throws Exception {
    var impatient = new TransportSettings(Duration.ofSeconds(20), Duration.ofMillis(50), 1 << 20);
    Network network =
        Network.of(Map.of("WEIR_CA_BUNDLE", ours.certificate().toString()), new Properties());
    try (var server =
            ScriptedServer.start(
                "https",
                ours.sockets(),
                connection -> {
                  connection.readRequest();
                  connection.write("HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\n{\"ans");
                  connection.hang();
                });
        var transport = Transport.open(impatient, network)) {
      assertThat(Asked.ask(server.address(), transport))
          .isInstanceOfSatisfying(
              Response.Transient.class,
              failure -> assertThat(failure.message()).contains("no answer in time"));
    }
  }

  @Test
  void aServerThatIsSilentBeforeTheConnectionIsSecureIsHungUp() throws Exception {
    var impatient = new TransportSettings(Duration.ofMillis(500), Duration.ofHours(1), 1 << 20);
    try (var server = ScriptedServer.start(ScriptedServer.Connection::hang);
        var transport = Transport.open(impatient)) {
      assertThat(Asked.ask(URI.create("https://127.0.0.1:" + server.port()), transport))
          .isInstanceOf(Response.Transient.class);
    }
  }

  private static void assertFinal(Response response, String advice) {
    assertThat(response)
        .isInstanceOfSatisfying(
            Response.Authentication.class,
            failure -> {
              assertThat(failure.message())
                  .startsWith("no secure connection to https://127.0.0.1:")
                  .contains(advice);
              assertThat(failure.reach()).isEqualTo(Outcome.Reach.ACCOUNT);
            });
  }

  @Test
  void aCertificateThatNobodyVouchesForIsFinal() throws Exception {
    try (var server = server(ours);
        var transport = Transport.open(Asked.SETTINGS);
        var other = trusting(anothers)) {
      assertFinal(Asked.ask(server.address(), transport), "set WEIR_CA_BUNDLE to a PEM file");
      assertFinal(Asked.ask(server.address(), other), "set WEIR_CA_BUNDLE to a PEM file");
      assertThat(server.requests()).as("what an unknown server was told").isEmpty();
    }
  }

  @Test
  void aCertificateForAnotherHostIsFinal() throws Exception {
    try (var server = server(anothers);
        var transport = trusting(anothers)) {
      assertFinal(Asked.ask(server.address(), transport), "its certificate is not for this host");
      assertThat(server.requests()).isEmpty();
    }
  }

  @Test
  void aServerThatDoesNotSpeakTlsIsFinal() throws Exception {
    try (var server =
            ScriptedServer.start(
                connection -> {
                  connection.in().read();
                  connection.write("HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n");
                  connection.hang();
                });
        var transport = Transport.open(Asked.SETTINGS)) {
      assertFinal(
          Asked.ask(URI.create("https://127.0.0.1:" + server.port()), transport),
          "it does not speak TLS; should the base URL begin with http://?");
    }
  }

  @Test
  void aServerThatDoesSpeakTlsIsNotUnderstoodInClear() throws Exception {
    try (var server = server(ours);
        var transport = Transport.open(Asked.SETTINGS)) {
      assertThat(Asked.ask(URI.create("http://127.0.0.1:" + server.port()), transport))
          .isInstanceOf(Response.Failure.class);
    }
  }

  @Test
  void aSecureConnectionThatBrokeIsTransient() throws Exception {
    try (var hangsUp = ScriptedServer.start(connection -> connection.in().read());
        var resets = ScriptedServer.start(ScriptedServer.Connection::reset);
        var breaksOff =
            ScriptedServer.start(
                "https",
                ours.sockets(),
                connection -> {
                  connection.readRequest();
                  connection.write("HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n{\"ans");
                });
        var transport = trusting(ours)) {
      for (ScriptedServer server : List.of(hangsUp, resets, breaksOff)) {
        assertThat(Asked.ask(URI.create("https://127.0.0.1:" + server.port()), transport))
            .isInstanceOf(Response.Transient.class);
      }
    }
  }

  @Test
  void aFileWithoutCertificatesIsRefused() throws Exception {
    Path empty = Files.writeString(directory.resolve("empty.pem"), "nothing here\n");
    Path broken =
        Files.writeString(
            directory.resolve("broken.pem"),
            "-----BEGIN CERTIFICATE-----\nbm90aGluZw==\n-----END CERTIFICATE-----\n");
    for (Path file : List.of(empty, broken, directory.resolve("absent.pem"))) {
      assertThatThrownBy(() -> Transport.shared(Map.of("SSL_CERT_FILE", file.toString())))
          .isInstanceOf(ConfigurationException.class)
          .hasMessageContaining("SSL_CERT_FILE names '" + file + "'");
    }
  }
}
