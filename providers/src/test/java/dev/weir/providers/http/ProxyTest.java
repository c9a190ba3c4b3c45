package dev.weir.providers.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.model.ConfigurationException;
import dev.weir.model.Response;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Map;
import java.util.Properties;
import org.apache.hc.core5.http.HttpHost;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Servers behind a proxy that really stands between. */
@Timeout(120)
class ProxyTest {

  private static final String USER_AND_PASSWORD = "Basic bWU6cEBzcw=="; // me:p@ss

  @TempDir private static Path directory;

  private static Transport behind(Map<String, String> environment) {
    return Transport.open(Asked.SETTINGS, Network.of(environment, new Properties()));
  }

  /** Lets through to a port of this machine, whatever host is asked for. */
  private static ScriptedServer tunnelTo(int port, boolean wantsPassword) throws Exception {
    ScriptedServer[] self = new ScriptedServer[1];
    self[0] =
        ScriptedServer.start(
            connection -> {
              connection.readRequest();
              if (wantsPassword && !self[0].requests().getLast().contains(USER_AND_PASSWORD)) {
                connection.write(
                    "HTTP/1.1 407 Who\r\nProxy-Authenticate: Basic realm=\"x\"\r\n"
                        + "content-length: 2\r\n\r\nno");
                return;
              }
              connection.write("HTTP/1.1 200 Established\r\n\r\n");
              try (var target = new Socket(InetAddress.getLoopbackAddress(), port)) {
                Thread back =
                    Thread.ofVirtual()
                        .start(
                            () -> {
                              try {
                                target
                                    .getInputStream()
                                    .transferTo(connection.socket().getOutputStream());
                              } catch (IOException gone) {
                                // One of the two.
                              }
                            });
                connection.in().transferTo(target.getOutputStream());
                back.join();
              }
            });
    return self[0];
  }

  @Test
  void aHostWithAnUnderscoreIsAsked() throws Exception {
    try (var proxy = ScriptedServer.answering(ScriptedServer.ok("{\"answer\": \"y\"}"));
        var transport = behind(Map.of("HTTP_PROXY", "http://127.0.0.1:" + proxy.port()))) {
      assertThat(Asked.ask(URI.create("http://my_host:8080"), transport))
          .isInstanceOf(Response.Reply.class);
      assertThat(proxy.requests().getFirst())
          .startsWith("POST http://my_host:8080/v1/ask HTTP/1.1")
          .containsIgnoringCase("host: my_host:8080");
    }
  }

  @Test
  void anAddressThatCannotBeAskedIsOurFault() throws Exception {
    try (var transport = behind(Map.of())) {
      assertThat(Asked.ask(URI.create("http://127.0.0.1:70000"), transport))
          .isInstanceOf(Response.InvalidRequest.class);
    }
  }

  @Test
  void whatTheProxyIsToldIsNotShown() throws Exception {
    String password = "word-of-nobody";
    String told =
        Base64.getEncoder().encodeToString(("me:" + password).getBytes(StandardCharsets.UTF_8));
    String body = "not you, me:%s (Basic %s)".formatted(password, told);
    try (var proxy =
            ScriptedServer.answering(
                "HTTP/1.1 403 %s\r\ncontent-length: %d\r\n\r\n%s"
                    .formatted(password, body.length(), body));
        var transport =
            behind(
                Map.of(
                    "HTTP_PROXY", "http://me:%s@127.0.0.1:%d".formatted(password, proxy.port())))) {
      Response response = Asked.ask(URI.create("http://models.example:8080"), transport);
      assertThat(proxy.requests().getFirst()).contains(told);
      assertThat(((Response.Failure) response).message()).contains("[redacted]", "not you");
      assertThat(response.toString() + response.origin().raw() + response.origin().statusText())
          .doesNotContain(password, told.replace("=", ""));
    }
  }

  @Test
  void aServerInClearIsAskedThroughTheProxy() throws Exception {
    try (var proxy = ScriptedServer.answering(ScriptedServer.ok("{\"answer\": \"y\"}"));
        var transport =
            behind(Map.of("HTTP_PROXY", "http://me:p%40ss@127.0.0.1:" + proxy.port()))) {
      URI address = URI.create("http://models.example:8080");
      assertThat(Asked.ask(address, transport)).isInstanceOf(Response.Reply.class);
      assertThat(Asked.ask(address, transport)).isInstanceOf(Response.Reply.class);
      assertThat(proxy.requests())
          .allMatch(
              request -> request.startsWith("POST http://models.example:8080/v1/ask HTTP/1.1"))
          .allMatch(request -> request.contains(USER_AND_PASSWORD));
      assertThat(proxy.connections()).isEqualTo(1);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aSecureServerIsReachedThroughATunnel(boolean wantsPassword) throws Exception {
    var keys = new Keys(directory, "tunnel-" + wantsPassword, "dns:models.example");
    try (var server =
            ScriptedServer.start(
                "https",
                keys.sockets(),
                connection -> {
                  while (connection.readRequest()) {
                    connection.write(ScriptedServer.ok("{\"answer\": \"y\"}"));
                  }
                });
        var proxy = tunnelTo(server.port(), wantsPassword);
        var transport =
            behind(
                Map.of(
                    "https_proxy",
                    "http://me:p%40ss@127.0.0.1:" + proxy.port(),
                    "WEIR_CA_BUNDLE",
                    keys.certificate().toString()))) {
      URI address = URI.create("https://models.example");
      assertThat(Asked.ask(address, transport)).isInstanceOf(Response.Reply.class);
      assertThat(Asked.ask(address, transport)).isInstanceOf(Response.Reply.class);
      assertThat(proxy.requests()).hasSize(1);
      assertThat(proxy.requests().getFirst())
          .startsWith("CONNECT models.example:443 HTTP/1.1")
          .doesNotContain(Asked.KEY);
      assertThat(server.requests())
          .hasSize(2)
          .allMatch(request -> request.contains(Asked.KEY))
          .noneMatch(request -> request.contains("roxy-"));
    }
  }

  @Test
  void aProxyThatRefusesIsTold() throws Exception {
    try (var proxy = tunnelTo(1, true);
        var transport =
            behind(Map.of("HTTPS_PROXY", "http://me:wrong-one@127.0.0.1:" + proxy.port()))) {
      Response response = Asked.ask(URI.create("https://models.example"), transport);
      assertThat(response)
          .isInstanceOfSatisfying(
              Response.Authentication.class,
              failure -> assertThat(failure.message()).contains("the proxy wants a user"));
      assertThat(response.toString()).doesNotContain("wrong-one");
      assertThat(proxy.requests()).as("attempts").hasSize(1);
    }
  }

  @Test
  void thisMachineIsAskedDirectly() throws Exception {
    try (var server = ScriptedServer.answering(ScriptedServer.ok("{\"answer\": \"y\"}"));
        var transport = behind(Map.of("HTTP_PROXY", "http://proxy.invalid:1"))) {
      assertThat(Asked.ask(server.address(), transport)).isInstanceOf(Response.Reply.class);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "''|http://a.example|http://one:1",
        "''|https://a.example|http://two:2",
        "''|http://localhost:80|",
        "''|https://127.0.0.7:8000|",
        "''|http://[::1]:8000|",
        "*|https://a.example|",
        "example|https://a.example|",
        ".example|https://a.example|",
        "*.example|https://a.example|",
        "b.example|https://a.example|http://two:2",
        "ample|https://a.example|http://two:2",
        "other,A.EXAMPLE|https://a.example|",
        "a.example:443|https://a.example|",
        "a.example:8443|https://a.example|http://two:2",
        "a.example:x|https://a.example|http://two:2",
        "10.0.0.0/8|http://10.1.2.3:8000|",
        "10.0.0.0/8|http://11.1.2.3:8000|http://one:1",
        "10.0.0.0/99|http://10.0.0.0:8000|",
        "fd00::/8|http://[fd12::1]:8000|",
        "10.0.0.0/8|http://ten.example|http://one:1",
        "192.168.1.5|http://192.168.1.5:8000|",
      })
  void someAreAskedDirectly(String noProxy, String target, String proxy) throws Exception {
    Proxies proxies =
        Proxies.of(
            Map.of("HTTP_PROXY", "one:1", "https_proxy", "http://two:2/", "NO_PROXY", noProxy),
            new Properties());
    ProxyServer found = proxies.of(HttpHost.create(target));
    assertThat(found == null ? null : found.host().toURI()).isEqualTo(proxy);
  }

  @Test
  void propertiesOfJavaWin() throws Exception {
    var properties = new Properties();
    properties.setProperty("https.proxyHost", "java.example");
    properties.setProperty("https.proxyPort", "8888");
    properties.setProperty("http.nonProxyHosts", "*.inside.example|10.*");
    Proxies proxies = Proxies.of(Map.of("HTTPS_PROXY", "http://env.example:1"), properties);
    assertThat(proxies.of(HttpHost.create("https://a.example")))
        .hasFieldOrPropertyWithValue("host", new HttpHost("http", "java.example", 8888));
    assertThat(proxies.of(HttpHost.create("https://a.inside.example"))).isNull();
    assertThat(proxies.of(HttpHost.create("https://10.1.1.1"))).isNull();
    assertThat(proxies.of(HttpHost.create("http://a.example"))).isNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "socks5://me:hidden@proxy.example:1",
        "https://me:hidden@proxy.example:1",
        "http://me:hid den@proxy.example",
        "http://me:hidden@",
        "me:hidden@proxy.example:port",
        "http://me:hid%zzden@proxy.example",
      })
  void whatIsNoProxyIsRefusedWithoutThePassword(String address) {
    assertThatThrownBy(() -> Transport.shared(Map.of("HTTPS_PROXY", address)))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("HTTPS_PROXY must be the address of an HTTP proxy")
        .hasNoCause()
        .satisfies(refused -> assertThat(refused.getMessage()).doesNotContain("hid"));
  }

  @Test
  void aPasswordIsNotShown() {
    ProxyServer proxy = ProxyServer.parse("HTTPS_PROXY", "http://me:hidden@proxy.example:1");
    assertThat(proxy.toString()).doesNotContain("hidden");
    assertThat(Network.of(Map.of("HTTPS_PROXY", "http://me:hidden@p:1"), new Properties()))
        .asString()
        .doesNotContain("hidden");
  }
}
