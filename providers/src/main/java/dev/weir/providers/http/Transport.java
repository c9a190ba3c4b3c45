package dev.weir.providers.http;

import dev.weir.model.ConfigurationException;
import dev.weir.model.Secret;
import dev.weir.model.spi.RawReply;
import dev.weir.time.Time;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hc.client5.http.ClientProtocolException;
import org.apache.hc.client5.http.ContextBuilder;
import org.apache.hc.client5.http.HttpRoute;
import org.apache.hc.client5.http.auth.UsernamePasswordCredentials;
import org.apache.hc.client5.http.classic.methods.HttpUriRequestBase;
import org.apache.hc.client5.http.config.ConnectionConfig;
import org.apache.hc.client5.http.config.RequestConfig;
import org.apache.hc.client5.http.config.TlsConfig;
import org.apache.hc.client5.http.impl.ConnectionShutdownException;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.client5.http.impl.io.DefaultHttpResponseParserFactory;
import org.apache.hc.client5.http.impl.io.ManagedHttpClientConnectionFactory;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManager;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManagerBuilder;
import org.apache.hc.client5.http.protocol.HttpClientContext;
import org.apache.hc.client5.http.routing.HttpRoutePlanner;
import org.apache.hc.core5.function.Resolver;
import org.apache.hc.core5.http.ClassicHttpRequest;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.HttpHost;
import org.apache.hc.core5.http.config.Http1Config;
import org.apache.hc.core5.http.impl.io.HttpRequestExecutor;
import org.apache.hc.core5.http.io.HttpClientConnection;
import org.apache.hc.core5.http.io.HttpResponseInformationCallback;
import org.apache.hc.core5.http.io.SocketConfig;
import org.apache.hc.core5.http.io.entity.ByteArrayEntity;
import org.apache.hc.core5.http.protocol.HttpContext;
import org.apache.hc.core5.io.CloseMode;
import org.apache.hc.core5.util.TimeValue;
import org.apache.hc.core5.util.Timeout;
import org.jspecify.annotations.Nullable;

/**
 * Sends bodies over HTTP/1.1, one connection to each call in flight. It does not retry, follow or
 * remember anything, and has no limit of its own: that is the limiter's business.
 *
 * <p>Thread-safe. An interrupt of the calling task, which is a virtual thread, ends a call at once
 * in whatever it is doing, and its connection is not used again.
 */
public final class Transport implements AutoCloseable {

  static final String USER_AGENT = "weir";

  /** No second limiter: the pool is as large as the limits allow calls. */
  private static final int AS_MANY_AS_ALLOWED = 1_000_000;

  /** The default of 8 KiB costs 100 KB a call. */
  private static final int BUFFER_BYTES = 4_096;

  /** There are as many as models; those of batches, which come and go, are not kept for ever. */
  private static final int MOST_DESTINATIONS = 500;

  private static final int LONGEST_HEADER_LINE = 256 << 10;
  private static final int MOST_HEADERS = 1_000;

  /** Many servers close a connection after 5 s without a word, and some do not say so. */
  private static final TimeValue TRUSTED_AFTER_USE = TimeValue.ofSeconds(1);

  private static final TimeValue LONGEST_IDLE = TimeValue.ofMinutes(1);
  private static final TimeValue LONGEST_LIFE = TimeValue.ofMinutes(10);

  /** Whoever translates addresses on the way forgets a connection on which nothing moves. */
  private static final SocketConfig SOCKET =
      SocketConfig.custom()
          .setTcpNoDelay(true)
          .setSoKeepAlive(true)
          .setTcpKeepIdle(45)
          .setTcpKeepInterval(15)
          .setTcpKeepCount(4)
          .build();

  private static final RequestConfig REQUESTS =
      RequestConfig.custom()
          // No second attempt by itself after a 401; the proxy is told at once.
          .setAuthenticationEnabled(false)
          .setProtocolUpgradeEnabled(false)
          .setExpectContinueEnabled(false)
          .build();

  private static final Map<Network, Transport> SHARED = new ConcurrentHashMap<>();

  private final TransportSettings settings;
  private final Network network;
  private final PoolingHttpClientConnectionManager pool;
  private final HttpRoutePlanner routes;
  private final SilenceWatch watch;

  /** For calls through a proxy; it closes the pool, and what is idle in there. */
  private final CloseableHttpClient client;

  private final Map<URI, Destination> destinations = new ConcurrentHashMap<>();

  private Transport(
      TransportSettings settings,
      Network network,
      PoolingHttpClientConnectionManager pool,
      HttpRoutePlanner routes,
      CloseableHttpClient client) {
    this.settings = settings;
    this.network = network;
    this.pool = pool;
    this.routes = routes;
    this.client = client;
    this.watch = new SilenceWatch(Time.system(), settings.readTimeout());
  }

  /**
   * The one that all models of the process share, so that connections are reused; another one for
   * other proxies or certificates.
   *
   * @param environment tells proxies ({@code HTTPS_PROXY}, {@code HTTP_PROXY}, {@code NO_PROXY})
   *     and certificates ({@code WEIR_CA_BUNDLE}, {@code SSL_CERT_FILE}, {@code
   *     REQUESTS_CA_BUNDLE}), as it does to other programs; Java's own properties count too
   * @throws ConfigurationException if they cannot be used
   */
  public static Transport shared(Map<String, String> environment) {
    return SHARED.computeIfAbsent(
        Network.of(environment, System.getProperties()),
        network -> open(TransportSettings.defaults(), network));
  }

  /** One of its own, to be closed; without proxies and with Java's own certificates. */
  public static Transport open(TransportSettings settings) {
    return open(settings, Network.of(Map.of(), new Properties()));
  }

  static Transport open(TransportSettings settings, Network network) {
    PoolingHttpClientConnectionManager pool = connections(settings, network);
    HttpRoutePlanner routes = network.proxies().routes();
    CloseableHttpClient client =
        HttpClients.custom()
            .setConnectionManager(pool)
            .setRequestExecutor(new Executor())
            .setRoutePlanner(routes)
            .disableAutomaticRetries()
            .disableRedirectHandling()
            .disableCookieManagement()
            .disableAuthCaching()
            // Bodies are unpacked where they are bounded, see HttpReply.
            .disableContentCompression()
            // Else a client certificate would keep connections from being used again.
            .disableConnectionState()
            .setDefaultRequestConfig(REQUESTS)
            .setUserAgent(USER_AGENT)
            .evictExpiredConnections()
            .evictIdleConnections(LONGEST_IDLE)
            .build();
    return new Transport(settings, network, pool, routes, client);
  }

  private static PoolingHttpClientConnectionManager connections(
      TransportSettings settings, Network network) {
    Http1Config http1 =
        Http1Config.custom()
            .setBufferSize(BUFFER_BYTES)
            .setChunkSizeHint(BUFFER_BYTES / 2)
            .setMaxLineLength(LONGEST_HEADER_LINE)
            .setMaxHeaderCount(MOST_HEADERS)
            .build();
    return PoolingHttpClientConnectionManagerBuilder.create()
        .setMaxConnTotal(AS_MANY_AS_ALLOWED)
        .setMaxConnPerRoute(AS_MANY_AS_ALLOWED)
        .setConnectionFactory(
            ManagedHttpClientConnectionFactory.builder()
                .http1Config(http1)
                .responseParserFactory(
                    new DefaultHttpResponseParserFactory(http1, new LenientLines(), null))
                .build())
        .setDnsResolver(new HostNames())
        .setTlsSocketStrategy(network.trust())
        .setDefaultSocketConfig(SOCKET)
        .setDefaultTlsConfig(
            TlsConfig.custom().setHandshakeTimeout(Timeout.of(settings.connectTimeout())).build())
        .setConnectionConfigResolver(timeouts(settings))
        .build();
  }

  /** Calls that go directly to their server are watched, and need no timer for each read. */
  private static Resolver<HttpRoute, ConnectionConfig> timeouts(TransportSettings settings) {
    ConnectionConfig.Builder config =
        ConnectionConfig.custom()
            .setConnectTimeout(Timeout.of(settings.connectTimeout()))
            .setValidateAfterInactivity(TRUSTED_AFTER_USE)
            .setTimeToLive(LONGEST_LIFE);
    ConnectionConfig direct = config.setSocketTimeout(Timeout.DISABLED).build();
    ConnectionConfig proxied = config.setSocketTimeout(Timeout.of(settings.readTimeout())).build();
    return route -> route.getProxyHost() == null ? direct : proxied;
  }

  /**
   * Sends a call and waits for the headers of its response.
   *
   * @return to be closed; reading its body after an interrupt fails
   * @throws IOException if there is no response
   * @throws InterruptedException if the calling task is cancelled
   */
  public RawReply send(HttpCall call) throws IOException, InterruptedException {
    return exchange(call);
  }

  HttpReply exchange(HttpCall call) throws IOException, InterruptedException {
    return exchange(call, settings.maxResponseBytes(), settings.firstByteTimeout());
  }

  /**
   * A call that is answered at once, or not at all: not one to a model.
   *
   * @param maxResponseBytes the largest body that is read
   */
  HttpReply exchange(HttpCall call, long maxResponseBytes)
      throws IOException, InterruptedException {
    return exchange(call, maxResponseBytes, settings.readTimeout());
  }

  private HttpReply exchange(HttpCall call, long maxResponseBytes, Duration firstByteTimeout)
      throws IOException, InterruptedException {
    if (Thread.interrupted()) {
      // A connection that is there would be written to before anybody noticed.
      throw new InterruptedException("cancelled");
    }
    Destination destination = destination(call.uri());
    ClassicHttpRequest request = destination.directRequest(call);
    try {
      return request == null
          ? throughClient(call, destination.target(), maxResponseBytes, firstByteTimeout)
          : directly(request, destination.route(), maxResponseBytes, firstByteTimeout);
    } catch (IOException failed) {
      throw interruptedOr(failed);
    } catch (CancellationException inThePool) {
      // That is how the pool tells of an interrupt.
      throw interruptedOr(new IOException("cancelled", inThePool));
    }
  }

  private Destination destination(URI address) throws IOException {
    Destination known = destinations.get(address);
    if (known != null) {
      return known;
    }
    if (destinations.size() >= MOST_DESTINATIONS) {
      destinations.clear();
    }
    Destination found = Destination.of(address, routes);
    destinations.put(address, found);
    return found;
  }

  private HttpReply directly(
      ClassicHttpRequest request, HttpRoute route, long maxResponseBytes, Duration firstByteTimeout)
      throws IOException, InterruptedException {
    DirectConnection connection = DirectConnection.take(pool, watch, route);
    try {
      return new HttpReply(
          connection.execute(request, firstByteTimeout), connection, maxResponseBytes);
    } catch (HttpException notHttp) {
      throw new ClientProtocolException(notHttp.getMessage(), notHttp);
    } catch (ConnectionShutdownException closed) {
      throw new IOException("the connection has been shut down", closed);
    }
  }

  private HttpReply throughClient(
      HttpCall call, HttpHost target, long maxResponseBytes, Duration firstByteTimeout)
      throws IOException {
    HttpUriRequestBase request = request(call);
    request.setConfig(
        RequestConfig.copy(REQUESTS).setResponseTimeout(Timeout.of(firstByteTimeout)).build());
    HttpClientContext context = context(target);
    try {
      ClassicHttpResponse response = client.executeOpen(target, request, context);
      ReplyConnection connection = Executor.connection(request, context);
      connection.timeout(Timeout.of(settings.readTimeout()));
      return new HttpReply(response, connection, maxResponseBytes);
    } catch (IOException failed) {
      request.cancel();
      throw failed;
    }
  }

  private static HttpUriRequestBase request(HttpCall call) throws IOException {
    try {
      var request = new HttpUriRequestBase(call.method(), call.uri());
      call.headers().forEach(request::setHeader);
      if (call.method().equals("POST")) {
        // A content type among the headers wins over this one.
        request.setEntity(new ByteArrayEntity(call.body(), ContentType.APPLICATION_JSON));
      }
      return request;
    } catch (IllegalArgumentException unusable) {
      throw new IOException(unusable.getMessage(), unusable);
    }
  }

  /** What the proxies are told, which they may repeat. */
  Secret secret() {
    return network.proxies().secret();
  }

  /** What an interrupt does to a socket looks like any other failure. */
  static IOException interruptedOr(IOException failed) throws InterruptedException {
    if (Thread.interrupted()) {
      throw new CancelledException(failed);
    }
    return failed;
  }

  /** Without a trace: that of its cause says where it was, and ten thousand may come at once. */
  private static final class CancelledException extends InterruptedException {

    private static final long serialVersionUID = 1L;

    CancelledException(IOException by) {
      super("cancelled");
      initCause(by);
    }

    @Override
    public Throwable fillInStackTrace() {
      return this;
    }
  }

  private HttpClientContext context(HttpHost target) {
    ProxyServer proxy = network.proxies().of(target);
    UsernamePasswordCredentials credentials = proxy == null ? null : proxy.credentials();
    return proxy == null || credentials == null
        ? HttpClientContext.create()
        : ContextBuilder.create().preemptiveBasicAuth(proxy.host(), credentials).build();
  }

  @Override
  public void close() {
    watch.close();
    client.close(CloseMode.IMMEDIATE);
  }

  /** Remembers which connection a response comes in. */
  private static final class Executor extends HttpRequestExecutor {

    private static final String CONNECTION = "weir.connection";

    static ReplyConnection connection(HttpUriRequestBase request, HttpContext context) {
      var connection = (HttpClientConnection) context.getAttribute(CONNECTION);
      return new ReplyConnection() {
        @Override
        public void timeout(Timeout timeout) {
          connection.setSocketTimeout(timeout);
        }

        @Override
        public void end() {
          // The client saw it too.
        }

        @Override
        public void discard() {
          request.cancel();
        }
      };
    }

    @Override
    public ClassicHttpResponse execute(
        ClassicHttpRequest request,
        HttpClientConnection connection,
        @Nullable HttpResponseInformationCallback informed,
        HttpContext context)
        throws IOException, HttpException {
      context.setAttribute(CONNECTION, connection);
      return super.execute(request, connection, informed, context);
    }
  }
}
